//===- TouchedBytes.cpp - the bytes of HBM that kernels need --------------===//
#include "passes/lowering/TouchedBytes.h"
#include "passes/lowering/Alu.h"
#include "passes/lowering/ScatterDest.h"

using namespace mlir;
using namespace neuron;
using namespace neuron::lowering;

static int64_t elementsOf(Value value) {
  return cast<ShapedType>(value.getType()).getNumElements();
}

static int64_t elementBytes(Value value) {
  Type element = cast<ShapedType>(value.getType()).getElementType();
  return program::bytesOf(*nisa::dtypeOf(element));
}

int64_t lowering::distinctElements(const StridedLayout &layout) {
  SmallVector<std::pair<int64_t, int64_t>> dims; // stride, size
  for (auto [size, stride] : llvm::zip(layout.sizes, layout.strides)) {
    if (size == 0)
      return 0;
    if (size != 1 && stride != 0)
      dims.emplace_back(std::abs(stride), size);
  }
  llvm::sort(dims);
  int64_t count = 1, extent = 1; // elements, and from the first to the last
  for (auto [stride, size] : dims) {
    int64_t next = extent + (size - 1) * stride;
    if (stride >= extent)
      count *= size;
    else if (count == extent)
      count = next; // without gaps, and so it stays
    else
      count = std::max(count, size);
    extent = next;
  }
  return count;
}

void TouchedBytes::note(Value variable, const StridedLayout &layout,
                        int64_t elements) {
  Read &read = reads[variable];
  read.all = elementsOf(variable);
  read.elementBytes = elementBytes(variable);
  for (const StridedLayout &old : read.seen)
    if (old.offset == layout.offset && old.sizes == layout.sizes &&
        old.strides == layout.strides)
      return;
  read.seen.push_back(layout);
  read.elements += elements;
}

/// What the users of `value`, which lies as `layout` says, see of it.
void TouchedBytes::read(Value value, Value variable,
                        const StridedLayout &layout, const StageInput &stage,
                        Part part) {
  double needed = 0;
  for (OpOperand &use : value.getUses()) {
    Operation *op = use.getOwner();
    // The lhs of a product may be left on chip by the kernel before.
    if (isa<ir::MatmulOp>(op) && use.getOperandNumber() == 0 &&
        stage.memory.onChip.count(value))
      continue;
    if (isa<ir::ViewOpInterface>(op)) {
      if (std::optional<StridedLayout> view = viewed(layout, op))
        read(op->getResult(0), variable, *view, stage, part);
      continue;
    }
    if (isa<ir::GatherOp>(op) && use.getOperandNumber() == 0) {
      note(variable, layout,
           std::min(distinctElements(layout), elementsOf(op->getResult(0))));
      continue;
    }
    if (isa<ir::ScatterOp>(op) && use.getOperandNumber() == 0)
      continue; // which elements are combined with others is not known
    needed =
        std::max(needed, isa<ir::MatmulOp>(op) ? part.ofMatrices : part.ofRest);
  }
  if (needed > 0)
    note(variable, layout, int64_t(double(distinctElements(layout)) * needed));
}

void TouchedBytes::add(const StageInput &stage, Part part) {
  ir::KernelOp kernel = stage.kernel;
  Block &block = kernel.getBody().front();
  for (BlockArgument argument : block.getArguments())
    if (auto place = stage.memory.read.find(argument);
        place != stage.memory.read.end())
      read(argument, place->second.variable, place->second.layout, stage, part);
  // Constants of many elements are variables, too.
  for (auto constant : block.getOps<ir::ConstantOp>())
    if (!splatOf(constant.getResult()))
      read(constant.getResult(), constant.getResult(),
           StridedLayout::dense(constant.getType().getShape()), stage, part);
  for (auto [place, result] :
       llvm::zip(stage.memory.written, kernel.getResults())) {
    if (!place.variable)
      continue; // stays on chip
    int64_t elements = elementsOf(result);
    if (ir::ScatterOp scatter = scatterOf(result))
      elements = std::min(elements, llvm::product_of(scatter.getSpace()));
    written += elements * elementBytes(result);
  }
}

int64_t TouchedBytes::bytes() const {
  int64_t sum = written;
  for (const auto &[variable, read] : reads)
    sum += std::min(read.elements, read.all) * read.elementBytes;
  return sum;
}
