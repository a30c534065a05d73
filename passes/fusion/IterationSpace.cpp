//===- IterationSpace.cpp - unification of iteration spaces ---------------===//
#include "passes/fusion/IterationSpace.h"
#include "llvm/ADT/STLExtras.h"
#include <cassert>

using namespace neuron::fusion;
using llvm::ArrayRef;
using llvm::SmallVector;

void IterationSpace::cover(Mask mask) {
  auto *place = llvm::lower_bound(covers, mask);
  if (place == covers.end() || *place != mask)
    covers.insert(place, mask);
}

int64_t IterationSpace::elements(Mask mask) const {
  int64_t count = 1;
  for (unsigned d = 0; d < sizes.size(); ++d)
    if (mask >> d & 1)
      count *= sizes[d];
  return count;
}

SmallVector<Mask, maxRank> IterationSpace::runs(Mask mask,
                                                ArrayRef<int64_t> shape) const {
  SmallVector<Mask, maxRank> result;
  unsigned d = 0;
  for (int64_t size : shape) {
    Mask run = 0;
    for (int64_t product = 1; product != size && d < sizes.size(); ++d) {
      if (!(mask >> d & 1))
        continue;
      run |= Mask(1u << d);
      product *= sizes[d];
    }
    result.push_back(run);
  }
  return result;
}

std::optional<Mask> IterationSpace::split() const {
  std::optional<Mask> side = columns;
  for (Mask cover : covers) {
    if (cover == 0 || cover == all())
      continue;
    if (!side)
      side = cover;
    if (cover != *side && cover != (all() ^ *side))
      return std::nullopt;
  }
  return side.value_or(0);
}

void IterationSpace::remapMasks(const Remap &remap) {
  for (Mask &cover : covers)
    cover = remap(cover);
  llvm::sort(covers);
  covers.erase(llvm::unique(covers), covers.end());
  if (columns)
    columns = remap(*columns);
  whole = remap(whole);
  if (product)
    product = Product{remap(product->along), remap(product->batch)};
}

Remap IterationSpace::splitDim(unsigned d, int64_t outer) {
  assert(sizes.size() < maxRank && sizes[d] % outer == 0);
  Remap remap;
  for (unsigned i = 0; i < sizes.size(); ++i)
    remap.to[i] = Mask(1u << (i > d ? i + 1 : i));
  remap.to[d] |= Mask(1u << (d + 1));
  int64_t inner = sizes[d] / outer;
  sizes[d] = outer;
  sizes.insert(sizes.begin() + d + 1, inner);
  remapMasks(remap);
  return remap;
}

std::string IterationSpace::str() const {
  std::string text;
  for (int64_t size : sizes)
    text += (text.empty() ? "" : "x") + std::to_string(size);
  return text.empty() ? "scalar" : text;
}

namespace {

/// One side of a unification.
struct Side {
  IterationSpace space;
  Remap remap = Remap::identity();
  /// The other side's dimension for each dimension, or -1.
  SmallVector<int, maxRank> match;
};

class Unifier {
public:
  Unifier(const IterationSpace &first, const IterationSpace &second) {
    sides[0].space = first;
    sides[1].space = second;
    for (Side &side : sides)
      side.match.assign(side.space.sizes.size(), -1);
  }
  Unified run(ArrayRef<Link> links);

private:
  Side sides[2];
  std::string failure;

