//===- Copy.cpp - aten::copy_ to, from and on the device ------------------===//
#include "runtime/device/Copy.h"
#include "runtime/device/Factory.h"
#include "runtime/device/Pinned.h"
#include "runtime/device/TorchTypes.h"
#include "runtime/device/Transfer.h"
#include "runtime/device/eager/Eager.h"
#include <ATen/EmptyTensor.h>
#include <ATen/MemoryOverlap.h>
#include <ATen/ops/as_strided.h>
#include <ATen/ops/logical_or.h>
#include <ATen/ops/resize.h>
#include <ATen/ops/view.h>
#include <ATen/ops/view_as_real.h>
#include <c10/util/strides.h>

using namespace neuron;
using namespace neuron::device;

namespace {

constexpr char kCopy[] = "aten::copy_";

bool isNeuron(const at::Tensor &tensor) {
  return tensor.device().type() == kNeuron;
}

/// Every element once and nothing between them.
bool isDense(const at::Tensor &tensor) {
  return tensor.is_non_overlapping_and_dense();
}

bool sameBits(const at::Tensor &a, const at::Tensor &b) {
  return a.is_conj() == b.is_conj() && a.is_neg() == b.is_neg();
}

/// Marks a tensor as conjugate and negative where `like` is.
void setBits(const at::Tensor &tensor, const at::Tensor &like) {
  tensor._set_conj(like.is_conj());
  tensor._set_neg(like.is_neg());
}

/// The memory behind a tensor: no conjugate, no negative.
at::Tensor plain(const at::Tensor &tensor) {
  at::Tensor result = tensor;
  if (tensor.is_conj() || tensor.is_neg()) {
    result = tensor.alias();
    result._set_conj(false);
    result._set_neg(false);
  }
  return result;
}

/// The same elements as an integer dtype of their width, to be moved unread;
/// complex128 gets a dimension of its two halves.
at::Tensor asMovable(const at::Tensor &tensor) {
  switch (tensor.element_size()) {
  case 1:
    return tensor.view(c10::kByte);
  case 2:
    return tensor.view(c10::kShort);
  case 4:
    return tensor.view(c10::kInt);
  case 8:
    return tensor.view(c10::kLong);
  default:
    return at::view_as_real(tensor).view(c10::kLong);
  }
}

/// The bytes of a tensor, on the host, at strides like its own where these are
/// dense.
at::Tensor readAll(const at::Tensor &tensor, std::optional<at::Tensor> into) {
  at::Tensor result =
      into ? *into
           : at::Tensor(at::detail::empty_strided_cpu(
                 tensor.sizes(), tensor.strides(), tensor.scalar_type()));
  readBytes(Allocator::get().rangeOf(tensor), result.mutable_data_ptr(),
            spanBytes(tensor), kCopy,
            into && isPinned(into->const_data_ptr()) ? into : std::nullopt);
  return result;
}

void toDevice(const at::Tensor &source, const at::Tensor &target,
              bool nonBlocking) {
  if (!isDense(target)) {
    at::Tensor whole =
        emptyStrided(target.sizes(), c10::contiguous_strides(target.sizes()),
                     target.scalar_type(), resolve(target.device()));
    toDevice(source, whole, nonBlocking);
    copyFrom(whole, target, nonBlocking);
    return;
  }
  bool asItIs = source.scalar_type() == target.scalar_type() &&
                liesAs(source, target.strides()) && !source.is_conj() &&
                !source.is_neg() && isDense(source);
  at::Tensor host = source;
  if (!asItIs) {
    host = at::detail::empty_strided_cpu(target.sizes(), target.strides(),
                                         target.scalar_type());
    host.copy_(source);
  }
  bool pinned = nonBlocking && isPinned(host.const_data_ptr());
  // What we made ourselves can be kept, too, instead of being copied.
  writeBytes(Allocator::get().rangeOf(target), host.const_data_ptr(),
             spanBytes(target), kCopy,
             pinned || !asItIs ? std::optional(host) : std::nullopt);
}

/// `source` is dense.
void toHostFrom(const at::Tensor &source, const at::Tensor &target,
                bool nonBlocking) {
  if (source.scalar_type() == target.scalar_type() &&
      liesAs(source, target.strides()) && isDense(target) &&
      !source.is_conj() && !source.is_neg() && !target.is_conj() &&
      !target.is_neg()) {
    bool returns = nonBlocking && isPinned(target.const_data_ptr());
    readBytes(Allocator::get().rangeOf(source), target.mutable_data_ptr(),
              spanBytes(source), kCopy,
              returns ? std::optional(target) : std::nullopt);
    return;
  }
  at::Tensor host = readAll(plain(source), std::nullopt);
  setBits(host, source);
  target.copy_(host);
}

/// To complex numbers from others, or to real ones: part by part. False if
/// neither is complex.
bool copyParts(const at::Tensor &source, const at::Tensor &target) {
  if (source.is_neg() || target.is_neg() ||
      !(source.is_complex() || target.is_complex()))
    return false;
  auto part = [](const at::Tensor &tensor, int64_t index) {
    return at::view_as_real(plain(tensor)).select(-1, index);
  };
  if (!target.is_complex()) {
    if (target.scalar_type() == c10::kBool)
      target.copy_(
          at::logical_or(part(source, 0).ne(0), part(source, 1).ne(0)));
    else
      target.copy_(part(source, 0));
    return true;
  }
  if (!source.is_complex()) {
    part(target, 0).copy_(source);
    part(target, 1).zero_();
    return true;
  }
  part(target, 0).copy_(part(source, 0));
  at::Tensor imaginary = part(source, 1);
  part(target, 1).copy_(source.is_conj() == target.is_conj() ? imaginary
                                                             : imaginary.neg());
  return true;
}

void onDevice(const at::Tensor &source, const at::Tensor &target) {
  bool same =
      source.scalar_type() == target.scalar_type() && sameBits(source, target);
  if (same && liesAs(source, target.strides()) && isDense(target)) {
    Allocator &allocator = Allocator::get();
    copyBytes(allocator.rangeOf(source), allocator.rangeOf(target),
              spanBytes(target), kCopy);
    return;
  }
  if (same) {
    eagerCopy(dtypeOf(source.scalar_type()) ? source : asMovable(plain(source)),
              dtypeOf(target.scalar_type()) ? target
                                            : asMovable(plain(target)));
    return;
  }
  if (dtypeOf(source.scalar_type()) && dtypeOf(target.scalar_type()) &&
      !source.is_neg() && !target.is_neg()) {
    eagerCopy(source, target);
    return;
  }
  if (copyParts(source, target))
    return;
  // A conversion that the device has not.
  noteFallback("aten::copy_", std::string("from ") +
                                  c10::toString(source.scalar_type()) + " to " +
                                  c10::toString(target.scalar_type()));
  toDevice(toHost(source), target, false);
}

} // namespace

