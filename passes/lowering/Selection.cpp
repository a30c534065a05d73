//===- Selection.cpp - instructions that cover a row kernel ---------------===//
//
// Walks the kernel backwards. A value is computed only if something wants it,
// so an op that its user swallowed (a cast that an engine does on the way, the
// multiplication inside an activation) simply is not reached. Each op is
// emitted at its own place, which is early enough for all that use it.
//
// Engines: fp32 arithmetic goes to Vector, fp32 functions to Scalar if its
// table has them for every input, all else to GpSimd, which computes any
// function in any type. Where several can, the caller's Choices say which.
//
//===----------------------------------------------------------------------===//
#include "passes/lowering/Selection.h"
#include "mlir/IR/Builders.h"
#include "passes/Interrupt.h"
#include "passes/lowering/Alu.h"
#include "passes/lowering/Choices.h"
#include "passes/lowering/ScalarForm.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace neuron;
using namespace neuron::lowering;
using nisa::Engine;
using program::Fn;
using program::Opcode;

Value Step::reduction() const {
  if (opcode == Opcode::TensorReduce || opcode == Opcode::GpsimdReduce)
    return out;
  return opcode == Opcode::Activation ? acc : Value();
}

namespace {

/// GpSimd computes half precision and 8-bit floats in f32.
Type computeType(Type element) {
  return isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32
             ? Type(Float32Type::get(element.getContext()))
             : element;
}

class Selector {
public:
  Selector(ir::KernelOp kernel, const KernelSpace &space, Choices &choices)
      : space(space), choices(choices), block(kernel.getBody().front()),
        context(kernel.getContext()) {}

  FailureOr<Selected> run() {
    auto yield = cast<ir::YieldOp>(block.getTerminator());
    Selected selected;
    for (Value value : yield.getValues())
      selected.yielded.push_back(wantYielded(value));
    for (Operation *op = yield->getPrevNode(); op; op = op->getPrevNode())
      if (failed(visit(op)))
        return failure();
    for (Value argument : llvm::reverse(block.getArguments()))
      if (wanted.contains(argument))
        loadTile(argument);
    bringMatrices();
    selected.made = std::move(made);
    selected.steps.assign(std::make_move_iterator(reversed.rbegin()),
                          std::make_move_iterator(reversed.rend()));
    return selected;
  }

private:
  //===--------------------------------------------------------------------===//
  // Values
  //===--------------------------------------------------------------------===//

  Value want(Value value) {
    wanted.insert(value);
    return value;
  }

  /// What is yielded must have a tile of its own form: a broadcast of a
  /// computed value, or a number, is written out.
  Value wantYielded(Value value) {
    Value source = strip(value);
    if (source == value || sameForm(value, source))
      return want(source);
    written.insert(value);
    return want(value);
  }

  bool sameForm(Value a, Value b) const {
    return space.hasColumns(a) == space.hasColumns(b) &&
           space.hasRows(a) == space.hasRows(b);
  }

  /// A source of an instruction that computes in `type`; conversions that the
  /// engine does by itself are looked through.
  Source use(OpFoldResult operand, Type type) {
    if (auto attribute = dyn_cast<Attribute>(operand))
      return cast<TypedAttr>(attribute);
    Value value = strip(cast<Value>(operand));
    while (auto cast = value.getDefiningOp<ir::CastOp>()) {
      Value input = strip(cast.getInput());
      if (elementOf(value) != type || splatOf(input))
        break;
      // Vector and Scalar read small types as fp32; GpSimd converts like a
      // cast.
      if (type.isF32() ? !fitsF32(elementOf(input)) && !onGpSimd : !onGpSimd)
        break;
      value = input;
    }
    if (TypedAttr number = splatOf(value))
      return converted(number, type);
    return want(value);
  }