  bool fail(std::string why) {
    failure = std::move(why);
    return false;
  }
  bool split(unsigned which, unsigned dim, int64_t outer);
  bool splitOne(unsigned which, unsigned dim, int64_t outer);
  bool join(unsigned first, unsigned second);
  bool link(Mask first, Mask second);
  bool matchRest();
};

bool Unifier::splitOne(unsigned which, unsigned dim, int64_t outer) {
  Side &side = sides[which], &other = sides[1 - which];
  if (side.space.whole >> dim & 1)
    return fail("an iota runs along a dimension that would have to be split");
  if (side.space.sizes.size() == maxRank)
    return fail(tooManyDimensions);
  side.remap = side.remap.then(side.space.splitDim(dim, outer));
  for (int &m : other.match)
    if (m > int(dim))
      ++m;
  side.match.insert(side.match.begin() + dim + 1, -1);
  return true;
}

/// Splits a dimension, and with it the one that it is matched with.
bool Unifier::split(unsigned which, unsigned dim, int64_t outer) {
  int partner = sides[which].match[dim];
  if (!splitOne(which, dim, outer))
    return false;
  if (partner < 0)
    return true;
  if (!splitOne(1 - which, partner, outer))
    return false;
  for (unsigned part = 0; part < 2; ++part) {
    sides[which].match[dim + part] = partner + part;
    sides[1 - which].match[partner + part] = dim + part;
  }
  return true;
}

bool Unifier::join(unsigned first, unsigned second) {
  int &there = sides[0].match[first], &back = sides[1].match[second];
  if (there == int(second))
    return true;
  if (there >= 0 || back >= 0)
    return fail("values are used along other dimensions");
  there = second;
  back = first;
  return true;
}

unsigned nextDim(Mask mask, unsigned from) {
  unsigned rest = from < maxRank ? mask >> from : 0;
  return rest ? from + std::countr_zero(rest) : maxRank;
}

/// Joins the dimensions of one value in both spaces. A split moves the
/// dimensions, so the walk starts again after it; joins made stay valid.
bool Unifier::link(Mask first, Mask second) {
  while (true) {
    Mask a = sides[0].remap(first), b = sides[1].remap(second);
    unsigned i = nextDim(a, 0), j = nextDim(b, 0);
    for (; i < maxRank && j < maxRank;
         i = nextDim(a, i + 1), j = nextDim(b, j + 1)) {
      if (sides[0].space.sizes[i] != sides[1].space.sizes[j])
        break;
      if (!join(i, j))
        return false;
    }
    if (i == maxRank || j == maxRank)
      return true;
    int64_t outer = std::min(sides[0].space.sizes[i], sides[1].space.sizes[j]);
    unsigned which = sides[0].space.sizes[i] == outer ? 1 : 0;
    unsigned dim = which == 0 ? i : j;
    if (outer == 0 || sides[which].space.sizes[dim] % outer != 0)
      return fail("a reshape mixes dimensions");
    if (!split(which, dim, outer))
      return false;
  }
}

/// Loops that no shared value ties together are identified in order where
/// their sizes agree, for example those of two reductions of equal length.
bool Unifier::matchRest() {
  SmallVector<unsigned, maxRank> rest[2];
  for (unsigned s = 0; s < 2; ++s)
    for (unsigned d = 0; d < sides[s].match.size(); ++d)
      if (sides[s].match[d] < 0)
        rest[s].push_back(d);
  if (!rest[0].empty() && !rest[1].empty()) {
    bool equal = rest[0].size() == rest[1].size();
    for (unsigned k = 0; equal && k < rest[0].size(); ++k)
      equal =
          sides[0].space.sizes[rest[0][k]] == sides[1].space.sizes[rest[1][k]];
    if (!equal)
      return fail("the iteration spaces differ: " + sides[0].space.str() +
                  " and " + sides[1].space.str());
    for (auto [i, j] : llvm::zip(rest[0], rest[1]))
      if (!join(i, j))
        return false;
  }
  int last = -1;
  for (int m : sides[0].match) {
    if (m < 0)
      continue;
    if (m <= last)
      return fail("dimensions are used in another order");
    last = m;
  }
  return true;
}

/// Products of one batch each can stand beside those of several.
bool joinProducts(IterationSpace &space,
                  const std::optional<IterationSpace::Product> &other) {
  if (!other)
    return true;
  if (!space.product) {
    space.product = other;
    return true;
  }
  IterationSpace::Product &own = *space.product;
  if (own.batch && other->batch && own.batch != other->batch)
    return false;
  own.batch |= other->batch;
  // Different masks cannot both be all.
  own.along &= other->along;
  return true;
}

Unified Unifier::run(ArrayRef<Link> links) {
  Unified result;
  for (auto [first, second] : links)
    if (!link(first, second))
      break;
  if (!failure.empty() || !matchRest()) {
    result.failure = failure;
    return result;
  }
  // One side now holds every dimension of the other.
  unsigned large =
      sides[0].space.sizes.size() >= sides[1].space.sizes.size() ? 0 : 1;
  Side &small = sides[1 - large];
  Remap into;
  for (auto [d, m] : llvm::enumerate(small.match))
    into.to[d] = Mask(1u << m);
  small.space.remapMasks(into);
  small.remap = small.remap.then(into);
  result.space = sides[large].space;
  result.first = sides[0].remap;
  result.second = sides[1].remap;
  IterationSpace &space = result.space;
  for (Mask mask : small.space.covers)
    space.cover(mask);
  space.whole |= small.space.whole;
  if (space.columns && small.space.columns &&
      *space.columns != *small.space.columns) {
    result.failure = "reduces other dimensions";
    return result;
  }
  if (!space.columns)
    space.columns = small.space.columns;
  if (!joinProducts(space, small.space.product)) {
    result.failure = "its matrices are multiplied for other batches";
    return result;
  }
  if (space.product && space.product->along != space.all()) {
    result.failure = "a matrix product would be repeated";
    return result;
  }
  if (!space.split())
    result.failure = space.columns
                         ? "a value is broadcast along some rows or columns"
                         : "values are broadcast along different dimensions";
  return result;
}

} // namespace

Unified neuron::fusion::unify(const IterationSpace &first,
                              const IterationSpace &second,
                              ArrayRef<Link> links) {
  return Unifier(first, second).run(links);
}
