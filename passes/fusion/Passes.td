//===- Passes.td - from ops to kernels -----------------------*- tablegen -*-===//
#ifndef NEURON_FUSION_PASSES_TD
#define NEURON_FUSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def FormKernels : Pass<"neuron-form-kernels", "::mlir::func::FuncOp"> {
  let summary = "partition a function into row kernels";
  let description = [{
    Stage: fusion, after the graph passes. Before: neuron ops in one block. After: neuron.kernel ops, and
    outside of them only constants, reshapes and concats with their views (see neuron-verify-kernels). A
    concat ties no kernels together: its operands are written to HBM, and its result is read from there.

    A row kernel has one iteration space, `shape`, split into `row_dims` and `column_dims`. Its reductions
    reduce exactly the column dimensions. Aligned with `shape` at the right, every computed value runs along
    all rows or none and along all columns or none: it is full, a statistic (one element a row),
    row-invariant, or a scalar. Inputs may be broadcast along any dimensions, and may be views of HBM that
    strides can express: the operand is then the viewed value, and the view stands inside, at the input.
    Reshapes of computed values vanish: inside, values have the kernel's own dimensions. Outputs are dense;
    where the user's shape differs, a neuron.reshape follows the kernel. A returned view of another order
    (permute, slice, expand) is written by a kernel. `neuron.expand` of a computed value stays where a
    reduction or an output needs it.

    Ops join the kernels of their operands when that saves traffic, makes no cycle, and leaves what has to
    stay on chip between passes over a row within `sbuf-bytes`. Kernels that read one input in full join too.
    Remarks of category "fusion" say what was fused, and of each value that goes through HBM why.

    ```mlir
    %0 = neuron.add %x, %r : (tensor<4x512xbf16>, tensor<4x512xbf16>) -> tensor<4x512xbf16>
    %1 = neuron.rms_norm %0 dims [1] eps 1.0e-06 : tensor<4x512xbf16> -> tensor<4x512xbf16>
    return %0, %1
    ```
    becomes
    ```mlir
    %0:2 = neuron.kernel "fused_add_rms_norm" (%a = %x, %b = %r) : (...) -> (...) {
      %1 = neuron.add %a, %b : ...
      %2 = neuron.rms_norm %1 dims [1] eps 1.0e-06 : ...
      neuron.yield %1, %2 : ...
    } {column_dims = array<i64: 1>, row_dims = array<i64: 0>, shape = array<i64: 4, 512>}
    return %0#0, %0#1
    ```
  }];
  let options = [
    Option<"sbufBytes", "sbuf-bytes", "int64_t", "0",
           "bytes of SBUF on a partition that a kernel may hold from pass to pass; 0: no limit">,
    Option<"partitions", "partitions", "int64_t",
           "int64_t(::neuron::target::defaultTarget().partitions)",
           "rows that an elementwise kernel should have at least">,
  ];
  let dependentDialects = ["::neuron::ir::NeuronDialect"];
}

def ChainKernels : Pass<"neuron-chain-kernels", "::mlir::func::FuncOp"> {
  let summary = "let kernels run on the rows of the kernel before them, on chip";
  let description = [{
    Stage: fusion, behind rounding. Where the left matrix of a product is what another kernel makes, row by row,
    both run on each tile of rows, and the matrix stays in SBUF: it goes to HBM only if something else reads
    it. The consumer gets the attribute `chained`, and the producer moves to stand before it.

    Softmax(Q K^T) V is a chain of two kernels, so attention never writes its scores, in whatever way it is
    written; a norm or an activation before a linear layer is one too.

    ```mlir
    %0 = neuron.kernel "matmul_softmax" (%q = ..., %k = ...) ...
    %1 = neuron.kernel "matmul" (%p = %0, %v = ...) ... {chained, ...}
    ```
  }];
}