  /// A source that instructions read once a partition; they take it as a float.
  Source useScalar(OpFoldResult operand) {
    Value value = dyn_cast<Value>(operand);
    if (!value || splatOf(value))
      return converted(value ? splatOf(value)
                             : cast<TypedAttr>(cast<Attribute>(operand)),
                       f32Type());
    value = strip(value);
    auto cast = value.getDefiningOp<ir::CastOp>();
    if (cast && elementOf(value).isF32()) {
      Value input = strip(cast.getInput());
      if (splatOf(input))
        return converted(splatOf(input), f32Type());
      if (isa<FloatType>(elementOf(input)) && fitsF32(elementOf(input)))
        return want(input);
    }
    if (isa<FloatType>(elementOf(value)))
      return want(value);
    Value &wide = widened[value];
    if (!wide) {
      // Behind its input, so that the backward walk still meets it.
      OpBuilder b(context);
      b.setInsertionPointAfterValue(value);
      auto type = mlir::cast<RankedTensorType>(value.getType());
      wide =
          ir::CastOp::create(b, value.getLoc(), type.clone(f32Type()), value);
      made.push_back(wide.getDefiningOp());
    }
    return want(wide);
  }

  /// A number in the type an instruction computes in.
  TypedAttr converted(TypedAttr number, Type type) {
    if (number.getType() == type)
      return number;
    Builder b(context);
    if (auto real = dyn_cast<FloatAttr>(number))
      if (isa<FloatType>(type))
        return b.getFloatAttr(type, real.getValueAsDouble());
    if (auto integer = dyn_cast<IntegerAttr>(number))
      if (isa<FloatType>(type)) {
        bool isUnsigned = integer.getType().isUnsignedInteger() ||
                          integer.getType().isInteger(1);
        return b.getFloatAttr(
            type, isUnsigned ? double(integer.getValue().getZExtValue())
                             : double(integer.getValue().getSExtValue()));
      }
    return number;
  }

  bool isScalar(OpFoldResult operand, bool outHasColumns) const {
    return lowering::isScalar(operand, outHasColumns, space);
  }

  Step &push(Opcode opcode, Engine engine, Operation *op, Value out) {
    Step step(opcode, engine, op ? op->getLoc() : out.getLoc());
    step.out = out;
    reversed.push_back(std::move(step));
    return reversed.back();
  }

  Type f32Type() { return Float32Type::get(context); }

  void loadTile(Value value) {
    push(Opcode::DmaLoad, Engine::Sync, nullptr, value);
  }

  /// Vector copies faster, Scalar may have more time.
  Engine copyEngine(Operation *op, Value out) {
    return space.hasColumns(out) && choices.choose(op, Choices::Copy, 2)
               ? Engine::Scalar
               : Engine::Vector;
  }

  //===--------------------------------------------------------------------===//
  // Ops
  //===--------------------------------------------------------------------===//

  LogicalResult visit(Operation *op) {
    if (op->getNumResults() != 1)
      return op->emitOpError("L3: no instruction computes this op");
    Value result = op->getResult(0);
    bool asked = sumOf.contains(result) || narrowed.contains(result);
    if (!wanted.contains(result) && !asked)
      return success();
    onGpSimd = false;
    if (isRead(result)) {
      loadTile(result);
      return success();
    }
    if (TypedAttr number = splatOf(result)) {
      push(Opcode::Memset, Engine::Vector, op, result).srcs.push_back(number);
      return success();
    }
    if (written.contains(result))
      return writeOut(op, result);
    if (auto iota = dyn_cast<ir::IotaOp>(op))
      return selectIota(iota);
    if (isa<ir::GatherOp, ir::ScatterOp, ir::ScanOp, ir::SortOp, ir::ArgsortOp,
            ir::RandomOp>(op))
      return selectProgram(op);

    // A rounding of the result that its own instruction can do.
    Value out = result;
    if (Value narrow = narrowed.lookup(result)) {
      if (wanted.contains(result)) {
        Step &copy =
            push(Opcode::TensorCopy, copyEngine(op, narrow), op, narrow);
        copy.srcs.push_back(result);
      } else {
        out = narrow;
      }
    } else if (!wanted.contains(result)) {
      out = Value();
    }
    if (auto reduction = dyn_cast<ir::ReductionOpInterface>(op))
      return selectReduction(reduction, out);
    if (auto cast = dyn_cast<ir::CastOp>(op))
      return selectCast(cast, out);
    if (isa<ir::BitcastOp>(op)) {
      Step &step = push(Opcode::TensorCopy, copyEngine(op, out), op, out);
      step.bits = true;
      addTile(reversed.size() - 1, op->getOperand(0));
      return success();
    }
    if (auto matmul = dyn_cast<ir::MatmulOp>(op)) {
      Step &step = push(Opcode::TensorCopy, Engine::Vector, op, out);
      step.matrix = Step::Matrix::Product;
      step.matmul = matmul;
      step.srcs = {matmul.getLhs(), matmul.getRhs()};
      matmuls.push_back(matmul);
      return success();
    }
    if (isa<ir::ElementwiseOpInterface>(op))
      return selectElementwise(op, out);
    return op->emitOpError("L3: no instruction computes this op");
  }

