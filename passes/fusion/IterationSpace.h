//===- IterationSpace.h - the loops of a row kernel -------------*- C++ -*-===//
//
// A row kernel has one iteration space: an ordered list of dimensions, split
// into rows and columns. A value of the kernel runs along some of them, in
// order: that set, a bit mask, says all there is to know about its layout,
// because its shape is a regrouping of the sizes of those dimensions (a
// reshape changes the shape and not the mask). Dimensions of size 1 do not
// count. Two spaces are unified by the values that they share, splitting
// dimensions where a reshape has merged them.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "dialects/neuron/Shapes.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace neuron::fusion {

/// A set of dimensions of an iteration space.
using Mask = uint16_t;
inline constexpr unsigned maxRank = ir::kMaxRank;
inline constexpr const char *tooManyDimensions =
    "more than 16 dimensions would be needed";
static_assert(maxRank == 8 * sizeof(Mask));

/// Where the dimensions of a space went in another: one mask each.
struct Remap {
  std::array<Mask, maxRank> to{};

  Mask operator()(Mask mask) const {
    Mask result = 0;
    for (; mask; mask &= Mask(mask - 1))
      result |= to[std::countr_zero(mask)];
    return result;
  }
  static Remap identity() {
    Remap result;
    for (unsigned d = 0; d < maxRank; ++d)
      result.to[d] = Mask(1u << d);
    return result;
  }
  /// First this one, then `next`.
  Remap then(const Remap &next) const {
    Remap result;
    for (unsigned d = 0; d < maxRank; ++d)
      result.to[d] = next(to[d]);
    return result;
  }
};

struct IterationSpace {
  /// Sizes of the dimensions, outermost first; none is 1.
  llvm::SmallVector<int64_t, maxRank> sizes;
  /// Which masks the computed values have: sorted, each once. See cover().
  llvm::SmallVector<Mask, 4> covers;
  /// The column dimensions, once a reduction has fixed them.
  std::optional<Mask> columns;
  /// Dimensions that must not be split, because an iota runs along them.
  Mask whole = 0;
  /// Matrix products of the space: the dimensions that each of them runs along,
  /// which must be all, and those of a batch of several matrices.
  struct Product {
    Mask along = 0, batch = 0;
  };
  std::optional<Product> product;

  /// Notes that a computed value has this mask.
  void cover(Mask mask);
  Mask all() const { return Mask((1u << sizes.size()) - 1); }
  /// Number of elements along the dimensions of `mask`.
  int64_t elements(Mask mask) const;
  /// The dimensions that each dimension of `shape` runs along, given that a
  /// value of this shape runs along `mask`; empty for a size of 1.
  llvm::SmallVector<Mask, maxRank> runs(Mask mask,
                                        llvm::ArrayRef<int64_t> shape) const;
  /// Rows or columns, if the covers and columns allow exactly the forms full,
  /// statistic, row-invariant and scalar; nullopt if they do not.
  std::optional<Mask> split() const;
  /// Splits dimension d into an outer one of size `outer` and the rest.
  Remap splitDim(unsigned d, int64_t outer);
  /// Applies a remapping of the masks; `sizes` are the caller's to change.
  void remapMasks(const Remap &remap);
  std::string str() const;
};

/// One value in two spaces: the masks it has in the first and in the second.
using Link = std::pair<Mask, Mask>;

struct Unified {
  IterationSpace space;
  Remap first, second;
  /// Why the spaces do not unify; empty if they do.
  std::string failure;
  explicit operator bool() const { return failure.empty(); }
};

/// The least space that holds both, with the linked values in one place.
Unified unify(const IterationSpace &first, const IterationSpace &second,
              llvm::ArrayRef<Link> links);

} // namespace neuron::fusion
