//===- DeadColumns.h - columns that a causal mask takes out -----*- C++ -*-===//
//
// Row i of causal attention sees columns up to i + c. What lies beyond is minus
// infinity before the softmax and zero behind it: it changes no maximum, no sum
// and no product, and need not be computed. Which columns these are follows
// from the comparison of two iotas that masks them, in whatever way the mask is
// made and used.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "dialects/neuron/Neuron.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace neuron::lowering {

struct DeadColumns {
  int64_t rows; ///< of a matrix: row r of the kernel is row r mod `rows` of one
  int64_t reach; ///< row i needs the columns up to i + reach, which is >= 0
};

/// The columns that change nothing, if the first `tile` rows of a matrix leave
/// some out, in multiples of `tile`, and if results `onChip` of the kernel, and
/// no others with columns, are read as left matrices of products only.
std::optional<DeadColumns> findDeadColumns(ir::KernelOp kernel,
                                           llvm::ArrayRef<unsigned> onChip,
                                           int64_t tile);

} // namespace neuron::lowering