  /// A matrix of several products, in one role, is brought once.
  void bringMatrices() {
    DenseSet<std::pair<Value, int64_t>> brought[2];
    for (ir::MatmulOp matmul : matmuls)
      for (auto role : {Step::Matrix::Stationary, Step::Matrix::Moving}) {
        unsigned i = role == Step::Matrix::Moving;
        Value matrix = matmul->getOperand(i);
        if (!brought[i].insert({matrix, matmul.getContract()}).second)
          continue;
        Step step(Opcode::TensorCopy, Engine::Scalar, matmul.getLoc());
        step.out = matrix;
        step.matrix = role;
        step.matmul = matmul;
        reversed.push_back(std::move(step));
      }
  }

  LogicalResult writeOut(Operation *op, Value result) {
    Value source = strip(result);
    if (program::bytesOf(*nisa::dtypeOf(elementOf(source))) > 4)
      return gpsimd(op, Fn::identity, {source}, elementOf(source), result);
    push(Opcode::TensorCopy, copyEngine(op, result), op, result)
        .srcs.push_back(want(source));
    return success();
  }

  LogicalResult selectIota(ir::IotaOp op) {
    Value result = op.getResult();
    auto start = dyn_cast<IntegerAttr>(op.getStart());
    auto step = dyn_cast<IntegerAttr>(op.getStep());
    if (!start || !step)
      return op.emitOpError("L4: counts in integers only");
    Step &iota = push(Opcode::Iota, Engine::GpSimd, op, result);
    iota.start = start.getValue().getSExtValue();
    iota.step = step.getValue().getSExtValue();
    auto type = cast<RankedTensorType>(result.getType());
    iota.iotaDim = op.getDim() + space.getSizes().size() - type.getRank();
    if (type.getDimSize(op.getDim()) == 1)
      iota.step = 0;
    return success();
  }

  /// What GpSimd does with addresses or whole rows of its own. Operands are
  /// tiles as they are: no conversion is looked through.
  LogicalResult selectProgram(Operation *op) {
    Value result = op->getResult(0);
    if (isa<ir::SortOp, ir::ArgsortOp>(op))
      return selectSort(op);
    if (isa<ir::GatherOp>(op)) {
      push(Opcode::DmaGather, Engine::GpSimd, op, result).indexed = op;
      addTile(reversed.size() - 1, op->getOperand(1));
      return success();
    }
    if (auto scatter = dyn_cast<ir::ScatterOp>(op)) {
      Step step(Opcode::DmaScatter, Engine::GpSimd, op->getLoc());
      step.out = result;
      step.indexed = op;
      reversed.push_back(std::move(step));
      size_t index = reversed.size() - 1;
      addTile(index, scatter.getUpdates());
      addTile(index, scatter.getIndex());
      return success();
    }
    if (isa<ir::RandomOp>(op)) {
      push(Opcode::GpsimdRandom, Engine::GpSimd, op, result);
      addTile(reversed.size() - 1, op->getOperand(0));
      return success();
    }
    auto scan = cast<ir::ScanOp>(op);
    Step &step = push(Opcode::GpsimdScan, Engine::GpSimd, op, result);
    step.reduce = scan.getKind();
    step.compute = scanType(elementOf(result));
    addTile(reversed.size() - 1, writtenOut(scan.getInput()));
    return success();
  }

  /// As eager's accumulate types.
  Type scanType(Type element) {
    return element.isF32() ? Type(Float64Type::get(context))
                           : computeType(element);
  }

