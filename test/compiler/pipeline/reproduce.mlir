// The stages that a dump prints are pipelines that neuron-opt runs: run in turn
// they give what the compiler made.
// RUN: neuron-compile %s -o %t.neff --dump > %t.dump
// RUN: FileCheck %s < %t.dump
// RUN: neuron-opt %s --pass-pipeline='builtin.module(func.func(neuron-expand-matmul,canonicalize{region-simplify=disabled},cse,neuron-raise-named-ops{rounding=default},canonicalize{region-simplify=disabled},cse,neuron-verify-graph))' | neuron-opt --pass-pipeline='builtin.module(func.func(neuron-split-sorts{sbuf-bytes=212984},neuron-split-reductions{partitions=128},neuron-form-kernels{sbuf-bytes=212984 partitions=128},neuron-rounding{mode=default},canonicalize{region-simplify=disabled},cse,neuron-chain-kernels,neuron-verify-kernels))' | FileCheck %s --check-prefix=FUSED

// CHECK: ----- graph
// CHECK-NEXT: neuron-opt --pass-pipeline='builtin.module(func.func(neuron-expand-matmul,canonicalize{region-simplify=disabled},cse,neuron-raise-named-ops{rounding=default},canonicalize{region-simplify=disabled},cse,neuron-verify-graph))'
// CHECK: neuron.silu
// CHECK: ----- fused
// CHECK-NEXT: neuron-opt --pass-pipeline='builtin.module(func.func(neuron-split-sorts{sbuf-bytes=212984},neuron-split-reductions{partitions=128},neuron-form-kernels{sbuf-bytes=212984 partitions=128},neuron-rounding{mode=default},canonicalize{region-simplify=disabled},cse,neuron-chain-kernels,neuron-verify-kernels))'
// CHECK: neuron.kernel "silu"
// CHECK: ----- nisa
// CHECK: nisa.activation fn ["silu"]
// CHECK: ----- scheduled
// CHECK: wait = [#nisa.wait<
// FUSED: neuron.kernel "silu"
func.func @main(%x: tensor<4x512xf32>) -> tensor<4x512xf32> {
  %0 = neuron.sigmoid %x : tensor<4x512xf32>
  %1 = neuron.mul %x, %0 : (tensor<4x512xf32>, tensor<4x512xf32>) -> tensor<4x512xf32>
  return %1 : tensor<4x512xf32>
}
