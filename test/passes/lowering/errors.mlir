// RUN: neuron-opt %s --neuron-lower-kernels --split-input-file --verify-diagnostics

// The fusion pass says what the kernel runs over.
func.func @no_space(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{L1: lowering wants the attributes 'shape' and 'column_dims'}}
  %0 = neuron.kernel "k" (%x = %arg0) : (tensor<4x8xf32>) -> tensor<4x8xf32> {
    %1 = neuron.exp %x : tensor<4x8xf32>
    neuron.yield %1 : tensor<4x8xf32>
  }
  return %0 : tensor<4x8xf32>
}

// -----

func.func @composite(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = neuron.kernel "k" (%x = %arg0) : (tensor<4x8xf32>) -> tensor<4x8xf32> {
    // expected-error @+1 {{L3: no instruction computes this op}}
    %1 = neuron.softmax %x dims [1] : tensor<4x8xf32>
    neuron.yield %1 : tensor<4x8xf32>
  } {shape = array<i64: 4, 8>, row_dims = array<i64: 0>, column_dims = array<i64: 1>}
  return %0 : tensor<4x8xf32>
}

// -----

func.func @not_written(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @-1 {{L10: is returned or a part of a concat, but no kernel writes it for this use alone}}
  return %arg0 : tensor<4x8xf32>
}

// -----

func.func @outside(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{L10: is returned or a part of a concat, but no kernel writes it for this use alone}}
  %0 = neuron.exp %arg0 : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