  void addTile(size_t step, Value value) {
    Source source = want(written.contains(value) ? value : strip(value));
    reversed[step].srcs.push_back(source);
  }

  /// A broadcast becomes as many elements as it stands for.
  Value writtenOut(Value value) {
    if (!sameForm(strip(value), value))
      written.insert(value);
    return value;
  }

  /// Values and indices of one order are made by one instruction, in the place
  /// of the first of them.
  LogicalResult selectSort(Operation *op) {
    Operation *other = nullptr;
    for (Operation *user : op->getOperand(0).getUsers())
      if (user != op && isa<ir::SortOp, ir::ArgsortOp>(user) &&
          user->getName() != op->getName() &&
          user->getAttrDictionary() == op->getAttrDictionary())
        other = user;
    if (other && other->isBeforeInBlock(op)) {
      want(other->getResult(0));
      return success();
    }
    Step step(Opcode::GpsimdSort, Engine::GpSimd, op->getLoc());
    for (Operation *part : {op, other}) {
      if (isa_and_nonnull<ir::SortOp>(part))
        step.out = part->getResult(0);
      if (isa_and_nonnull<ir::ArgsortOp>(part))
        step.acc = part->getResult(0);
    }
    step.descending = op->hasAttr("descending");
    reversed.push_back(std::move(step));
    addTile(reversed.size() - 1, writtenOut(op->getOperand(0)));
    return success();
  }

  /// Whether the conversions that `use` looks through have a broadcast between
  /// or behind them.
  bool convertsBroadcast(Value value) {
    while (auto cast = value.getDefiningOp<ir::CastOp>()) {
      Value input = strip(cast.getInput());
      if (!sameForm(input, cast.getInput()))
        return true;
      value = input;
    }
    return false;
  }

  LogicalResult selectReduction(ir::ReductionOpInterface op, Value out) {
    Value input = strip(op.getReducedOperand());
    if (!sameForm(input, op.getReducedOperand())) {
      // A broadcast is reduced: as many elements as it stands for.
      input = op.getReducedOperand();
      written.insert(input);
    }
    Type type = elementOf(input);
    bool isSum = isa<ir::SumOp>(op);
    bool isVectorMax = isa<ir::MaxOp>(op) && op->hasAttr("ignore_nan");
    // A reduction reads a tile: what is broadcast or a number is written out.
    bool isWritten =
        written.contains(input) || splatOf(input) || convertsBroadcast(input);
    if (type.isF32() && isSum && !isWritten && elementOf(out).isF32() &&
        sumByActivation(op, input, out))
      return success();
    if (type.isF32() && (isSum || isVectorMax)) {
      Step &step = push(Opcode::TensorReduce, Engine::Vector, op, out);
      step.fns.push_back(isSum ? Fn::add : Fn::hw_max);
      Source source = isWritten ? Source(want(input)) : use(input, type);
      reversed.back().srcs.push_back(source);
      return success();
    }
    StringRef name = op->getName().stripDialect();
    Step &step = push(Opcode::GpsimdReduce, Engine::GpSimd, op, out);
    step.compute = isa<ir::AnyOp, ir::AllOp>(op)
                       ? Type(IntegerType::get(context, 1))
                       : computeType(type);
    step.reduce = name;
    step.srcs.push_back(want(input));
    return success();
  }

  /// Whether an instruction that reads the value reads all its columns: the
  /// tile behind conversions and broadcasts may have one column for all of
  /// them.
  bool readsColumns(OpFoldResult operand) const {
    Value value = strip(cast<Value>(operand));
    while (auto cast = value.getDefiningOp<ir::CastOp>())
      value = strip(cast.getInput());
    return space.hasColumns(value);
  }

