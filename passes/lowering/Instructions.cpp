//===- Instructions.cpp - nisa ops of selected steps ----------------------===//
#include "passes/lowering/Instructions.h"
#include "runtime/program/Opcodes.h"

using namespace mlir;
using namespace neuron;
using namespace neuron::lowering;

Operation *lowering::createInstruction(OpBuilder &b, const Step &step,
                                       ValueRange srcs, ValueRange outs,
                                       int64_t parts, InstructionFlags flags,
                                       ArrayRef<int64_t> index) {
  OperationState state(
      step.loc, "nisa." + std::string(program::info(step.opcode).mnemonic));
  state.addOperands(srcs);
  state.addOperands(outs);
  auto set = [&](StringRef name, Attribute value) {
    state.addAttribute(name, value);
  };
  set("operandSegmentSizes",
      b.getDenseI32ArrayAttr({int32_t(srcs.size()), int32_t(outs.size())}));
  set("engine", nisa::EngineAttr::get(b.getContext(), step.engine));
  set("parts", b.getI64IntegerAttr(parts));
  SmallVector<StringRef> names;
  for (program::Fn fn : step.fns)
    names.push_back(program::nameOf(fn));
  if (!names.empty())
    set("fn", b.getStrArrayAttr(names));
  if (!step.reverse.empty())
    set("reverse", b.getDenseBoolArrayAttr(step.reverse));
  if (flags.accumulate)
    set("accumulate", b.getUnitAttr());
  if (flags.hasAcc)
    set("has_acc", b.getUnitAttr());
  if (step.compute)
    set("compute", TypeAttr::get(step.compute));
  if (!step.reduce.empty())
    set("reduce", b.getStringAttr(step.reduce));
  if (step.descending)
    set("descending", b.getUnitAttr());
  if (step.bits)
    set("bits", b.getUnitAttr());
  if (!index.empty())
    set("index", b.getDenseI64ArrayAttr(index));
  return b.create(state);
}
