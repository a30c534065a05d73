// RUN: neuron-opt %s --neuron-verify-kernels --split-input-file --verify-diagnostics
// Rules F1 to F6.

func.func @f1(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{F1: must be in a kernel}}
  %0 = neuron.exp %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @f2_missing(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{F2: must state its shape, row_dims and column_dims}}
  %0 = neuron.kernel "k" (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %1 = neuron.exp %a : tensor<4xf32>
    neuron.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @f3(%x: tensor<2x4xf32>) -> tensor<8xf32> {
  %0 = neuron.kernel "k" (%a = %x) : (tensor<2x4xf32>) -> tensor<8xf32> {
    %1 = neuron.reshape %a : (tensor<2x4xf32>) -> tensor<8xf32>
    // expected-error @below {{F3: 'tensor<8xf32>' is not in line with the kernel's shape}}
    %2 = neuron.exp %1 : tensor<8xf32>
    neuron.yield %2 : tensor<8xf32>
  } {shape = array<i64: 2, 4>, row_dims = array<i64: 0>, column_dims = array<i64: 1>}
  return %0 : tensor<8xf32>
}

// -----

func.func @f4(%x: tensor<2x4x8xf32>, %y: tensor<4x8xf32>) -> tensor<2x4x8xf32> {
  %0 = neuron.kernel "k" (%a = %x, %b = %y) : (tensor<2x4x8xf32>, tensor<4x8xf32>) -> tensor<2x4x8xf32> {
    // expected-error @below {{F4: runs along some of the kernel's rows but not along all}}
    %1 = neuron.exp %b : tensor<4x8xf32>
    %2 = neuron.add %a, %1 : (tensor<2x4x8xf32>, tensor<4x8xf32>) -> tensor<2x4x8xf32>
    neuron.yield %2 : tensor<2x4x8xf32>
  } {shape = array<i64: 2, 4, 8>, row_dims = array<i64: 0, 1>, column_dims = array<i64: 2>}
  return %0 : tensor<2x4x8xf32>
}

// -----

// F4: a constant of one number may be of any shape that is in line.
func.func @f4_constant(%x: tensor<2x4x8xf32>) -> tensor<2x4x8xf32> {
  %0 = neuron.kernel "k" (%a = %x) : (tensor<2x4x8xf32>) -> tensor<2x4x8xf32> {
    %1 = neuron.constant dense<2.0> : tensor<4x8xf32>
    %2 = neuron.add %a, %1 : (tensor<2x4x8xf32>, tensor<4x8xf32>) -> tensor<2x4x8xf32>
    neuron.yield %2 : tensor<2x4x8xf32>
  } {shape = array<i64: 2, 4, 8>, row_dims = array<i64: 0, 1>, column_dims = array<i64: 2>}
  return %0 : tensor<2x4x8xf32>
}

// -----

// Numbers of their own are read, and lie along all rows.
func.func @f4_numbers(%x: tensor<2x2x8xf32>) -> tensor<2x2x8xf32> {
  %0 = neuron.kernel "k" (%a = %x) : (tensor<2x2x8xf32>) -> tensor<2x2x8xf32> {
    // expected-error @below {{F4: runs along some of the kernel's rows but not along all}}
    %1 = neuron.constant dense<[[1.0], [2.0]]> : tensor<2x1xf32>
    %2 = neuron.add %a, %1 : (tensor<2x2x8xf32>, tensor<2x1xf32>) -> tensor<2x2x8xf32>
    neuron.yield %2 : tensor<2x2x8xf32>
  } {shape = array<i64: 2, 2, 8>, row_dims = array<i64: 0, 1>, column_dims = array<i64: 2>}
  return %0 : tensor<2x2x8xf32>
}

// -----

func.func @f5(%x: tensor<4x8xf32>) -> tensor<8xf32> {
  %0 = neuron.kernel "k" (%a = %x) : (tensor<4x8xf32>) -> tensor<8xf32> {
    // expected-error @below {{F5: must reduce the kernel's columns}}
    %1 = neuron.sum %a dims [0] : (tensor<4x8xf32>) -> tensor<8xf32>
    neuron.yield %1 : tensor<8xf32>
  } {shape = array<i64: 4, 8>, row_dims = array<i64: 0>, column_dims = array<i64: 1>}
  return %0 : tensor<8xf32>
}

// -----

func.func @f6(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = neuron.kernel "k" (%a = %x) : (tensor<8x8xf32>) -> tensor<8x8xf32> {
    %1 = neuron.exp %a : tensor<8x8xf32>
    // expected-error @below {{F6: must not view a value that is on chip}}
    %2 = neuron.permute %1 perm [1, 0] : (tensor<8x8xf32>) -> tensor<8x8xf32>
    neuron.yield %2 : tensor<8x8xf32>
  } {shape = array<i64: 8, 8>, row_dims = array<i64: 0>, column_dims = array<i64: 1>}
  return %0 : tensor<8x8xf32>
}

// -----

// Nothing is wrong here: broadcast inputs, and a reshape of what was written.
func.func @good(%x: tensor<2x4x8xf32>, %y: tensor<4x1xf32>) -> tensor<8x8xf32> {
  %0 = neuron.kernel "k" (%a = %x, %b = %y) : (tensor<2x4x8xf32>, tensor<4x1xf32>) -> tensor<2x4x8xf32> {
    %1 = neuron.add %a, %b : (tensor<2x4x8xf32>, tensor<4x1xf32>) -> tensor<2x4x8xf32>
    neuron.yield %1 : tensor<2x4x8xf32>
  } {shape = array<i64: 2, 4, 8>, row_dims = array<i64: 0, 1>, column_dims = array<i64: 2>}
  %1 = neuron.reshape %0 : (tensor<2x4x8xf32>) -> tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