  /// Scalar sums a row as it computes it, or by a pass of its own.
  bool sumByActivation(Operation *op, Value input, Value out) {
    enum Way { Reduce, Pass, Fused };
    SmallVector<Way, 3> ways{Reduce};
    if (space.hasColumns(input))
      ways.push_back(Pass);
    Operation *producer = isRead(input) ? nullptr : input.getDefiningOp();
    std::optional<ScalarForm> form;
    if (producer && !sumOf.contains(input))
      form = scalarForm(producer, space);
    if (form && readsColumns(form->x))
      // What is Scalar's anyway sums for nothing.
      ways.insert(isActivation(producer) ? ways.begin() : ways.end(), Fused);
    Way way = ways[choices.choose(op, Choices::Sum, ways.size())];
    if (way == Fused)
      sumOf[input] = out;
    if (way == Pass) {
      push(Opcode::Activation, Engine::Scalar, op, Value());
      reversed.back().fns.push_back(Fn::identity);
      reversed.back().acc = out;
      Source source = use(input, f32Type());
      reversed.back().srcs.push_back(source);
    }
    return way != Reduce;
  }

  /// Whether the instruction that makes the value may write it in another type:
  /// not what moves it, counts it, or has whole rows.
  bool mayRound(Value value) const {
    Operation *op = value.getDefiningOp();
    return op && !written.contains(value) &&
           !isa<ir::GatherOp, ir::ScatterOp, ir::ScanOp, ir::SortOp,
                ir::ArgsortOp, ir::RandomOp, ir::IotaOp, ir::BitcastOp>(op);
  }

  LogicalResult selectCast(ir::CastOp op, Value out) {
    Value input = strip(op.getInput());
    Type from = elementOf(input), to = elementOf(out);
    bool computed = !isRead(input) && !splatOf(input) && mayRound(input);
    bool narrow = isa<FloatType>(to) && fitsF32(to);
    // f32 -> bf16: the instruction that makes the value rounds it.
    if (computed && from.isF32() && narrow && !narrowed.contains(input) &&
        space.hasColumns(input) == space.hasColumns(out)) {
      narrowed[input] = out;
      return success();
    }
    if (to.isInteger(1) && (fitsF32(from) || computeType(from) == from))
      return alu(op, {Fn::ne, input, zero(from)}, from, out);
    bool exactInF32 = fitsF32(from) || from.isInteger(32);
    if (exactInF32 && narrow) {
      Step &step = push(Opcode::TensorCopy, copyEngine(op, out), op, out);
      step.srcs.push_back(want(input));
      return success();
    }
    return gpsimd(op, Fn::identity, {input}, computeType(from), out);
  }

  LogicalResult selectElementwise(Operation *op, Value out) {
    Fn fn = cast<ir::ElementwiseOpInterface>(op).getFn();
    Type type = elementOf(op->getOperands().back());
    if (fn == Fn::select && program::bytesOf(*nisa::dtypeOf(type)) <= 4 &&
        out && elementOf(out) == type)
      return selectSelect(op, type, out);
    if (std::optional<ScalarForm> form = scalarForm(op, space);
        form && takesScalar(op))
      return selectActivation(op, *form, out);
    if (fn == Fn::reciprocal && type.isF32()) {
      push(Opcode::Reciprocal, Engine::Vector, op, out);
      Source source = use(op->getOperand(0), type);
      reversed.back().srcs.push_back(source);
      return success();
    }
    if (std::optional<Alu> a = asAlu(op))
      return alu(op, *a, type, out);
    SmallVector<OpFoldResult> operands(op->getOperands());
    return gpsimd(op, fn, operands, computeType(type), out);
  }

  LogicalResult selectSelect(Operation *op, Type type, Value out) {
    push(Opcode::Select, Engine::Vector, op, out);
    size_t index = reversed.size() - 1;
    for (Value operand : op->getOperands()) {
      Value value = strip(operand);
      TypedAttr number = splatOf(value);
      Source source = number ? Source(number) : Source(want(value));
      reversed[index].srcs.push_back(source);
    }
    return success();
  }

