//===- Factory.cpp - new tensors of the device, and views of them ---------===//
//
// What has no kernel: memory, shapes and strides.
//
//===----------------------------------------------------------------------===//
#include "runtime/device/Factory.h"
#include "runtime/device/Allocator.h"
#include "runtime/device/Copy.h"
#include "runtime/device/Register.h"
#include "runtime/device/Stream.h"
#include "runtime/device/Transfer.h"
#include <ATen/EmptyTensor.h>
#include <ATen/native/Resize.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/unfold_native.h>
#include <ATen/ops/view_as_complex_native.h>
#include <ATen/ops/view_as_real_native.h>
#include <ATen/ops/view_native.h>
#include <c10/core/DeviceGuard.h>
#include <torch/library.h>

using namespace neuron;
using namespace neuron::device;

static constexpr c10::DispatchKeySet kKeys(c10::DispatchKey::PrivateUse1);

at::Tensor device::emptyStrided(c10::IntArrayRef sizes,
                                c10::IntArrayRef strides, c10::ScalarType dtype,
                                c10::DeviceIndex device) {
  c10::DeviceIndex before = currentDevice();
  if (before != device)
    setCurrentDevice(device);
  at::Tensor tensor = at::detail::empty_strided_generic(
      sizes, strides, &Allocator::get(), kKeys, dtype);
  if (before != device)
    setCurrentDevice(before);
  return tensor;
}