def SplitSorts : Pass<"neuron-split-sorts", "::mlir::func::FuncOp"> {
  let summary = "sort rows that are too long for SBUF in blocks";
  let description = [{
    Stage: fusion, before neuron-form-kernels. A sort has its whole row on chip: keys, sorted keys and their places.
    A longer row is cut into blocks, of which neighbours are sorted together, in turn the pairs from the first block
    on and those from the second one on, as many times as there are blocks. Elements behind which no other belongs
    fill the last block. Places are carried along by gathers. The result is stable, as every sort is.

    ```mlir
    %1 = neuron.sort %0 dims [1] : tensor<2x4096xf32>
    // becomes, in four blocks of 1024, four times one of
    %a = neuron.reshape %0 : (tensor<2x4096xf32>) -> tensor<2x2x2048xf32>
    %b = neuron.sort %a dims [2] : tensor<2x2x2048xf32>
    // and
    %c = neuron.slice %0 starts [0, 1024] steps [1, 1] : (tensor<2x4096xf32>) -> tensor<2x2048xf32>
    %d = neuron.sort %c dims [1] : tensor<2x2048xf32>  // and the first and last block as they are
    ```
  }];
  let options = [
    Option<"sbufBytes", "sbuf-bytes", "int64_t", "0", "bytes of a partition of SBUF; 0: nothing is split">,
  ];
  let dependentDialects = ["::neuron::ir::NeuronDialect"];
}

def SplitReductions : Pass<"neuron-split-reductions", "::mlir::func::FuncOp"> {
  let summary = "reduce long rows in parts, on all partitions";
  let description = [{
    Stage: fusion, before neuron-form-kernels. A reduction with fewer results than SBUF has partitions would
    leave most of them idle. If it has at least `min-elements` for each result it is done in two steps: parts
    of the row, which are rows of the first step's kernel, and then the parts' results. Means, variances,
    norms, softmax and the like are taken apart first where their rows are that long.

    f16 and bf16 sums and products stay in f32 between the steps: they are rounded once, as before. Sums are
    added in another order, with more partial sums than in one step.

    ```mlir
    %1 = neuron.sum %0 dims [0] : (tensor<1048576xf32>) -> tensor<f32>
    // becomes
    %a = neuron.reshape %0 : (tensor<1048576xf32>) -> tensor<512x2048xf32>
    %b = neuron.sum %a dims [1] keepdim : (tensor<512x2048xf32>) -> tensor<512x1xf32>
    %c = neuron.sum %b dims [0] keepdim : (tensor<512x1xf32>) -> tensor<1x1xf32>
    %1 = neuron.reshape %c : (tensor<1x1xf32>) -> tensor<f32>
    ```

    A row whose length has no divisor that would do, a prime say, is cut into a multiple of 8 * `partitions`,
    which is done in parts, and a remainder, which is reduced by itself.

    Softmax and norms over such a row are not taken apart. Sorts nothing.
  }];
  let options = [
    Option<"partitions", "partitions", "int64_t",
           "int64_t(::neuron::target::defaultTarget().partitions)", "partitions of SBUF">,
    Option<"minElements", "min-elements", "int64_t", "16384",
           "elements of a result from which a second kernel is worth its start">,
  ];
  let dependentDialects = ["::neuron::ir::NeuronDialect"];
}

def VerifyKernels : Pass<"neuron-verify-kernels", "::mlir::func::FuncOp"> {
  let summary = "check what the fusion phase has left";
  let description = [{
    Ends the fusion phase. What lowering relies on:

    - F1: outside of kernels there are only constants, concats, the views that concats read and those of a
      scatter that the function returns in the place of the input that it updates, and reshapes. A
      reshape there is of an argument, of a constant or of what a kernel or a concat makes, and moves nothing.
      What the function returns beside those results and reshapes of them are its own arguments, constants,
      and reshapes of those.
    - F2: a kernel states `shape`, `row_dims` and `column_dims` (rule K5 of the op says how).
    - F3: operands and results are in line: aligned with `shape` at the right, each size is 1 or that of
      the shape. Inputs and views of inputs need not be until an op uses them, and operands that an op reads
      in memory (the indexed one of gather and scatter) need not be at all; nor what a scatter makes.
    - F4: a computed value runs along all rows or none, and along all columns or none (dimensions of size 1
      do not count). Constants of one number need not: they are immediates.
    - F5: reductions and named ops reduce exactly the columns (dimensions of size 1 do not count).
    - F6: computed values are viewed only by reshape (which adds dimensions of size 1) and expand.
    - F7: a matrix product reads its operands from HBM, and runs along all rows (batch and M) and all columns
      (N) of its kernel.
  }];
}

#endif // NEURON_FUSION_PASSES_TD