  LogicalResult gpsimd(Operation *op, Fn fn, ArrayRef<OpFoldResult> operands,
                       Type compute, Value out) {
    auto dtype = nisa::dtypeOf(compute);
    if (!dtype || !program::isLegal(fn, *dtype))
      return op->emitOpError("L3: no instruction computes this op on ")
             << compute;
    push(Opcode::GpsimdElementwise, Engine::GpSimd, op, out);
    size_t index = reversed.size() - 1;
    reversed[index].fns.push_back(fn);
    reversed[index].compute = compute;
    onGpSimd = true;
    for (auto [i, operand] : llvm::enumerate(operands)) {
      bool isCondition = fn == Fn::select && i == 0;
      Type type = isCondition ? Type(IntegerType::get(context, 1)) : compute;
      Source source = use(operand, type);
      reversed[index].srcs.push_back(source);
    }
    onGpSimd = false;
    return success();
  }

  //===--------------------------------------------------------------------===//
  // Scalar engine
  //===--------------------------------------------------------------------===//

  /// Whether Scalar computes the op, which has a ScalarForm.
  bool takesScalar(Operation *op) {
    Value result = op->getResult(0);
    if (sumOf.contains(result))
      return true;
    bool wide = space.hasColumns(result);
    if (asAlu(op)) // others wait for a statistic: Vector is quicker
      return wide && choices.choose(op, Choices::Engine, 2);
    // GpSimd is slow, but for a statistic not as slow as loading a table.
    return wide || !choices.choose(op, Choices::Engine, 2);
  }

  /// fn(x * scale + bias), with the arithmetic swallowed.
  LogicalResult selectActivation(Operation *op, const ScalarForm &form,
                                 Value out) {
    Value result = op->getResult(0);
    OpFoldResult x = form.x, scale = form.scale, bias = form.bias;
    if (bias && form.negatesBias)
      bias = negated(op, cast<Value>(bias));
    push(Opcode::Activation, Engine::Scalar, op, out);
    size_t index = reversed.size() - 1;
    reversed[index].fns.push_back(form.fn);
    reversed[index].acc = sumOf.lookup(result);
    // A function of a number that nobody folded takes it from a tile.
    Value value = cast<Value>(x);
    Source source = splatOf(value) ? Source(want(value)) : use(x, f32Type());
    reversed[index].srcs.push_back(source);
    if (scale || bias) {
      // 1 and -0.0 change no bit, the sign of a zero included.
      for (OpFoldResult operand :
           {scale ? scale : OpFoldResult(f32(context, 1)),
            bias ? bias : OpFoldResult(f32(context, -0.0))}) {
        Source source = useScalar(operand);
        reversed[index].srcs.push_back(source);
      }
    }
    return success();
  }

  /// -value: a number, or a new op on a statistic, once for each statistic.
  OpFoldResult negated(Operation *user, Value value) {
    if (TypedAttr number = splatOf(value))
      return f32(context, -cast<FloatAttr>(number).getValueAsDouble());
    Value source = strip(value);
    Value &negative = negatives[source];
    if (!negative) {
      // Made right behind its input, so that the backward walk still meets it.
      OpBuilder b(context);
      b.setInsertionPointAfterValue(source);
      negative =
          ir::NegOp::create(b, source.getLoc(), source.getType(), source);
      made.push_back(negative.getDefiningOp());
    }
    return negative;
  }

  //===--------------------------------------------------------------------===//
  // Vector engine
  //===--------------------------------------------------------------------===//

  /// An operand that is itself `x fn scalar` with no other use.
  struct Inner {
    Fn fn;
    OpFoldResult x, scalar;
    bool reverse;
  };
  std::optional<Inner> innerOf(OpFoldResult operand, bool columns) {
    Operation *op = swallowable(operand);
    if (!op || !elementOf(op->getResult(0)).isF32() ||
        space.hasColumns(op->getResult(0)) != columns)
      return std::nullopt;
    std::optional<Alu> a = asAlu(op);
    if (!a || !elementOf(op->getOperand(0)).isF32())
      return std::nullopt;
    bool lhs = isScalar(a->a, columns), rhs = isScalar(a->b, columns);
    if (lhs == rhs)
      return std::nullopt;
    return lhs ? Inner{a->fn, a->b, a->a, true}
               : Inner{a->fn, a->a, a->b, false};
  }

