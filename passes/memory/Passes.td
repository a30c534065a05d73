//===- Passes.td - memory ------------------------------------*- tablegen -*-===//
#ifndef NEURON_MEMORY_PASSES_TD
#define NEURON_MEMORY_PASSES_TD

include "mlir/Pass/PassBase.td"

def PlaceTiles : Pass<"neuron-place-tiles", "::mlir::func::FuncOp"> {
  let summary = "gives every tile its place in SBUF or PSUM";
  let description = [{
    Sets `offset` (and `pitch`) on `nisa.alloc`. Tiles whose lifetimes do not
    overlap share bytes of PSUM, and of SBUF if all do not fit otherwise. In PSUM
    a tile starts on a bank. Fails if a kernel's tiles do not fit.
  }];
  let options = [
    Option<"sbufBytes", "sbuf-bytes", "int64_t",
           "int64_t(::neuron::target::defaultTarget().sbufUsableBytes)", "usable bytes a partition">,
    Option<"psumBytes", "psum-bytes", "int64_t",
           "int64_t(::neuron::target::defaultTarget().psumBytes)", "PSUM bytes a partition">,
  ];
  let dependentDialects = ["::neuron::nisa::NisaDialect"];
}

#endif // NEURON_MEMORY_PASSES_TD
