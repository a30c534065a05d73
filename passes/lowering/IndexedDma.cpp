//===- IndexedDma.cpp - gathers and scatters of a row kernel --------------===//
#include "passes/lowering/IndexedDma.h"

using namespace mlir;
using namespace neuron;
using namespace neuron::lowering;

HbmWindow lowering::indexedWindow(const KernelSpace &space,
                                  const HbmValue &place, bool rows,
                                  bool columns, int64_t tileRows) {
  HbmWindow window;
  window.variable = place.variable;
  window.offset = place.layout.offset;
  ArrayRef<int64_t> sizes = space.getSizes();
  ArrayRef<int64_t> rest = ArrayRef(place.layout.sizes).drop_front();
  ArrayRef<int64_t> strides = ArrayRef(place.layout.strides).drop_front();
  size_t lead = sizes.size() - rest.size();
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == 1)
      continue;
    int64_t stride = i >= lead && rest[i - lead] != 1 ? strides[i - lead] : 0;
    if (space.isColumn(i) && columns) {
      window.colSizes.push_back(sizes[i]);
      window.colStrides.push_back(stride);
    } else if (!space.isColumn(i) && rows) {
      window.rowSizes.push_back(sizes[i]);
      window.rowStrides.push_back(stride);
    }
  }
  if (window.rowSizes.empty()) {
    window.rowSizes.push_back(rows ? 1 : tileRows);
    window.rowStrides.push_back(0);
  }
  if (window.colSizes.empty()) {
    window.colSizes.push_back(1);
    window.colStrides.push_back(0);
  }
  return window;
}

namespace {

/// The attributes that gathers and scatters share.
class Attributes {
public:
  Attributes(OpBuilder &b, const HbmWindow &window, const HbmValue &place,
             IndexedPlace at)
      : b(b), window(window), place(place), at(at) {}

  void add(OperationState &state, unsigned srcs, unsigned outs) const {
    auto array = [&](ArrayRef<int64_t> values) {
      return b.getDenseI64ArrayAttr(values);
    };
    auto number = [&](int64_t value) { return b.getI64IntegerAttr(value); };
    auto engine = nisa::EngineAttr::get(b.getContext(), nisa::Engine::GpSimd);
    state.addAttribute(
        "operandSegmentSizes",
        b.getDenseI32ArrayAttr({int32_t(srcs), int32_t(outs), 1}));
    state.addAttribute("engine", engine);
    state.addAttribute("parts", number(at.parts));
    state.addAttribute("queue", number(at.queue));
    state.addAttribute("hbm_offset", number(window.offset));
    state.addAttribute("row_sizes", array(window.rowSizes));
    state.addAttribute("row_strides", array(window.rowStrides));
    state.addAttribute("col_sizes", array(window.colSizes));
    state.addAttribute("col_strides", array(window.colStrides));
    state.addAttribute("row", array(at.row));
    state.addAttribute("column", array(at.column));
    state.addAttribute("index_stride", number(place.layout.strides.front()));
    state.addAttribute("index_bound", number(place.layout.sizes.front()));
  }

private:
  OpBuilder &b;
  const HbmWindow &window;
  const HbmValue &place;
  IndexedPlace at;
};

} // namespace

void lowering::createGather(OpBuilder &b, Location loc, const HbmWindow &window,
                            const HbmValue &place, Value index, Value tile,
                            IndexedPlace at) {
  OperationState state(loc, nisa::DmaGatherOp::getOperationName());
  state.addOperands({index, tile, window.variable});
  Attributes(b, window, place, at).add(state, 1, 1);
  b.create(state);
}

void lowering::createScatter(OpBuilder &b, ir::ScatterOp op,
                             const HbmWindow &window, const HbmValue &place,
                             Value index, Value updates, IndexedPlace at) {
  OperationState state(op.getLoc(), nisa::DmaScatterOp::getOperationName());
  state.addOperands({updates, index, window.variable});
  Attributes(b, window, place, at).add(state, 2, 0);
  if (op.getReduce() != "none") {
    Type element = op.getDest().getType().getElementType();
    bool isHalf = element.isF16() || element.isBF16();
    state.addAttribute("compute",
                       TypeAttr::get(isHalf ? b.getF32Type() : element));
    state.addAttribute("reduce", op.getReduceAttr());
    state.addAttribute("accumulate", b.getUnitAttr());
  }
  b.create(state);
}