at::Tensor device::toHost(const at::Tensor &tensor) {
  at::Tensor result = at::Tensor(
      at::detail::empty_cpu(tensor.sizes(), tensor.scalar_type(), std::nullopt,
                            std::nullopt, std::nullopt, std::nullopt));
  copyFrom(tensor, result, false);
  return result;
}

at::Tensor device::copyFrom(const at::Tensor &source, const at::Tensor &target,
                            bool nonBlocking) {
  TORCH_CHECK(source.sizes() == target.sizes(),
              "copy_: the shapes differ: ", source.sizes(), " and ",
              target.sizes());
  if (target.numel() == 0 || source.is_same(target))
    return target;
  if (!isNeuron(source)) {
    toDevice(source, target, nonBlocking);
    return target;
  }
  if (isNeuron(target) && source.device() == target.device()) {
    at::assert_no_internal_overlap(target);
    onDevice(source, target);
    return target;
  }
  // Elements that do not lie densely are gathered on the device, unless their
  // span is hardly more than they are.
  at::Tensor dense = source;
  if (!isDense(source)) {
    size_t most = std::max<size_t>(size_t(64) << 10, 2 * source.nbytes());
    if (spanBytes(source) <= most) {
      at::Tensor bytes = plain(source);
      int64_t count = spanBytes(bytes) / bytes.element_size();
      at::Tensor flat = bytes.as_strided({count}, {1});
      at::Tensor host = readAll(flat, std::nullopt)
                            .as_strided(source.sizes(), source.strides(), 0);
      setBits(host, source);
      if (isNeuron(target))
        toDevice(host, target, false);
      else
        target.copy_(host);
      return target;
    }
    dense =
        emptyStrided(source.sizes(), c10::contiguous_strides(source.sizes()),
                     source.scalar_type(), resolve(source.device()));
    setBits(dense, source);
    onDevice(source, dense);
  }
  if (isNeuron(target)) // another one
    toDevice(toHost(dense), target, false);
  else
    toHostFrom(dense, target, nonBlocking);
  return target;
}

at::Tensor device::copyFromAndResize(const at::Tensor &source,
                                     const at::Tensor &target) {
  if (source.sizes() != target.sizes())
    target.resize_(source.sizes());
  return copyFrom(source, target, false);
}
