// RUN: neuron-opt %s --neuron-lower-kernels --split-input-file | FileCheck %s

// Equal kernels are lowered once. What the second reads of its own stands in the
// place of what the first reads.
// CHECK-LABEL: func.func @layers
// CHECK-SAME: [[X:%[a-z0-9]+]]: memref<4x64xf32, #nisa.mem<hbm>> {neuron.kind = "input"}, [[W:%[a-z0-9]+]]: memref<4x64xf32, #nisa.mem<hbm>> {neuron.kind = "input"}, [[V:%[a-z0-9]+]]: memref<4x64xf32, #nisa.mem<hbm>> {neuron.kind = "input"}, [[Y:%[a-z0-9]+]]:
// CHECK: [[A:%.*]] = nisa.scratch
// CHECK: nisa.kernel "mul"
// CHECK-NOT: nisa.kernel
// CHECK: nisa.repeat "mul_1" of "mul" from([[X]], [[W]], [[A]]) to([[A]], [[V]], [[Y]]) : memref<4x64xf32, #nisa.mem<hbm>>, memref<4x64xf32, #nisa.mem<hbm>>, memref<4x64xf32, #nisa.mem<hbm>>
func.func @layers(%arg0: tensor<4x64xf32>, %arg1: tensor<4x64xf32>, %arg2: tensor<4x64xf32>) -> tensor<4x64xf32> {
  %0 = neuron.kernel "mul" (%x = %arg0, %y = %arg1) : (tensor<4x64xf32>, tensor<4x64xf32>) -> tensor<4x64xf32> {
    %r = neuron.mul %x, %y : (tensor<4x64xf32>, tensor<4x64xf32>) -> tensor<4x64xf32>
    neuron.yield %r : tensor<4x64xf32>
  } {shape = array<i64: 4, 64>, row_dims = array<i64: 0>, column_dims = array<i64: 1>}
  %1 = neuron.kernel "mul_1" (%x = %0, %y = %arg2) : (tensor<4x64xf32>, tensor<4x64xf32>) -> tensor<4x64xf32> {
    %r = neuron.mul %x, %y : (tensor<4x64xf32>, tensor<4x64xf32>) -> tensor<4x64xf32>
    neuron.yield %r : tensor<4x64xf32>
  } {shape = array<i64: 4, 64>, row_dims = array<i64: 0>, column_dims = array<i64: 1>}
  return %1 : tensor<4x64xf32>
}

// -----

// Another op, another constant, or one variable in the place of two is another kernel.
// CHECK-LABEL: func.func @others
// CHECK: nisa.kernel "mul"
// CHECK: nisa.kernel "add"
// CHECK: nisa.kernel "square"
// CHECK: nisa.kernel "times_two"
// CHECK: nisa.kernel "times_three"
// CHECK-NOT: nisa.repeat
func.func @others(%arg0: tensor<4x64xf32>, %arg1: tensor<4x64xf32>) -> tensor<4x64xf32> {
  %0 = neuron.kernel "mul" (%x = %arg0, %y = %arg1) : (tensor<4x64xf32>, tensor<4x64xf32>) -> tensor<4x64xf32> {
    %r = neuron.mul %x, %y : (tensor<4x64xf32>, tensor<4x64xf32>) -> tensor<4x64xf32>
    neuron.yield %r : tensor<4x64xf32>
  } {shape = array<i64: 4, 64>, row_dims = array<i64: 0>, column_dims = array<i64: 1>}
  %1 = neuron.kernel "add" (%x = %0, %y = %arg1) : (tensor<4x64xf32>, tensor<4x64xf32>) -> tensor<4x64xf32> {
    %r = neuron.add %x, %y : (tensor<4x64xf32>, tensor<4x64xf32>) -> tensor<4x64xf32>
    neuron.yield %r : tensor<4x64xf32>
  } {shape = array<i64: 4, 64>, row_dims = array<i64: 0>, column_dims = array<i64: 1>}
  %2 = neuron.kernel "square" (%x = %1, %y = %1) : (tensor<4x64xf32>, tensor<4x64xf32>) -> tensor<4x64xf32> {
    %r = neuron.mul %x, %y : (tensor<4x64xf32>, tensor<4x64xf32>) -> tensor<4x64xf32>
    neuron.yield %r : tensor<4x64xf32>
  } {shape = array<i64: 4, 64>, row_dims = array<i64: 0>, column_dims = array<i64: 1>}
  %3 = neuron.kernel "times_two" (%x = %2, %y = %arg1) : (tensor<4x64xf32>, tensor<4x64xf32>) -> tensor<4x64xf32> {
    %c = neuron.constant dense<2.0> : tensor<f32>
    %p = neuron.mul %x, %c : (tensor<4x64xf32>, tensor<f32>) -> tensor<4x64xf32>
    %r = neuron.add %p, %y : (tensor<4x64xf32>, tensor<4x64xf32>) -> tensor<4x64xf32>
    neuron.yield %r : tensor<4x64xf32>
  } {shape = array<i64: 4, 64>, row_dims = array<i64: 0>, column_dims = array<i64: 1>}
  %4 = neuron.kernel "times_three" (%x = %3, %y = %arg1) : (tensor<4x64xf32>, tensor<4x64xf32>) -> tensor<4x64xf32> {
    %c = neuron.constant dense<3.0> : tensor<f32>
    %p = neuron.mul %x, %c : (tensor<4x64xf32>, tensor<f32>) -> tensor<4x64xf32>
    %r = neuron.add %p, %y : (tensor<4x64xf32>, tensor<4x64xf32>) -> tensor<4x64xf32>
    neuron.yield %r : tensor<4x64xf32>
  } {shape = array<i64: 4, 64>, row_dims = array<i64: 0>, column_dims = array<i64: 1>}
  return %4 : tensor<4x64xf32>
}

