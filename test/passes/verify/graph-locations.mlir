// Rule G3 of --neuron-verify-graph. Its message has no line to stand at, so it is read from stderr.
// RUN: not neuron-opt %s --neuron-verify-graph --split-input-file -o /dev/null 2>&1 | FileCheck %s

// A place for errors and profiles.
// CHECK: error: 'neuron.neg' op G3: has no location
func.func @location(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = neuron.neg %x : tensor<4xf32> loc(unknown)
  return %0 : tensor<4xf32>
}

// -----

// Fusing unknown locations makes none.
// CHECK: error: 'neuron.exp' op G3: has no location
func.func @fused_location(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = neuron.exp %x : tensor<4xf32> loc(fused[unknown, unknown])
  return %0 : tensor<4xf32>
}

// -----

// Nor has a function without one.
// CHECK: error: 'func.func' op G3: has no location
func.func @function() {
  return
} loc(unknown)

// CHECK-NOT: error
