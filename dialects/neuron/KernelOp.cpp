//===- KernelOp.cpp - syntax and rules of neuron.kernel ------------------------===//
//
//   %r = neuron.kernel "name" (%x = %arg0, %y = %arg1) : (types) -> (types) { ... neuron.yield ... }
//
//===----------------------------------------------------------------------===//
#include "dialects/neuron/Neuron.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace neuron::ir;

void KernelOp::print(OpAsmPrinter &p) {
  p << ' ' << getSymAttr() << " (";
  llvm::interleaveComma(llvm::zip(getBody().getArguments(), getInputs()), p, [&](auto pair) {
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
      parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren,
                                     [&]() -> ParseResult {
                                       if (parser.parseArgument(arguments.emplace_back()) || parser.parseEqual() ||
                                           parser.parseOperand(operands.emplace_back()))
                                         return failure();
                                       return success();
                                     }) ||
      parser.parseColonType(type))
    return failure();
  if (type.getNumInputs() != operands.size())
    return parser.emitError(parser.getNameLoc(), "as many types as inputs expected");
  for (auto [argument, inputType] : llvm::zip(arguments, type.getInputs()))
    argument.type = inputType;
  Region *body = result.addRegion();
  if (parser.resolveOperands(operands, type.getInputs(), parser.getNameLoc(), result.operands) ||
      parser.parseRegion(*body, arguments) || parser.parseOptionalAttrDict(result.attributes))
    return failure();
  result.addTypes(type.getResults());
  return success();
}

LogicalResult KernelOp::verify() {
  Block &block = getBody().front();
  if (block.getArgumentTypes() != getInputs().getTypes())
    return emitOpError("K1: block arguments must have the types of the inputs");
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield || yield.getValues().getTypes() != getOutputs().getTypes())
    return emitOpError("K2: must end in a neuron.yield of the types of the outputs");
  for (Operation &op : block)
    if (!isa_and_nonnull<NeuronDialect>(op.getDialect()) || isa<KernelOp>(op))
      return (emitOpError("K3: must hold operations of the neuron dialect only, "
                          "and no other kernel, got '")
              << op.getName() << "'")
                 .attachNote(op.getLoc())
             << "it is here";
  if (getSym().empty())
    return emitOpError("K4: must have a name");
  if (getOutputs().empty())
    return emitOpError("K4: must have a result");
  return success();
}
