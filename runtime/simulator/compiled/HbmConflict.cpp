//===- HbmConflict.cpp - can partitions meet in HBM? ----------------------===//
#include "runtime/simulator/compiled/HbmConflict.h"
#include "runtime/program/Injective.h"
#include "runtime/program/Interval.h"
#include "runtime/simulator/compiled/Plan.h"
#include <algorithm>
#include <numeric>

namespace neuron::simulator::compiled {
using program::Affine;
using program::Instruction;
using program::Interval;

namespace {

/// The first and last element of a tensor that an access can touch.
Interval reachOf(const HbmAccess &access) {
  std::optional<Interval> reach = Interval{access.offset, access.offset};
  for (size_t i = 0; i < access.rowSizes.size(); ++i)
    reach = extend(reach, access.rowStrides[i], access.rowSizes[i]);
  for (size_t i = 0; i < access.colSizes.size(); ++i)
    reach = extend(reach, access.colStrides[i], access.colSizes[i]);
  if (access.indexBound)
    reach = extend(reach, access.indexStride, access.indexBound);
  return *reach; // verify found it inside the tensor
}

bool isSameMatrix(const HbmAccess &a, const HbmAccess &b) {
  return a.tensor == b.tensor && a.offset == b.offset &&
         a.rowSizes == b.rowSizes && a.rowStrides == b.rowStrides &&
         a.colSizes == b.colSizes && a.colStrides == b.colStrides;
}

/// Whether row(a, p) == row(b, q) implies p == q: modulo some M >= parts both
/// rows are the partition plus the same constant.
bool rowsTellPartitions(const CountedAccess &a, const CountedAccess &b,
                        unsigned fixed) {
  const Affine &ra = a.dma->hbm.row, &rb = b.dma->hbm.row;
  int64_t modulus = ra.base - rb.base;
  for (unsigned i = 0; i < program::kMaxLoopDepth; ++i) {
    // A common counter moves both alike.
    int64_t ca = ra.coefficients[i], cb = rb.coefficients[i];
    if (i < fixed) {
      modulus = std::gcd(modulus, ca - cb);
      continue;
    }
    if (i < a.counts.size() && a.counts[i] > 1)
      modulus = std::gcd(modulus, ca);
    if (i < b.counts.size() && b.counts[i] > 1)
      modulus = std::gcd(modulus, cb);
  }
  int64_t parts = std::max(a.dma->parts, b.dma->parts);
  return modulus == 0 || modulus >= parts;
}

} // namespace

bool mayMeetAcrossPartitions(const CountedAccess &a, const CountedAccess &b,
                             unsigned fixed) {
  const HbmAccess &x = a.dma->hbm, &y = b.dma->hbm;
  // A scatter goes through its elements in order, over all partitions and
  // iterations.
  bool isOrdered = a.dma->opcode == program::Opcode::DmaScatter ||
                   b.dma->opcode == program::Opcode::DmaScatter;
  if (!isOrdered && a.dma->parts == 1 && b.dma->parts == 1)
    return false; // both are partition 0
  Interval first = reachOf(x), second = reachOf(y);
  if (x.tensor == y.tensor &&
      (first.high < second.low || second.high < first.low))
    return false;
  if (a.dma->isIndexed() || b.dma->isIndexed())
    return true;
  if (!isSameMatrix(x, y) || !isInjective(x))
    return true;
  return !rowsTellPartitions(a, b, fixed);
}

bool haveDistinctColumns(const Instruction &a, const Instruction &b) {
  const HbmAccess &x = a.hbm, &y = b.hbm;
  if (a.isIndexed() || b.isIndexed())
    return false;
  if (!isSameMatrix(x, y) || !isInjective(x) || !(x.row == y.row) ||
      x.column.coefficients != y.column.coefficients)
    return false;
  int64_t distance = y.column.base - x.column.base;
  return distance >= elementsOf(a) || -distance >= elementsOf(b);
}

} // namespace neuron::simulator::compiled
