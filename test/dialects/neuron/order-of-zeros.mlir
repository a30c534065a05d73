// RUN: neuron-opt %s --canonicalize --cse | FileCheck %s

// Of 0.0 and -0.0 these take the left operand: a constant must stay where it is,
// and two of them with swapped operands are not equal.

// CHECK-LABEL: @maximum(
func.func @maximum(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %zero = neuron.constant dense<0.0> : tensor<f32>
  // CHECK: neuron.maximum %[[ZERO:.*]], %arg0 : (tensor<f32>, tensor<8xf32>)
  %0 = neuron.maximum %zero, %x : (tensor<f32>, tensor<8xf32>) -> tensor<8xf32>
  // CHECK: neuron.maximum %arg0, %arg1
  %1 = neuron.maximum %x, %y : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  // CHECK: neuron.maximum %arg1, %arg0
  %2 = neuron.maximum %y, %x : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %0, %1, %2 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: @minimum(
func.func @minimum(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %zero = neuron.constant dense<0.0> : tensor<f32>
  // CHECK: neuron.minimum %[[ZERO:.*]], %arg0 : (tensor<f32>, tensor<8xf32>)
  %0 = neuron.minimum %zero, %x : (tensor<f32>, tensor<8xf32>) -> tensor<8xf32>
  // CHECK: neuron.minimum %arg0, %arg1
  %1 = neuron.minimum %x, %y : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  // CHECK: neuron.minimum %arg1, %arg0
  %2 = neuron.minimum %y, %x : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %0, %1, %2 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: @fmax(
func.func @fmax(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %zero = neuron.constant dense<0.0> : tensor<f32>
  // CHECK: neuron.fmax %[[ZERO:.*]], %arg0 : (tensor<f32>, tensor<8xf32>)
  %0 = neuron.fmax %zero, %x : (tensor<f32>, tensor<8xf32>) -> tensor<8xf32>
  // CHECK: neuron.fmax %arg0, %arg1
  %1 = neuron.fmax %x, %y : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  // CHECK: neuron.fmax %arg1, %arg0
  %2 = neuron.fmax %y, %x : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %0, %1, %2 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: @fmin(
func.func @fmin(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %zero = neuron.constant dense<0.0> : tensor<f32>
  // CHECK: neuron.fmin %[[ZERO:.*]], %arg0 : (tensor<f32>, tensor<8xf32>)
  %0 = neuron.fmin %zero, %x : (tensor<f32>, tensor<8xf32>) -> tensor<8xf32>
  // CHECK: neuron.fmin %arg0, %arg1
  %1 = neuron.fmin %x, %y : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  // CHECK: neuron.fmin %arg1, %arg0
  %2 = neuron.fmin %y, %x : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %0, %1, %2 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
