//===- Passes.td - schedule ----------------------------------*- tablegen -*-===//
#ifndef NEURON_SCHEDULE_PASSES_TD
#define NEURON_SCHEDULE_PASSES_TD

include "mlir/Pass/PassBase.td"

def Synchronize : Pass<"neuron-synchronize", "::mlir::func::FuncOp"> {
  let summary = "waits and signals between engines and DMA queues";
  let description = [{
    After placement. Program order stays; the units run concurrently. Every two
    accesses to the same bytes of SBUF of which one writes are ordered: by the
    order of their unit, or by a wait on the semaphore of the earlier one's unit.
    A wait that others imply is left out, so that each one that is there matters.
  }];
  let dependentDialects = ["::neuron::nisa::NisaDialect"];
}

#endif // NEURON_SCHEDULE_PASSES_TD
