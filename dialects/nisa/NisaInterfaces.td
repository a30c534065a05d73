//===- NisaInterfaces.td -------------------------------------*- tablegen -*-===//
#ifndef NISA_INTERFACES_TD
#define NISA_INTERFACES_TD

include "mlir/IR/OpBase.td"

def InstructionOpInterface : OpInterface<"InstructionOpInterface"> {
  let cppNamespace = "::neuron::nisa";
  let description = "What all instructions share: operands, engine, schedule.";
  let methods = [
    InterfaceMethod<"The row of the instruction table.",
                    "::neuron::program::Opcode", "getOpcode">,
    InterfaceMethod<"Tiles and immediates that it reads.",
                    "::mlir::OperandRange", "getSrcs", (ins), [{ return $_op.getSrcs(); }]>,
    InterfaceMethod<"Tiles that it writes.",
                    "::mlir::OperandRange", "getOuts", (ins), [{ return $_op.getOuts(); }]>,
    InterfaceMethod<"The engine that runs it, or issues it if it is a DMA.",
                    "::neuron::nisa::Engine", "getEngine", (ins), [{ return $_op.getEngine(); }]>,
    InterfaceMethod<"Partitions [0, parts) are touched.",
                    "int64_t", "getParts", (ins), [{ return $_op.getParts(); }]>,
    InterfaceMethod<"Scalar functions, or empty.",
                    "::mlir::ArrayAttr", "getFnNames", (ins), [{ return $_op.getFnAttr(); }]>,
  ];
}

#endif // NISA_INTERFACES_TD
