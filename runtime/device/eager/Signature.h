//===- Signature.h - what a compiled operation depends on -------*- C++ -*-===//
//
// Operator, static arguments, and of each tensor its dtype, shape, strides and
// device; of tensors of which one is written, also which are the same memory.
// Values of tensors, Python numbers among them, are no part of it.
//
//===----------------------------------------------------------------------===//
#pragma once
#include <ATen/core/stack.h>
#include <c10/util/SmallVector.h>

namespace neuron::device {

struct Signature {
  c10::SmallVector<uint64_t, 48> words;

  bool operator==(const Signature &other) const { return words == other.words; }
};

struct SignatureHash {
  size_t operator()(const Signature &signature) const {
    uint64_t hash = 0x9e3779b97f4a7c15;
    for (uint64_t word : signature.words)
      hash = (hash ^ word) * 0xff51afd7ed558ccd, hash ^= hash >> 32;
    return hash;
  }
};

/// Of a call with these arguments; nothing if an argument is of a kind that no
/// program can have.
std::optional<Signature> signatureOf(const void *op,
                                     c10::ArrayRef<c10::IValue> arguments);

/// The tensors among the arguments, in order, those in lists too.
void forEachTensor(c10::ArrayRef<c10::IValue> arguments,
                   c10::function_ref<void(const at::Tensor &)> visit);

/// Whether two tensors see the same memory in the same way.
bool isSameView(const at::Tensor &a, const at::Tensor &b);
/// Whether two tensors may have elements of the same memory that are not the
/// same elements: their bytes overlap, and they are not the same view.
bool overlapsOtherwise(const at::Tensor &a, const at::Tensor &b);

} // namespace neuron::device
