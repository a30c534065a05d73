//===- KernelOp.cpp - syntax and rules of neuron.kernel -------------------===//
//
//   %r = neuron.kernel "name" (%x = %arg0, %y = %arg1) : (types) -> (types) {
//   ... neuron.yield ... }
//
//===----------------------------------------------------------------------===//
#include "dialects/neuron/Neuron.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace neuron::ir;

void KernelOp::print(OpAsmPrinter &p) {
  p << ' ' << getSymAttr() << " (";
  llvm::interleaveComma(llvm::zip(getBody().getArguments(), getInputs()), p,
                        [&](auto pair) {
                          p.printOperand(std::get<0>(pair));
                          p << " = ";
                          p.printOperand(std::get<1>(pair));
                        });
  p << ") : ";
  p.printFunctionalType(getOperation());
  p << ' ';
  p.printRegion(getBody(), /*printEntryBlockArgs=*/false);
  p.printOptionalAttrDict((*this)->getAttrs(), {"sym"});
}

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  StringAttr name;
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  FunctionType type;
  if (parser.parseAttribute(name, "sym", result.attributes) ||
      parser.parseCommaSeparatedList(
          OpAsmParser::Delimiter::Paren,
          [&]() -> ParseResult {
            if (parser.parseArgument(arguments.emplace_back()) ||
                parser.parseEqual() ||
                parser.parseOperand(operands.emplace_back()))
              return failure();
            return success();
          }) ||
      parser.parseColonType(type))
    return failure();
  if (type.getNumInputs() != operands.size())
    return parser.emitError(parser.getNameLoc(),
                            "as many types as inputs expected");
  for (auto [argument, inputType] : llvm::zip(arguments, type.getInputs()))
    argument.type = inputType;
  Region *body = result.addRegion();
  if (parser.resolveOperands(operands, type.getInputs(), parser.getNameLoc(),
                             result.operands) ||
      parser.parseRegion(*body, arguments) ||
      parser.parseOptionalAttrDict(result.attributes))
    return failure();
  result.addTypes(type.getResults());
  return success();
}

/// K5: `rows` and `columns` are a partition of the dimensions of `shape`.
static LogicalResult verifyIterationSpace(KernelOp op) {
  bool hasAll = op.getShape() && op.getRowDims() && op.getColumnDims();
  bool hasNone = !op.getShape() && !op.getRowDims() && !op.getColumnDims();
  if (hasNone)
    return success();
  if (!hasAll)
    return op.emitOpError("K5: shape, row_dims and column_dims are there "
                          "together or not at all");
  ArrayRef<int64_t> rows = *op.getRowDims(), columns = *op.getColumnDims();
  SmallVector<int64_t> dims(rows);
  dims.append(columns.begin(), columns.end());
  llvm::sort(dims);
  if (!llvm::is_sorted(rows) || !llvm::is_sorted(columns) ||
      !llvm::equal(dims, llvm::seq<int64_t>(0, op.getShape()->size())))
    return op.emitOpError("K5: row_dims and column_dims must be sorted, and "
                          "hold each dimension of shape once");
  return success();
}

LogicalResult KernelOp::verify() {
  Block &block = getBody().front();
  if (block.getArgumentTypes() != getInputs().getTypes())
    return emitOpError("K1: block arguments must have the types of the inputs");
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield || yield.getValues().getTypes() != getOutputs().getTypes())
    return emitOpError(
        "K2: must end in a neuron.yield of the types of the outputs");
  for (Operation &op : block)
    if (!isa_and_nonnull<NeuronDialect>(op.getDialect()) || isa<KernelOp>(op))
      return (emitOpError(
                  "K3: must hold operations of the neuron dialect only, "
                  "and no other kernel, got '")
              << op.getName() << "'")
                 .attachNote(op.getLoc())
             << "it is here";
  if (getSym().empty())
    return emitOpError("K4: must have a name");
  if (getOutputs().empty())
    return emitOpError("K4: must have a result");
  return verifyIterationSpace(*this);
}
