//===- EmitAddress.cpp - where elements are -------------------------------===//
#include "runtime/simulator/compiled/RowContext.h"
#include "runtime/simulator/compiled/SegmentEmitter.h"
#include <algorithm>

namespace neuron::simulator::compiled {
using namespace program;

llvm::Value *SegmentEmitter::valueOf(const Affine &affine) {
  llvm::Value *sum = builder.getInt64(affine.base);
  for (unsigned i = 0; i < kMaxLoopDepth; ++i)
    if (affine.coefficients[i] != 0)
      sum = builder.CreateAdd(
          sum, builder.CreateMul(counters[i],
                                 builder.getInt64(affine.coefficients[i])));
  return sum;
}

/// The offset of element `index` of a row or column part, dimensions that are
/// evenly spaced taken as one.
llvm::Value *SegmentEmitter::offsetIn(llvm::Value *index,
                                      const std::vector<int64_t> &sizes,
                                      const std::vector<int64_t> &strides) {
  std::vector<std::pair<int64_t, int64_t>> dims; // innermost first
  for (size_t i = sizes.size(); i-- > 0;) {
    if (sizes[i] == 1)
      continue;
    if (!dims.empty() && strides[i] == dims.back().first * dims.back().second)
      dims.back().first *= sizes[i];
    else
      dims.push_back({sizes[i], strides[i]});
  }
  llvm::Value *offset = builder.getInt64(0);
  for (size_t i = 0; i < dims.size(); ++i) {
    llvm::Value *size = builder.getInt64(dims[i].first);
    bool isLast = i + 1 == dims.size();
    llvm::Value *part = isLast ? index : builder.CreateURem(index, size);
    offset = builder.CreateAdd(
        offset, builder.CreateMul(part, builder.getInt64(dims[i].second)));
    if (!isLast)
      index = builder.CreateUDiv(index, size);
  }
  return offset;
}

llvm::Value *SegmentEmitter::hbmPointer(Index dma) {
  const HbmAccess &hbm = flow[dma].it->hbm;
  auto slot =
      std::find(segment.tensors.begin(), segment.tensors.end(), hbm.tensor) -
      segment.tensors.begin();
  llvm::Type *pointer = builder.getPtrTy();
  llvm::Value *table = contextField(offsetof(RowContext, tensors), pointer);
  llvm::Value *base = builder.CreateLoad(
      pointer, builder.CreateConstGEP1_64(pointer, table, slot));
  llvm::Value *row = builder.CreateAdd(valueOf(hbm.row), partition);
  llvm::Value *offset =
      builder.CreateAdd(builder.getInt64(hbm.offset),
                        offsetIn(row, hbm.rowSizes, hbm.rowStrides));
  offset = builder.CreateAdd(
      offset, offsetIn(valueOf(hbm.column), hbm.colSizes, hbm.colStrides));
  return elementPointer(base, this->program.tensors[hbm.tensor].dtype, offset);
}

llvm::Value *SegmentEmitter::sbufPointer(const Operand &tile,
                                         const Block &block) {
  llvm::Value *offset = builder.getInt64(tile.offset);
  if (tile.buffers > 1) {
    llvm::Value *turn = builder.CreateURem(counters[block.depth - 1],
                                           builder.getInt64(tile.buffers));
    offset = builder.CreateAdd(
        offset, builder.CreateMul(turn, builder.getInt64(tile.pitch)));
  }
  return builder.CreateGEP(builder.getInt8Ty(), sbufRow, offset);
}

llvm::Value *SegmentEmitter::elementPointer(llvm::Value *base, DType dtype,
                                            llvm::Value *index) {
  return builder.CreateGEP(memoryType(dtype, context), base, index);
}

/// `count` elements of a vector of the scope's width; the others are 0.
Value SegmentEmitter::loadElements(llvm::Value *pointer, DType dtype,
                                   unsigned count) {
  EmitScope &scope = EmitScope::get();
  llvm::Type *type = scope.typeOf(memoryType(dtype, context));
  llvm::Align align(program::bytesOf(dtype));
  llvm::Value *loaded;
  if (count == scope.width) {
    loaded = builder.CreateAlignedLoad(type, pointer, align);
  } else {
    llvm::AllocaInst *staged = emitAlloca(type, "staged");
    builder.CreateStore(llvm::Constant::getNullValue(type), staged);
    builder.CreateMemCpy(staged, staged->getAlign(), pointer, align,
                         count * program::bytesOf(dtype));
    loaded = builder.CreateLoad(type, staged);
  }
  return {loaded, dtype, true, dtype == DType::Bool};
}

void SegmentEmitter::storeElements(llvm::Value *pointer, const Value &value,
                                   unsigned count) {
  EmitScope &scope = EmitScope::get();
  llvm::Type *type = scope.typeOf(memoryType(value.dtype, context));
  llvm::Align align(program::bytesOf(value.dtype));
  llvm::Value *reg = exactBits(value);
  if (value.dtype == DType::Bool && !value.bytes)
    reg = builder.CreateZExt(reg, type);
  if (count == scope.width) {
    builder.CreateAlignedStore(reg, pointer, align);
    return;
  }
  llvm::AllocaInst *staged = emitAlloca(type, "staged");
  builder.CreateStore(reg, staged);
  builder.CreateMemCpy(pointer, align, staged, staged->getAlign(),
                       count * program::bytesOf(value.dtype));
}

} // namespace neuron::simulator::compiled
