//===- ContractionOps.td - products of matrices --------------*- tablegen -*-===//
#ifndef NEURON_CONTRACTION_OPS_TD
#define NEURON_CONTRACTION_OPS_TD

include "dialects/neuron/NeuronDialect.td"
include "dialects/neuron/NeuronInterfaces.td"

def Neuron_ContractionGroup : OpDocGroup {
  let summary = "Contractions";
  let description = "Products of matrices, with any number of dimensions in the place of each of a matrix's two.";
}

def Neuron_MatmulOp : Neuron_Op<"matmul", [Pure]> {
  let summary = "sums of products over the contracted dimensions";
  let description = [{
    The operand `lhs` has the dimensions `[batch..., M..., K...]`, `rhs` has `[batch..., K..., N...]`, and the
    result `[batch..., M..., N...]`: the first `batch` dimensions are those of all three, and the last `contract`
    dimensions of `lhs` are multiplied with as many of `rhs` behind its batch dimensions, and summed over. All
    other numbers of dimensions follow from the ranks. Views stand before the op: a transposed matrix is a
    `permute`, the patches of a convolution are windows.

    `f16` and `bf16` products are summed in `f32` and rounded once, to the result's type. Integers wrap around.

    The operands have one element type (M1), the result too, or `f32` if it is `f16` or `bf16` (M2). There are at
    least `batch + contract` dimensions in each operand, batch and contracted dimensions have the same sizes in
    both (M3), and the result has the batch, M and N dimensions (M4).

    ```mlir
    %2 = neuron.matmul %0, %1 batch 1 contract 1 : tensor<8x4x64xbf16>, tensor<8x64x32xbf16> -> tensor<8x4x32xbf16>
    ```
  }];
  let opDocGroup = Neuron_ContractionGroup;
  let arguments = (ins Neuron_NumberTensor:$lhs, Neuron_NumberTensor:$rhs, I64Attr:$batch, I64Attr:$contract);
  let results = (outs Neuron_NumberTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `batch` $batch `contract` $contract attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)
  }];
  let extraClassDeclaration = [{
    /// Sizes of the M dimensions, the contracted ones, and the N dimensions.
    ::llvm::ArrayRef<int64_t> getBatchSizes() { return getLhs().getType().getShape().take_front(getBatch()); }
    ::llvm::ArrayRef<int64_t> getMSizes() {
      return getLhs().getType().getShape().drop_front(getBatch()).drop_back(getContract());
    }
    ::llvm::ArrayRef<int64_t> getKSizes() { return getLhs().getType().getShape().take_back(getContract()); }
    ::llvm::ArrayRef<int64_t> getNSizes() {
      return getRhs().getType().getShape().drop_front(getBatch() + getContract());
    }
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

#endif // NEURON_CONTRACTION_OPS_TD
