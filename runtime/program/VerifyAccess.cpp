//===- VerifyAccess.cpp - windows of HBM ----------------------------------===//
//
// A DMA sees its tensor as a matrix. The whole matrix must lie in the tensor,
// and its window in the matrix for every value of the loop counters.
//
//===----------------------------------------------------------------------===//
#include "runtime/program/Injective.h"
#include "runtime/program/Interval.h"
#include "runtime/program/VerifyContext.h"

namespace neuron::program {
namespace {

/// The product of the sizes, or nothing if a size is not positive or the
/// product too large.
std::optional<int64_t> volumeOf(const std::vector<int64_t> &sizes) {
  int64_t volume = 1;
  for (int64_t size : sizes)
    if (size < 1 || __builtin_mul_overflow(volume, size, &volume))
      return std::nullopt;
  return volume;
}

bool verifyDims(VerifyContext &context, const std::vector<int64_t> &sizes,
                const std::vector<int64_t> &strides) {
  return context.require(
      sizes.size() == strides.size() && sizes.size() <= kMaxRank, Rule::Windows,
      "its window has too many sizes, or not one stride "
      "for each of them");
}

/// Rows or columns [start, start + extent) exist in all iterations.
bool verifyRange(VerifyContext &context, const Affine &start, int64_t extent,
                 const std::vector<int64_t> &sizes, const char *what) {
  auto volume = volumeOf(sizes);
  if (!volume)
    return context.fail(Rule::Windows, std::string(what) +
                                           " of its window have no valid size");
  if (!verifyAffine(context, start, what))
    return false;
  Interval bounds = *boundsOf(start, context.counts);
  if (bounds.low < 0 || bounds.high > *volume - extent)
    return context.fail(Rule::Windows,
                        std::string(what) + " " + std::to_string(bounds.low) +
                            " to " + std::to_string(bounds.high) + " and the " +
                            std::to_string(extent) + " from there, of " +
                            std::to_string(*volume));
  return true;
}

} // namespace

bool verifyAccess(VerifyContext &context, int64_t elems) {
  const Instruction &instruction = *context.instruction;
  const HbmAccess &access = instruction.hbm;
  if (access.tensor >= context.program.tensors.size())
    return context.fail(Rule::Windows, "its tensor does not exist");
  const Tensor &tensor = context.program.tensors[access.tensor];

  if (!verifyDims(context, access.rowSizes, access.rowStrides) ||
      !verifyDims(context, access.colSizes, access.colStrides) ||
      !verifyRange(context, access.row, instruction.parts, access.rowSizes,
                   "rows") ||
      !verifyRange(context, access.column, elems, access.colSizes, "columns"))
    return false;

  std::optional<Interval> reach = Interval{access.offset, access.offset};
  for (size_t i = 0; i < access.rowSizes.size(); ++i)
    reach = extend(reach, access.rowStrides[i], access.rowSizes[i]);
  for (size_t i = 0; i < access.colSizes.size(); ++i)
    reach = extend(reach, access.colStrides[i], access.colSizes[i]);
  if (!instruction.isIndexed() && (access.indexStride || access.indexBound))
    return context.fail(Rule::Windows, "it has no index");
  if (instruction.isIndexed()) {
    if (access.indexBound < 1)
      return context.fail(Rule::Windows, "no index is within its bound");
    reach = extend(reach, access.indexStride, access.indexBound);
  }
  if (!reach || reach->low < 0 || reach->high >= tensor.span)
    return context.fail(Rule::Windows,
                        "its window leaves tensor '" + tensor.name + "' of " +
                            std::to_string(tensor.span) + " elements");

  if (!instruction.writesHbm())
    return true;
  if (tensor.kind != TensorKind::Output && tensor.kind != TensorKind::Scratch)
    return context.fail(Rule::Direction,
                        "it stores to tensor '" + tensor.name + "'");
  // A scatter writes one element after the other.
  if (instruction.isIndexed())
    return true;
  return context.require(isInjective(access), Rule::Distinct,
                         "its window's strides overlap");
}

} // namespace neuron::program
