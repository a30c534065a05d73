//===- NeuronInterfaces.td - facts that passes ask of an op --*- tablegen -*-===//
#ifndef NEURON_INTERFACES_TD
#define NEURON_INTERFACES_TD

include "mlir/IR/OpBase.td"

def ElementwiseOpInterface : OpInterface<"ElementwiseOpInterface"> {
  let cppNamespace = "::neuron::ir";
  let description = [{
    Every element of the result depends on the elements at the same (broadcast) position of the operands, by
    one scalar function of runtime/program/Functions.def.
  }];
  let methods = [
    InterfaceMethod<"The scalar function.", "::neuron::program::Fn", "getFn">,
  ];
}

def ReductionOpInterface : OpInterface<"ReductionOpInterface"> {
  let cppNamespace = "::neuron::ir";
  let description = [{
    Combines the elements of one operand along `dims` (sorted, unique, not negative). With `keepdim` the
    reduced dimensions stay with size 1.
  }];
  let methods = [
    InterfaceMethod<"Reduced dimensions.", "::llvm::ArrayRef<int64_t>", "getReducedDims", (ins), [{
      return $_op.getDims();
    }]>,
    InterfaceMethod<"The reduced operand.", "::mlir::TypedValue<::mlir::RankedTensorType>", "getReducedOperand",
                    (ins), [{ return $_op.getInput(); }]>,
    InterfaceMethod<"Whether reduced dimensions stay with size 1.", "bool", "keepsDims", (ins), [{
      return $_op.getKeepdim();
    }]>,
    InterfaceMethod<"Sets whether they stay; the caller sets the result's type.", "void", "setKeepsDims",
                    (ins "bool":$keepdim), [{ $_op.setKeepdim(keepdim); }]>,
  ];
}

def ViewOpInterface : OpInterface<"ViewOpInterface"> {
  let cppNamespace = "::neuron::ir";
  let description = "Moves no element: the result only names the operand's elements by other indices.";
  let methods = [
    InterfaceMethod<"The viewed value.", "::mlir::TypedValue<::mlir::RankedTensorType>", "getViewed", (ins),
                    [{ return $_op.getInput(); }]>,
  ];
}

def NamedOpInterface : OpInterface<"NamedOpInterface"> {
  let cppNamespace = "::neuron::ir";
  let description = [{
    A composite kept whole for readers and for instruction selection (softmax, rms_norm, ...). It reduces
    along `dims` of its first operand and has that operand's shape.
  }];
  let methods = [
    InterfaceMethod<"Dimensions it normalises over; empty for elementwise composites.",
                    "::llvm::ArrayRef<int64_t>", "getNormalizedDims", (ins), [{ return $_op.getDims(); }]>,
  ];
}

def MemoryReaderOpInterface : OpInterface<"MemoryReaderOpInterface"> {
  let cppNamespace = "::neuron::ir";
  let description = [{
    Reads operands where they lie in HBM, by addresses of its own. Such an operand has no place in the iteration
    space of a row kernel, and what computes it is in another kernel.
  }];
  let methods = [
    InterfaceMethod<"Whether the operand is read so.", "bool", "isReadInMemory", (ins "unsigned":$operand)>,
  ];
}

#endif // NEURON_INTERFACES_TD
