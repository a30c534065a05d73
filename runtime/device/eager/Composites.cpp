//===- Composites.cpp - operations that are one for users, but no row -----===//
//
// scaled_dot_product_attention is a composite that asks the device what it has.
// Without gradients ours is one program; with them, its parts are, so that
// autograd sees each.
//
//===----------------------------------------------------------------------===//
#include "runtime/device/Factory.h"
#include "runtime/device/Register.h"
#include "runtime/device/Runtime.h"
#include "runtime/device/eager/Dispatch.h"
#include <ATen/SDPBackend.h>
#include <ATen/core/grad_mode.h>
#include <ATen/native/DispatchStub.h>
#include <ATen/native/transformers/attention.h>
#include <ATen/ops/all.h>
#include <ATen/ops/eq.h>
#include <torch/library.h>

using namespace neuron;
using namespace neuron::device;

namespace {

int64_t choose(const at::Tensor &query, const at::Tensor &key,
               const at::Tensor &value, const std::optional<at::Tensor> &mask,
               double dropout, bool, std::optional<double>, bool) {
  bool needsGradient =
      at::GradMode::is_enabled() &&
      (query.requires_grad() || key.requires_grad() || value.requires_grad() ||
       (mask && mask->defined() && mask->requires_grad()));
  bool isOne = !needsGradient && dropout == 0 && query.dim() == 4;
  return int64_t(isOne ? at::SDPBackend::overrideable : at::SDPBackend::math);
}

using Results =
    std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor, c10::SymInt,
               c10::SymInt, at::Tensor, at::Tensor, at::Tensor>;

Results attention(const at::Tensor &query, const at::Tensor &key,
                  const at::Tensor &value,
                  const std::optional<at::Tensor> &bias, double dropout,
                  bool isCausal, bool wantsMask, std::optional<double> scale) {
  TORCH_CHECK_NOT_IMPLEMENTED(
      dropout == 0 && !wantsMask,
      "scaled_dot_product_attention as one operation on the neuron device has "
      "no dropout; use torch.nn.attention.sdpa_kernel(SDPBackend.MATH)");
  static const auto op = c10::Dispatcher::singleton().findSchemaOrThrow(
      "aten::scaled_dot_product_attention", "");
  bool grouped = query.size(1) != key.size(1);
  torch::jit::Stack stack = {query,
                             key,
                             value,
                             bias ? c10::IValue(*bias) : c10::IValue(),
                             0.0,
                             isCausal,
                             scale ? c10::IValue(*scale) : c10::IValue(),
                             grouped};
  eager(op, c10::DispatchKeySet(), &stack);
  c10::DeviceIndex device = resolve(query.device());
  // What only a backward pass would read.
  at::Tensor none = emptyStrided({0}, {1}, c10::kFloat, device);
  return {stack[0].toTensor(), none, none, none, query.sym_size(2),
          key.sym_size(2),     none, none, none};
}

bool equal(const at::Tensor &a, const at::Tensor &b) {
  TORCH_CHECK(a.device() == b.device(),
              "Expected all tensors to be on the "
              "same device, but found at least two "
              "devices, ",
              a.device(), " and ", b.device(), "!");
  TORCH_CHECK(a.scalar_type() == b.scalar_type(),
              "Expected object of data type ", a.scalar_type(), " but got ",
              b.scalar_type());
  if (a.sizes() != b.sizes())
    return false;
  return a.numel() == 0 || at::all(at::eq(a, b)).item<bool>();
}

} // namespace

namespace at::native {
REGISTER_PRIVATEUSE1_DISPATCH(_fused_sdp_choice_stub, &choose)
} // namespace at::native

void device::registerComposites() {
  static auto *aten =
      new torch::Library(torch::Library::IMPL, "aten",
                         c10::DispatchKey::PrivateUse1, __FILE__, __LINE__);
  aten->impl("_fused_sdp_choice", choose);
  aten->impl("_scaled_dot_product_fused_attention_overrideable", attention);
  aten->impl("equal", equal);
}
