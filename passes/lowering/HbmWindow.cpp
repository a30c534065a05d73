//===- HbmWindow.cpp ------------------------------------------------------===//
#include "passes/lowering/HbmWindow.h"

using namespace mlir;
using namespace neuron;
using namespace neuron::lowering;

/// Adds a dimension, merged with the one outside it if they lie as one.
static void append(SmallVector<int64_t> &sizes, SmallVector<int64_t> &strides,
                   int64_t size, int64_t stride) {
  if (!sizes.empty() && strides.back() == stride * size) {
    sizes.back() *= size;
    strides.back() = stride;
    return;
  }
  sizes.push_back(size);
  strides.push_back(stride);
}

HbmWindow lowering::windowOf(const KernelSpace &space, Value value,
                             const HbmValue &place, int64_t tileRows) {
  HbmWindow window;
  window.variable = place.variable;
  window.offset = place.layout.offset;
  ArrayRef<int64_t> sizes = space.getSizes();
  SmallVector<int64_t> strides(sizes.size(), 0);
  auto shape = cast<RankedTensorType>(value.getType()).getShape();
  for (size_t i = 0; i < shape.size(); ++i)
    if (shape[i] != 1)
      strides[sizes.size() - shape.size() + i] = place.layout.strides[i];
  bool columns = space.hasColumns(value), rows = space.hasRows(value);
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == 1)
      continue;
    if (space.isColumn(i) && columns)
      append(window.colSizes, window.colStrides, sizes[i], strides[i]);
    else if (!space.isColumn(i) && rows)
      append(window.rowSizes, window.rowStrides, sizes[i], strides[i]);
  }
  // Values without rows or columns: one element, repeated.
  if (window.rowSizes.empty())
    append(window.rowSizes, window.rowStrides, rows ? 1 : tileRows, 0);
  if (window.colSizes.empty())
    append(window.colSizes, window.colStrides, 1, 0);
  return window;
}

HbmWindow lowering::windowOf(const HbmValue &place, ArrayRef<unsigned> rowDims,
                             ArrayRef<unsigned> columnDims) {
  HbmWindow window;
  window.variable = place.variable;
  window.offset = place.layout.offset;
  ArrayRef<int64_t> sizes = place.layout.sizes, strides = place.layout.strides;
  for (unsigned dim : rowDims)
    if (sizes[dim] != 1)
      append(window.rowSizes, window.rowStrides, sizes[dim], strides[dim]);
  for (unsigned dim : columnDims)
    if (sizes[dim] != 1)
      append(window.colSizes, window.colStrides, sizes[dim], strides[dim]);
  if (window.rowSizes.empty())
    append(window.rowSizes, window.rowStrides, 1, 0);
  if (window.colSizes.empty())
    append(window.colSizes, window.colStrides, 1, 0);
  return window;
}

template <typename Dma>
static void createDma(OpBuilder &b, Location loc, ValueRange srcs,
                      ValueRange outs, const Transfer &transfer) {
  const HbmWindow &window = transfer.window;
  auto array = [&](ArrayRef<int64_t> values) {
    return b.getDenseI64ArrayAttr(values);
  };
  Dma::create(b, loc, srcs, outs,
              nisa::EngineAttr::get(b.getContext(), transfer.engine),
              b.getI64IntegerAttr(transfer.parts), ArrayAttr(), ArrayAttr(),
              UnitAttr(), window.variable, b.getI64IntegerAttr(transfer.queue),
              b.getI64IntegerAttr(window.offset), array(window.rowSizes),
              array(window.rowStrides), array(window.colSizes),
              array(window.colStrides), array(transfer.row),
              array(transfer.column));
}

void lowering::createLoad(OpBuilder &b, Location loc, Value tile,
                          const Transfer &transfer) {
  createDma<nisa::DmaLoadOp>(b, loc, ValueRange(), ValueRange{tile}, transfer);
}

void lowering::createStore(OpBuilder &b, Location loc, Value tile,
                           const Transfer &transfer) {
  createDma<nisa::DmaStoreOp>(b, loc, ValueRange{tile}, ValueRange(), transfer);
}