// -----

// So is one whose input lies otherwise in its variable.
// CHECK-LABEL: func.func @layouts
// CHECK: nisa.kernel "mul"
// CHECK: nisa.kernel "mul_1"
// CHECK-NOT: nisa.repeat
func.func @layouts(%arg0: tensor<4x64xf32>, %arg1: tensor<4x64xf32>, %arg2: tensor<4x64xf32> {neuron.strides = array<i64: 1, 4>}) -> tensor<4x64xf32> {
  %0 = neuron.kernel "mul" (%x = %arg0, %y = %arg1) : (tensor<4x64xf32>, tensor<4x64xf32>) -> tensor<4x64xf32> {
    %r = neuron.mul %x, %y : (tensor<4x64xf32>, tensor<4x64xf32>) -> tensor<4x64xf32>
    neuron.yield %r : tensor<4x64xf32>
  } {shape = array<i64: 4, 64>, row_dims = array<i64: 0>, column_dims = array<i64: 1>}
  %1 = neuron.kernel "mul_1" (%x = %0, %y = %arg2) : (tensor<4x64xf32>, tensor<4x64xf32>) -> tensor<4x64xf32> {
    %r = neuron.mul %x, %y : (tensor<4x64xf32>, tensor<4x64xf32>) -> tensor<4x64xf32>
    neuron.yield %r : tensor<4x64xf32>
  } {shape = array<i64: 4, 64>, row_dims = array<i64: 0>, column_dims = array<i64: 1>}
  return %1 : tensor<4x64xf32>
}

// -----

// A repeat names what it repeats: a repeated kernel that shares its name gets
// another.
// CHECK-LABEL: func.func @names
// CHECK: nisa.kernel "f"
// CHECK: nisa.kernel "f_2"
// CHECK: nisa.kernel "f_1"
// CHECK: nisa.repeat "f" of "f_2" from
func.func @names(%arg0: tensor<4x64xf32>) -> tensor<4x64xf32> {
  %0 = neuron.kernel "f" (%x = %arg0) : (tensor<4x64xf32>) -> tensor<4x64xf32> {
    %r = neuron.square %x : tensor<4x64xf32>
    neuron.yield %r : tensor<4x64xf32>
  } {shape = array<i64: 4, 64>, row_dims = array<i64: 0>, column_dims = array<i64: 1>}
  %1 = neuron.kernel "f" (%x = %0) : (tensor<4x64xf32>) -> tensor<4x64xf32> {
    %r = neuron.exp %x : tensor<4x64xf32>
    neuron.yield %r : tensor<4x64xf32>
  } {shape = array<i64: 4, 64>, row_dims = array<i64: 0>, column_dims = array<i64: 1>}
  %2 = neuron.kernel "f_1" (%x = %1) : (tensor<4x64xf32>) -> tensor<4x64xf32> {
    %r = neuron.tanh %x : tensor<4x64xf32>
    neuron.yield %r : tensor<4x64xf32>
  } {shape = array<i64: 4, 64>, row_dims = array<i64: 0>, column_dims = array<i64: 1>}
  %3 = neuron.kernel "f" (%x = %2) : (tensor<4x64xf32>) -> tensor<4x64xf32> {
    %r = neuron.exp %x : tensor<4x64xf32>
    neuron.yield %r : tensor<4x64xf32>
  } {shape = array<i64: 4, 64>, row_dims = array<i64: 0>, column_dims = array<i64: 1>}
  return %3 : tensor<4x64xf32>
}