  LogicalResult alu(Operation *op, Alu a, Type type, Value out) {
    if (!fitsF32(type)) {
      SmallVector<OpFoldResult> operands{a.a, a.b};
      return gpsimd(op, a.fn, operands, computeType(type), out);
    }
    bool columns = space.hasColumns(out);
    bool lhs = isScalar(a.a, columns), rhs = isScalar(a.b, columns);
    if (lhs && rhs) // one of them is the tile, if need be of a number
      (splat(a.a) && !splat(a.b) ? rhs : lhs) = false;
    // The type that sources are read in: everything that fits becomes fp32.
    Type read = type.isF32() ? type : Type();
    auto source = [&](OpFoldResult operand) -> Source {
      if (!read) {
        auto value = dyn_cast<Value>(operand);
        TypedAttr number =
            value ? splatOf(value) : cast<TypedAttr>(cast<Attribute>(operand));
        if (number)
          return converted(number, f32Type());
        return want(strip(value));
      }
      return use(operand, read);
    };
    auto scalarSource = [&](OpFoldResult operand) {
      return useScalar(operand);
    };
    if (!lhs && !rhs) {
      std::optional<Inner> inner;
      bool swapped = false;
      if (type.isF32() && !(inner = innerOf(a.a, columns)) &&
          (inner = innerOf(a.b, columns)))
        swapped = true;
      if (inner && a.a != a.b) {
        push(Opcode::ScalarTensorTensor, Engine::Vector, op, out);
        size_t index = reversed.size() - 1;
        reversed[index].fns = {inner->fn, a.fn};
        reversed[index].reverse = {inner->reverse, swapped};
        addAll(index, {inner->x}, source);
        addAll(index, {inner->scalar}, scalarSource);
        addAll(index, {swapped ? a.a : a.b}, source);
        return success();
      }
      push(Opcode::TensorTensor, Engine::Vector, op, out);
      size_t index = reversed.size() - 1;
      reversed[index].fns = {a.fn};
      addAll(index, {a.a, a.b}, source);
      return success();
    }
    OpFoldResult x = lhs ? a.b : a.a, scalar = lhs ? a.a : a.b;
    auto tile = [&](OpFoldResult operand) -> Source {
      return splat(operand) ? Source(want(cast<Value>(operand)))
                            : source(operand);
    };
    push(Opcode::TensorScalar, Engine::Vector, op, out);
    size_t index = reversed.size() - 1;
    if (std::optional<Inner> inner =
            type.isF32() ? innerOf(x, columns) : std::nullopt) {
      reversed[index].fns = {inner->fn, a.fn};
      reversed[index].reverse = {inner->reverse, lhs};
      addAll(index, {inner->x}, source);
      addAll(index, {inner->scalar, scalar}, scalarSource);
      return success();
    }
    reversed[index].fns = {a.fn};
    reversed[index].reverse = {lhs};
    addAll(index, {x}, tile);
    addAll(index, {scalar}, scalarSource);
    return success();
  }

  static bool splat(OpFoldResult operand) {
    auto value = dyn_cast<Value>(operand);
    return !value || splatOf(value);
  }

  template <typename SourceOf>
  void addAll(size_t index, ArrayRef<OpFoldResult> operands, SourceOf source) {
    for (OpFoldResult operand : operands) {
      Source made = source(operand);
      reversed[index].srcs.push_back(made);
    }
  }

  const KernelSpace &space;
  Choices &choices;
  Block &block;
  MLIRContext *context;
  std::vector<Step> reversed;
  DenseSet<Value> wanted;
  DenseSet<Value> written;         ///< yielded in another form than computed
  DenseMap<Value, Value> sumOf;    ///< value -> sum that its activation makes
  DenseMap<Value, Value> narrowed; ///< value -> its rounding
  DenseMap<Value, Value> negatives;
  DenseMap<Value, Value> widened; ///< integers -> the same as fp32
  SmallVector<ir::MatmulOp> matmuls;
  SmallVector<Operation *> made; ///< ops added to the block
  bool onGpSimd = false;
};

} // namespace

FailureOr<Selected> lowering::selectWith(ir::KernelOp kernel,
                                         const KernelSpace &space,
                                         Choices &choices) {
  if (!mayGoOn(kernel.getContext())) // a long kernel takes a while, many times
    return failure();
  return Selector(kernel, space, choices).run();
}
