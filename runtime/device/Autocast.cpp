//===- Autocast.cpp - torch.autocast('neuron') ----------------------------===//
//
// The lists of operations are PyTorch's own, those of its other accelerators.
//
//===----------------------------------------------------------------------===//
#include "runtime/device/Register.h"
#include <ATen/ATen.h>
#include <ATen/autocast_mode.h>
#include <torch/library.h>

namespace at::autocast {
namespace {

[[noreturn]] Tensor refuse(const Tensor &, const Tensor &,
                           const std::optional<Tensor> &, int64_t) {
  TORCH_CHECK(false,
              "torch.nn.functional.binary_cross_entropy and torch.nn.BCELoss "
              "are unsafe to autocast.\nUse binary_cross_entropy_with_logits "
              "or BCEWithLogitsLoss, which are safe to autocast.");
}

void registerAten(torch::Library &m) {
  // lower_precision_fp
#define NEURON_KERNEL(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, lower_precision_fp)
  AT_FORALL_LOWER_PRECISION_FP(NEURON_KERNEL)
#undef NEURON_KERNEL
#define NEURON_KERNEL(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, fp32)
  AT_FORALL_FP32(NEURON_KERNEL)
#undef NEURON_KERNEL
#define NEURON_KERNEL(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, fp32_set_opt_dtype)
  AT_FORALL_FP32_SET_OPT_DTYPE(NEURON_KERNEL)
#undef NEURON_KERNEL
#define NEURON_KERNEL(...)                                                     \
  KERNEL_DIFFERENT_REDISPATCH_SIGNATURE_PRIVATEUSEONE(__VA_ARGS__)
  AT_FORALL_DIFFERENT_REDISPATCH_SIGNATURE(NEURON_KERNEL)
#undef NEURON_KERNEL
#define NEURON_KERNEL(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, promote)
  AT_FORALL_PROMOTE(NEURON_KERNEL)
#undef NEURON_KERNEL
  m.impl("binary_cross_entropy", TORCH_FN(refuse));
}

} // namespace
} // namespace at::autocast

void neuron::device::registerAutocast() {
  constexpr auto kKey = c10::DispatchKey::AutocastPrivateUse1;
  // Without it, every other operation inside autocast would be an error.
  auto *all =
      new torch::Library(torch::Library::IMPL, "_", kKey, __FILE__, __LINE__);
  all->fallback(torch::CppFunction::makeFallthrough());
  auto *aten = new torch::Library(torch::Library::IMPL, "aten", kKey, __FILE__,
                                  __LINE__);
  at::autocast::registerAten(*aten);
}
