//===- Passes.td - from kernels to instructions --------------*- tablegen -*-===//
#ifndef NEURON_LOWERING_PASSES_TD
#define NEURON_LOWERING_PASSES_TD

include "mlir/Pass/PassBase.td"

def DecomposeComposites : Pass<"neuron-decompose-composites", "::mlir::func::FuncOp"> {
  let summary = "named ops in kernels to elementwise ops and plain reductions";
  let description = [{
    After rounding and before lowering. Leaves elementwise ops, casts, sum, prod,
    max, min, any, all, argmax, argmin, constants, integer iota and views.

    ```mlir
    %y = neuron.rms_norm %x dims [1] eps 1.0e-6 : ...
    // becomes
    %0 = neuron.square %x
    %1 = neuron.sum %0 dims [1] keepdim
    %2 = neuron.mul %1, 1/n
    %3 = neuron.add %2, eps
    %4 = neuron.rsqrt %3
    %y = neuron.mul %x, %4
    ```
  }];
  let dependentDialects = ["::neuron::ir::NeuronDialect"];
}

def MaterializeOutputs : Pass<"neuron-materialize-outputs", "::mlir::func::FuncOp"> {
  let summary = "every result of the function becomes something that a kernel writes";
  let description = [{
    A result or an operand of a concat that is an argument, a constant, or a view
    that strides cannot turn round, is copied by a kernel of its own; a value that
    goes to several of them is yielded once for each. What a kernel writes may
    then be laid out as its result or its part of a concat wants it. A scatter
    overwrites its destination, which is copied first unless nothing else reads it.
  }];
  let dependentDialects = ["::neuron::ir::NeuronDialect"];
}

def FillPartitions : Pass<"neuron-fill-partitions", "::mlir::func::FuncOp"> {
  let summary = "cuts columns into rows where a kernel has fewer rows than partitions";
  let description = [{
    Only where nothing is reduced. Runs behind neuron-materialize-outputs, so that
    copies are cut as well.

    ```mlir
    neuron.kernel "exp" (%x = %arg0) ... {
      %1 = neuron.exp %x : tensor<65536xf32>
      ...
    } {shape = [65536], row_dims = [], column_dims = [0]}
    // becomes
    neuron.kernel "exp" (%x = %arg0) ... {
      %0 = neuron.reshape %x : (tensor<65536xf32>) -> tensor<128x512xf32>
      %1 = neuron.exp %0 : tensor<128x512xf32>
      ...
    } {shape = [128, 512], row_dims = [0], column_dims = [1]}
    ```
  }];
  let options = [
    Option<"partitions", "partitions", "int64_t",
           "int64_t(::neuron::target::defaultTarget().partitions)", "partitions of SBUF">,
    Option<"minColumns", "min-columns", "int64_t", "512",
           "columns that a row keeps, for the sake of its DMA">,
  ];
  let dependentDialects = ["::neuron::ir::NeuronDialect"];
}

def LowerKernels : Pass<"neuron-lower-kernels", "::mlir::func::FuncOp"> {
  let summary = "neuron.kernel to nisa.kernel";
  let description = [{
    The function's tensors become HBM variables (results: arguments that are
    written), each row kernel becomes loops of instructions over tiles of 128
    rows. Selection covers the kernel's ops by instructions; columns are cut into
    chunks when a row does not fit SBUF, and statistics are then accumulated in
    phases that each read the row again. A kernel that is an earlier one on other
    variables becomes a nisa.repeat of it.
  }];
  let options = [
    Option<"partitions", "partitions", "int64_t",
           "int64_t(::neuron::target::defaultTarget().partitions)", "partitions of SBUF">,
    Option<"sbufBytes", "sbuf-bytes", "int64_t",
           "int64_t(::neuron::target::defaultTarget().sbufUsableBytes)", "usable bytes a partition">,
    Option<"productColumns", "product-columns", "int64_t",
           "int64_t(::neuron::target::defaultTarget().psumBankBytes / 4)",
           "columns that a matmul instruction writes, at most: f32 in a bank of PSUM">,
    Option<"target", "target", "std::string",
           "std::string(::neuron::target::defaultTarget().name)",
           "the device whose costs choose between instructions">,
    Option<"work", "work", "bool", "false",
           "note on each nisa.kernel, in the attribute `work`, what it has to do">,
  ];
  let dependentDialects = ["::neuron::nisa::NisaDialect"];
}

#endif // NEURON_LOWERING_PASSES_TD