namespace {

void checkFactory(std::optional<c10::Layout> layout,
                  std::optional<bool> pinned) {
  TORCH_CHECK(layout.value_or(c10::kStrided) == c10::kStrided,
              "the neuron device has strided tensors only, not ",
              layout.value_or(c10::kStrided));
  TORCH_CHECK(!pinned.value_or(false), "Only dense CPU tensors can be pinned");
}

at::Tensor empty(c10::SymIntArrayRef sizes,
                 std::optional<c10::ScalarType> dtype,
                 std::optional<c10::Layout> layout,
                 std::optional<c10::Device> where, std::optional<bool> pinned,
                 std::optional<c10::MemoryFormat> format) {
  checkFactory(layout, pinned);
  c10::DeviceGuard guard(where.value_or(c10::Device(kNeuron)));
  return at::detail::empty_generic(C10_AS_INTARRAYREF_SLOW(sizes),
                                   &Allocator::get(), kKeys,
                                   c10::dtype_or_default(dtype), format);
}

at::Tensor emptyStridedOp(c10::SymIntArrayRef sizes,
                          c10::SymIntArrayRef strides,
                          std::optional<c10::ScalarType> dtype,
                          std::optional<c10::Layout> layout,
                          std::optional<c10::Device> where,
                          std::optional<bool> pinned) {
  checkFactory(layout, pinned);
  c10::DeviceGuard guard(where.value_or(c10::Device(kNeuron)));
  return at::detail::empty_strided_generic(
      C10_AS_INTARRAYREF_SLOW(sizes), C10_AS_INTARRAYREF_SLOW(strides),
      &Allocator::get(), kKeys, c10::dtype_or_default(dtype));
}

at::Tensor asStrided(const at::Tensor &self, c10::SymIntArrayRef sizes,
                     c10::SymIntArrayRef strides,
                     std::optional<c10::SymInt> offset) {
  std::optional<int64_t> start;
  if (offset)
    start = offset->guard_int(__FILE__, __LINE__);
  return at::native::as_strided_tensorimpl(self, C10_AS_INTARRAYREF_SLOW(sizes),
                                           C10_AS_INTARRAYREF_SLOW(strides),
                                           start);
}

at::Tensor view(const at::Tensor &self, c10::SymIntArrayRef sizes) {
  return at::native::view(self, C10_AS_INTARRAYREF_SLOW(sizes));
}

at::Tensor reshapeAlias(const at::Tensor &self, c10::SymIntArrayRef sizes,
                        c10::SymIntArrayRef strides) {
  return at::native::_reshape_alias(self, C10_AS_INTARRAYREF_SLOW(sizes),
                                    C10_AS_INTARRAYREF_SLOW(strides));
}

/// Makes the storage large enough for what the tensor says.
void growStorage(c10::TensorImpl *tensor) {
  if (tensor->numel() == 0)
    return;
  size_t bytes =
      tensor->storage_offset() * tensor->itemsize() +
      spanBytes(tensor->sizes(), tensor->strides(), tensor->itemsize());
  const c10::Storage &storage = tensor->unsafe_storage();
  if (bytes > storage.nbytes())
    resizeStorage(storage, bytes);
}

const at::Tensor &resize(const at::Tensor &self, c10::SymIntArrayRef sizes,
                         std::optional<c10::MemoryFormat> format) {
  c10::TensorImpl *tensor = self.unsafeGetTensorImpl();
  at::native::resize_impl_cpu_(tensor, C10_AS_INTARRAYREF_SLOW(sizes),
                               std::nullopt, /*resize_storage=*/false);
  if (format && *format != c10::MemoryFormat::Preserve)
    tensor->empty_tensor_restride(*format);
  growStorage(tensor);
  return self;
}

at::Tensor &setStorage(at::Tensor &self, at::Storage source, c10::SymInt offset,
                       c10::SymIntArrayRef sizes, c10::SymIntArrayRef strides) {
  TORCH_CHECK(source.device() == self.device(),
              "Attempted to set the storage of a tensor on device \"",
              self.device(), "\" to a storage on different device \"",
              source.device(), "\"");
  c10::TensorImpl *tensor = self.unsafeGetTensorImpl();
  tensor->set_storage_keep_dtype(std::move(source));
  tensor->set_storage_offset(offset.guard_int(__FILE__, __LINE__));
  c10::IntArrayRef shape = C10_AS_INTARRAYREF_SLOW(sizes);
  if (strides.empty() && !shape.empty())
    tensor->set_sizes_contiguous(shape);
  else
    tensor->set_sizes_and_strides(shape, C10_AS_INTARRAYREF_SLOW(strides));
  growStorage(tensor);
  return self;
}

at::Tensor &setWholeStorage(at::Tensor &self, at::Storage source) {
  int64_t count = source.nbytes() / self.element_size();
  return setStorage(self, std::move(source), 0,
                    c10::SymIntArrayRef({c10::SymInt(count)}), {});
}

at::Tensor &setTensor(at::Tensor &self, const at::Tensor &source) {
  return setStorage(self, source.storage(), source.storage_offset(),
                    source.sym_sizes(), source.sym_strides());
}

at::Tensor &setNothing(at::Tensor &self) {
  at::Tensor nothing =
      emptyStrided({0}, {1}, self.scalar_type(), resolve(self.device()));
  return setTensor(self, nothing);
}

void recordStream(at::Tensor &self, c10::Stream stream) {
  Allocator::get().recordStream(self.storage().data_ptr(), stream);
}

at::Scalar localScalar(const at::Tensor &self) { return toHost(self).item(); }

void registerAten(torch::Library &m) {
  m.impl("empty.memory_format", empty);
  m.impl("empty_strided", emptyStridedOp);
  m.impl("as_strided", asStrided);
  m.impl("view", view);
  m.impl("_reshape_alias", reshapeAlias);
  m.impl("unfold", TORCH_FN(at::native::unfold));
  m.impl("view_as_real", TORCH_FN(at::native::view_as_real));
  m.impl("view_as_complex", TORCH_FN(at::native::view_as_complex));
  m.impl("resize_", resize);
  m.impl("set_", setNothing);
  m.impl("set_.source_Tensor", setTensor);
  m.impl("set_.source_Storage", setWholeStorage);
  m.impl("set_.source_Storage_storage_offset", setStorage);
  m.impl("record_stream", recordStream);
  m.impl("_copy_from", copyFrom);
  m.impl("_copy_from_and_resize", copyFromAndResize);
  m.impl("_local_scalar_dense", localScalar);
}

} // namespace

void device::registerMemoryOps() {
  static auto *aten =
      new torch::Library(torch::Library::IMPL, "aten",
                         c10::DispatchKey::PrivateUse1, __FILE__, __LINE__);
  registerAten(*aten);
  // Our copy looks at the bits itself; the fallbacks of these keys would copy
  // first, and so for ever.
  for (c10::DispatchKey key :
       {c10::DispatchKey::Conjugate, c10::DispatchKey::Negative}) {
    auto *bits = new torch::Library(torch::Library::IMPL, "aten", key, __FILE__,
                                    __LINE__);
    bits->impl("_copy_from", torch::CppFunction::makeFallthrough());
  }
}
