//===- Passes.td - what holds at the end of a phase ----------*- tablegen -*-===//
//
// Each phase of the compiler ends in a pass that checks what the next one may
// rely on, beyond the verifiers of single ops. They change nothing. A message
// starts with the number of the rule that is broken; it is a bug of the phase,
// not of the user's program.
//
//===----------------------------------------------------------------------===//
#ifndef NEURON_VERIFY_PASSES_TD
#define NEURON_VERIFY_PASSES_TD

include "mlir/Pass/PassBase.td"

def VerifyGraph : Pass<"neuron-verify-graph", "::mlir::func::FuncOp"> {
  let summary = "check what may stand in the graph: the end of import and of the graph passes";
  let description = [{
    Stage: after import and after the graph passes, before fusion. Rules:

    - G1: a function holds operations of the neuron dialect and a return. No kernel is there yet, and no
      function is called.
    - G2: a function has one block. Its arguments and results are tensors of rule T1: a static shape of rank 0
      to 8 and an element type of the dialect.
    - G3: every operation has a location: an error or a profile can name the user's line. Constants are exempt,
      because equal constants of several lines are one.

    ```mlir
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = neuron.exp %x : tensor<4xf32> loc("node":1:1)
      return %0 : tensor<4xf32> loc("node":2:1)
    } loc("graph":1:1)
    ```
  }];
}

#endif // NEURON_VERIFY_PASSES_TD
