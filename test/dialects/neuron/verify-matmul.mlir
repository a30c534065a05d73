// Rules M1 to M4, each broken once.
// RUN: neuron-opt %s --split-input-file --verify-diagnostics

func.func @m1(%a: tensor<4x8xf32>, %b: tensor<8x3xbf16>) -> tensor<4x3xf32> {
  // expected-error @+1 {{M1: operands must have one element type, got 'f32' and 'bf16'}}
  %0 = neuron.matmul %a, %b batch 0 contract 1 : tensor<4x8xf32>, tensor<8x3xbf16> -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// -----

func.func @m2(%a: tensor<4x8xbf16>, %b: tensor<8x3xbf16>) -> tensor<4x3xf64> {
  // expected-error @+1 {{M2: result of 'bf16' must have that type or f32, got 'f64'}}
  %0 = neuron.matmul %a, %b batch 0 contract 1 : tensor<4x8xbf16>, tensor<8x3xbf16> -> tensor<4x3xf64>
  return %0 : tensor<4x3xf64>
}

// -----

func.func @m3_ranks(%a: tensor<4x8xf32>, %b: tensor<8x3xf32>) -> tensor<4x3xf32> {
  // expected-error @+1 {{M3: operands must have 2 batch and 1 contracted dimensions, got [4, 8] and [8, 3]}}
  %0 = neuron.matmul %a, %b batch 2 contract 1 : tensor<4x8xf32>, tensor<8x3xf32> -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// -----

func.func @m3_sizes(%a: tensor<4x8xf32>, %b: tensor<7x3xf32>) -> tensor<4x3xf32> {
  // expected-error @+1 {{M3: batch and contracted dimensions must have equal sizes, got [4, 8] and [7, 3]}}
  %0 = neuron.matmul %a, %b batch 0 contract 1 : tensor<4x8xf32>, tensor<7x3xf32> -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// -----

func.func @m4(%a: tensor<4x8xf32>, %b: tensor<8x3xf32>) -> tensor<3x4xf32> {
  // expected-error @+1 {{M4: result must have the shape [4, 3], got [3, 4]}}
  %0 = neuron.matmul %a, %b batch 0 contract 1 : tensor<4x8xf32>, tensor<8x3xf32> -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}
