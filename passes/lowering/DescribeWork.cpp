//===- DescribeWork.cpp - what a kernel has to do -------------------------===//
//
// The counts are a lower bound: what depends on the data (the rows that a
// gather meets) or on a choice (a conversion that an instruction does on the
// way) counts as little as it can come to. An op is in the class of the
// cheapest instruction that Selection.cpp has for it.
//
//===----------------------------------------------------------------------===//
#include "passes/lowering/DescribeWork.h"
#include "passes/lowering/Alu.h"
#include "passes/lowering/ScalarForm.h"
#include "passes/lowering/TouchedBytes.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace neuron;
using namespace neuron::lowering;
using program::Fn;
using program::FnCost;
using report::Work;

namespace {

int64_t elementsOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getNumElements();
}

bool isWide(Type element) {
  return program::bytesOf(*nisa::dtypeOf(element)) == 8;
}

/// The field of GpSimd's operations of a class.
int64_t Work::*gpsimdField(FnCost cost, bool wide) {
  static constexpr int64_t Work::*fields[2][4] = {
      {&Work::gpsimd_simple, &Work::gpsimd_multiply, &Work::gpsimd_divide,
       &Work::gpsimd_special},
      {&Work::wide_simple, &Work::wide_multiply, &Work::wide_divide,
       &Work::wide_special}};
  return fields[wide][static_cast<unsigned>(cost)];
}

class Counter {
public:
  Counter(const StageInput &stage, double alive, double terms, Work &work)
      : stage(stage), alive(alive), terms(terms), work(work) {}

  void run() {
    DenseSet<Operation *> made(stage.selected.made.begin(),
                               stage.selected.made.end());
    ir::KernelOp kernel = stage.kernel;
    for (Operation &op : kernel.getBody().front().without_terminator())
      if (!made.contains(&op))
        count(&op);
  }

private:
  /// Work on whole rows alone takes no part in the time: another engine may do
  /// it beside all else.
  void add(int64_t Work::*field, Value of, int64_t each = 1) {
    if (stage.space.hasColumns(of))
      work.*field += int64_t(double(elementsOf(of)) * alive) * each;
  }

  void count(Operation *op) {
    Value result = op->getResult(0);
    for (Type type : op->getResultTypes())
      noteHalves(type);
    for (Type type : op->getOperandTypes())
      noteHalves(type);
    if (auto matmul = dyn_cast<ir::MatmulOp>(op))
      return countProduct(matmul);
    if (auto reduction = dyn_cast<ir::ReductionOpInterface>(op))
      return countReduction(op, reduction.getReducedOperand());
    if (isa<ir::IotaOp>(op))
      return add(&Work::counted, result);
    if (isa<ir::RandomOp>(op))
      return add(&Work::random, result);
    if (auto scan = dyn_cast<ir::ScanOp>(op))
      return countScan(scan, result);
    if (isa<ir::SortOp, ir::ArgsortOp>(op))
      return countSort(op);
    if (isa<ir::ElementwiseOpInterface>(op) &&
        !isa<ir::CastOp, ir::BitcastOp>(op))
      countElementwise(op, result);
  }

  void noteHalves(Type type) {
    Type element = cast<RankedTensorType>(type).getElementType();
    work.halves |= element.isF16() || element.isBF16();
  }

  void countProduct(ir::MatmulOp op) {
    double scale = stage.memory.onChip.count(op.getLhs()) ? terms : 1;
    int64_t macs =
        int64_t(double(elementsOf(op.getResult())) *
                double(llvm::product_of(op.getKSizes())) * scale * alive);
    work.flops += 2 * macs;
    (elementOf(op.getLhs()).isF32() ? work.macs32 : work.macs16) += macs;
  }

  void countReduction(Operation *op, Value input) {
    work.flops += int64_t(double(elementsOf(input)) * alive);
    Type type = elementOf(input);
    if (type.isF32() && isa<ir::SumOp>(op))
      return; // rides on an activation
    if (type.isF32() && isa<ir::MaxOp>(op) && op->hasAttr("ignore_nan"))
      return add(&Work::maxima, input);
    bool isTest = isa<ir::AnyOp, ir::AllOp>(op);
    add(gpsimdField(isa<ir::ProdOp>(op) ? FnCost::Multiply : FnCost::Simple,
                    !isTest && isWide(type)),
        input);
  }

