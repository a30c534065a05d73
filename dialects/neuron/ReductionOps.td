//===- ReductionOps.td - reductions --------------------------*- tablegen -*-===//
#ifndef NEURON_REDUCTION_OPS_TD
#define NEURON_REDUCTION_OPS_TD

include "dialects/neuron/NeuronDialect.td"
include "dialects/neuron/NeuronInterfaces.td"

def Neuron_ReductionGroup : OpDocGroup {
  let summary = "Reductions";
  let description = [{
    Floating sums accumulate in `f32` (`f64` for `f64`) and are rounded once; integer ones wrap at their own
    width. Over no dimension, each element is reduced alone.
  }];
}

// `dims` sorted, unique, in [0, rank) (rule R1); the result's shape follows from dims and keepdim (rule R2);
// its element type is the op's own rule (R3).
class Neuron_ReductionOp<string mnemonic, Type input, Type output, string what, dag extra = (ins)>
    : Neuron_Op<mnemonic, [Pure, DeclareOpInterfaceMethods<ReductionOpInterface>]> {
  let summary = what;
  let opDocGroup = Neuron_ReductionGroup;
  let description = [{
    `dims` are sorted and unique (R1), the result's shape follows from them and `keepdim` (R2), its element
    type from the operation (R3).

    ```mlir
    %1 = neuron.}] # mnemonic # [{ %0 dims [1] keepdim : (tensor<4x512xf32>) -> tensor<4x1x}]
                  # !cond(!eq(output, Neuron_BoolTensor): "i1", !eq(output, Neuron_IndexTensor): "i64", true: "f32") # [{>
    ```
  }];
  let arguments = !con((ins input:$input, DenseI64ArrayAttr:$dims, UnitAttr:$keepdim), extra);
  let results = (outs output:$result);
  let assemblyFormat = "$input `dims` $dims (`keepdim` $keepdim^)? attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
  let hasVerifier = 1;
  let extraClassDefinition = [{
    ::mlir::OpFoldResult $cppClass::fold(FoldAdaptor adaptor) {
      return ::neuron::ir::foldReduction(getOperation(), adaptor.getInput());
    }
    ::llvm::LogicalResult $cppClass::verify() { return ::neuron::ir::verifyReduction(getOperation()); }
  }];
}

def Neuron_SumOp : Neuron_ReductionOp<"sum", Neuron_NumberTensor, Neuron_NumberTensor, "sum; 0 of no elements">;
def Neuron_ProdOp : Neuron_ReductionOp<"prod", Neuron_NumberTensor, Neuron_NumberTensor, "product; 1 of no elements">;
def Neuron_MeanOp : Neuron_ReductionOp<"mean", Neuron_FloatTensor, Neuron_FloatTensor, "mean; NaN of no elements">;
def Neuron_MaxOp : Neuron_ReductionOp<"max", Neuron_Tensor, Neuron_Tensor, "largest element; propagates NaN">;
def Neuron_MinOp : Neuron_ReductionOp<"min", Neuron_Tensor, Neuron_Tensor, "smallest element; propagates NaN">;
def Neuron_AnyOp : Neuron_ReductionOp<"any", Neuron_Tensor, Neuron_BoolTensor, "some element is not zero">;
def Neuron_AllOp : Neuron_ReductionOp<"all", Neuron_Tensor, Neuron_BoolTensor, "no element is zero">;
def Neuron_ArgmaxOp : Neuron_ReductionOp<"argmax", Neuron_Tensor, Neuron_IndexTensor,
    "index of the first largest element, or of the first NaN; over several dims, in their flattened order">;
def Neuron_ArgminOp : Neuron_ReductionOp<"argmin", Neuron_Tensor, Neuron_IndexTensor,
    "index of the first smallest element, or of the first NaN">;
def Neuron_VarOp : Neuron_ReductionOp<"var", Neuron_FloatTensor, Neuron_FloatTensor,
    "variance with a correction: sum((x-mean)^2) / max(0, n - correction)", (ins F64Attr:$correction)> {
  let description = [{
    The sum of the squared distances from the mean, divided by max(0, n - correction): torch.var's default
    is a correction of 1. Rules R1 to R3.

    ```mlir
    %1 = neuron.var %0 dims [1] keepdim correction 1.0 : (tensor<4x512xf32>) -> tensor<4x1xf32>
    ```
  }];
  let assemblyFormat = [{
    $input `dims` $dims (`keepdim` $keepdim^)? `correction` $correction attr-dict `:` functional-type(operands, results)
  }];
}
def Neuron_NormOp : Neuron_ReductionOp<"norm", Neuron_FloatTensor, Neuron_FloatTensor,
    "vector norm of an order: (sum |x|^ord)^(1/ord); inf: max |x|; -inf: min |x|; 0: count of non-zeros",
    (ins F64Attr:$ord)> {
  let description = [{
    torch.linalg.vector_norm. Rules R1 to R4.

    ```mlir
    %1 = neuron.norm %0 dims [1] ord 2.0 : (tensor<4x512xf32>) -> tensor<4xf32>
    ```
  }];
  let assemblyFormat = [{
    $input `dims` $dims (`keepdim` $keepdim^)? `ord` $ord attr-dict `:` functional-type(operands, results)
  }];
}

#endif // NEURON_REDUCTION_OPS_TD