  void countScan(ir::ScanOp scan, Value result) {
    work.flops += elementsOf(result);
    StringRef kind = scan.getKind();
    FnCost cost = kind == "logaddexp" ? FnCost::Special
                  : kind == "prod"    ? FnCost::Multiply
                                      : FnCost::Simple;
    Type type = elementOf(result); // f32 is added up in f64
    add(gpsimdField(cost, type.isF32() || isWide(type)), result);
  }

  /// Values and indices of one order are made at once.
  void countSort(Operation *op) {
    Value input = op->getOperand(0);
    bool withValues = isa<ir::ArgsortOp>(op) &&
                      llvm::any_of(input.getUsers(), [](Operation *user) {
                        return isa<ir::SortOp>(user);
                      });
    int64_t columns = stage.space.columns();
    if (withValues || columns < 2)
      return;
    int64_t stages = llvm::Log2_64_Ceil(columns);
    int64_t steps = stages * (stages + 1) / 2;
    work.flops += elementsOf(input) * steps;
    add(&Work::sort_steps, input, steps);
  }

  void countElementwise(Operation *op, Value result) {
    work.flops += int64_t(double(elementsOf(result)) * alive);
    Fn fn = cast<ir::ElementwiseOpInterface>(op).getFn();
    const program::FnInfo &info = program::info(fn);
    Type type = elementOf(op->getOperands().back());
    if (fn == Fn::select && program::bytesOf(*nisa::dtypeOf(type)) <= 4) {
      // One that is rounded on the way may go to another engine.
      if (llvm::none_of(result.getUsers(), llvm::IsaPred<ir::CastOp>))
        add(&Work::selects, result);
      return;
    }
    if (isActivation(op) && info.cost == FnCost::Special)
      return add(&Work::special, result);
    if (fn == Fn::reciprocal && type.isF32())
      return add(&Work::reciprocals, result);
    std::optional<Alu> alu = asAlu(op);
    if (alu && fitsF32(type)) {
      bool columns = stage.space.hasColumns(result);
      bool withScalar = alu->a == alu->b ||
                        isScalar(alu->a, columns, stage.space) ||
                        isScalar(alu->b, columns, stage.space);
      return add(withScalar ? &Work::with_scalar : &Work::with_tensor, result);
    }
    if (isActivation(op))
      return add(&Work::with_scalar, result);
    add(gpsimdField(program::info(alu ? alu->fn : fn).cost, isWide(type)),
        result);
  }

  const StageInput &stage;
  double alive; ///< part of the elements that a mask leaves
  double terms; ///< of the products of what the kernel before leaves on chip
  Work &work;
};

} // namespace

/// The part of a matrix's elements that is not dead.
static double aliveElements(const StageInput &stage) {
  if (!stage.dead)
    return 1;
  int64_t columns = stage.space.columns(), alive = 0;
  for (int64_t row = 0; row < stage.dead->rows; ++row)
    alive += std::min(columns, row + stage.dead->reach + 1);
  return double(alive) / double(columns * stage.dead->rows);
}

/// The part of the columns that some row sees.
static double aliveColumns(const StageInput &stage) {
  if (!stage.dead)
    return 1;
  int64_t columns = stage.space.columns();
  return double(std::min(columns, stage.dead->rows + stage.dead->reach)) /
         double(columns);
}

Work lowering::describeWork(ArrayRef<StageInput> stages) {
  Work work;
  TouchedBytes touched;
  double elementsBefore = 1, columnsBefore = 1;
  for (const StageInput &stage : stages) {
    double elements = aliveElements(stage), columns = aliveColumns(stage);
    Counter(stage, elements, elementsBefore, work).run();
    // Of what a mask takes out no operand need be read, either.
    touched.add(stage, {std::min(columns, columnsBefore), elements});
    elementsBefore = elements;
    columnsBefore = columns;
  }
  work.hbm_bytes = touched.bytes();
  return work;
}

DictionaryAttr lowering::workAttr(MLIRContext *context, const Work &work) {
  Builder b(context);
  NamedAttrList list;
#define NEURON_WORK(field, meaning)                                            \
  if (work.field)                                                              \
    list.set(#field, b.getI64IntegerAttr(work.field));
#include "compiler/report/Work.def"
  return list.getDictionary(context);
}

Work lowering::workOf(DictionaryAttr attribute) {
  Work work;
#define NEURON_WORK(field, meaning)                                            \
  if (auto value = attribute.getAs<IntegerAttr>(#field))                       \
    work.field = value.getInt();
#include "compiler/report/Work.def"
  return work;
}
