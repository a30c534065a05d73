// Views that change nothing, views of views, and views of constants.
// RUN: neuron-opt %s --canonicalize --split-input-file | FileCheck %s

// CHECK-LABEL: @identities(
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>
func.func @identities(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = neuron.reshape %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = neuron.expand %0 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = neuron.permute %1 perm [0, 1] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %3 = neuron.slice %2 starts [0, 0] steps [1, 1] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: return %[[X]]
  return %3 : tensor<4x8xf32>
}

// -----

// A square transposition has the type of its operand, and is no identity.
// CHECK-LABEL: @no_identity(
func.func @no_identity(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // CHECK: neuron.permute
  %0 = neuron.permute %x perm [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

// CHECK-LABEL: @reshapes(
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>
func.func @reshapes(%x: tensor<4x8xf32>) -> (tensor<2x16xf32>, tensor<4x8xf32>) {
  %0 = neuron.reshape %x : (tensor<4x8xf32>) -> tensor<32xf32>
  // CHECK-NEXT: %[[A:.*]] = neuron.reshape %[[X]] : (tensor<4x8xf32>) -> tensor<2x16xf32>
  %1 = neuron.reshape %0 : (tensor<32xf32>) -> tensor<2x16xf32>
  %2 = neuron.reshape %1 : (tensor<2x16xf32>) -> tensor<4x8xf32>
  // CHECK-NEXT: return %[[A]], %[[X]]
  return %1, %2 : tensor<2x16xf32>, tensor<4x8xf32>
}

// -----

// CHECK-LABEL: @expands(
func.func @expands(%x: tensor<4x1xf32>) -> tensor<2x4x8xf32> {
  %0 = neuron.expand %x : (tensor<4x1xf32>) -> tensor<4x8xf32>
  // CHECK-NEXT: neuron.expand %{{.*}} : (tensor<4x1xf32>) -> tensor<2x4x8xf32>
  %1 = neuron.expand %0 : (tensor<4x8xf32>) -> tensor<2x4x8xf32>
  return %1 : tensor<2x4x8xf32>
}

// -----

// CHECK-LABEL: @permutes(
// CHECK-SAME: %[[X:.*]]: tensor<2x3x5xf32>
func.func @permutes(%x: tensor<2x3x5xf32>) -> (tensor<3x2x5xf32>, tensor<2x3x5xf32>) {
  %0 = neuron.permute %x perm [2, 0, 1] : (tensor<2x3x5xf32>) -> tensor<5x2x3xf32>
  // CHECK-NEXT: %[[A:.*]] = neuron.permute %[[X]] perm [1, 0, 2] : (tensor<2x3x5xf32>) -> tensor<3x2x5xf32>
  %1 = neuron.permute %0 perm [2, 1, 0] : (tensor<5x2x3xf32>) -> tensor<3x2x5xf32>
  %2 = neuron.permute %0 perm [1, 2, 0] : (tensor<5x2x3xf32>) -> tensor<2x3x5xf32>
  // CHECK-NEXT: return %[[A]], %[[X]]
  return %1, %2 : tensor<3x2x5xf32>, tensor<2x3x5xf32>
}

// -----

// CHECK-LABEL: @slices(
func.func @slices(%x: tensor<4x64xf32>) -> tensor<2x8xf32> {
  %0 = neuron.slice %x starts [1, 3] steps [1, 2] : (tensor<4x64xf32>) -> tensor<3x30xf32>
  // CHECK-NEXT: neuron.slice %{{.*}} starts [2, 7] steps [1, 6] : (tensor<4x64xf32>) -> tensor<2x8xf32>
  %1 = neuron.slice %0 starts [1, 2] steps [1, 3] : (tensor<3x30xf32>) -> tensor<2x8xf32>
  return %1 : tensor<2x8xf32>
}

// -----

// CHECK-LABEL: @to_reshape(
func.func @to_reshape(%x: tensor<1x8xf32>, %y: tensor<8xf32>) -> (tensor<8x1xf32>, tensor<1x1x8xf32>) {
  // CHECK-DAG: neuron.reshape %{{.*}} : (tensor<1x8xf32>) -> tensor<8x1xf32>
  %0 = neuron.permute %x perm [1, 0] : (tensor<1x8xf32>) -> tensor<8x1xf32>
  // CHECK-DAG: neuron.reshape %{{.*}} : (tensor<8xf32>) -> tensor<1x1x8xf32>
  %1 = neuron.expand %y : (tensor<8xf32>) -> tensor<1x1x8xf32>
  return %0, %1 : tensor<8x1xf32>, tensor<1x1x8xf32>
}

// -----

// A step that is not taken is 1.
// CHECK-LABEL: @step(
func.func @step(%x: tensor<8x8xf32>) -> tensor<1x4xf32> {
  // CHECK: neuron.slice %{{.*}} starts [3, 0] steps [1, 2]
  %0 = neuron.slice %x starts [3, 0] steps [9223372036854775807, 2] : (tensor<8x8xf32>) -> tensor<1x4xf32>
  return %0 : tensor<1x4xf32>
}

// -----

// CHECK-LABEL: @splats(
func.func @splats() -> (tensor<2x16xf32>, tensor<64x4x8xf32>, tensor<8x4xf32>, tensor<1x2xf32>) {
  %c = neuron.constant dense<1.5> : tensor<4x8xf32>
  // CHECK-DAG: %[[A:.*]] = neuron.constant dense<1.500000e+00> : tensor<2x16xf32>
  // CHECK-DAG: %[[B:.*]] = neuron.constant dense<1.500000e+00> : tensor<64x4x8xf32>
  // CHECK-DAG: %[[C:.*]] = neuron.constant dense<1.500000e+00> : tensor<8x4xf32>
  // CHECK-DAG: %[[D:.*]] = neuron.constant dense<1.500000e+00> : tensor<1x2xf32>
  %0 = neuron.reshape %c : (tensor<4x8xf32>) -> tensor<2x16xf32>
  %1 = neuron.expand %c : (tensor<4x8xf32>) -> tensor<64x4x8xf32>
  %2 = neuron.permute %c perm [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %3 = neuron.slice %c starts [3, 2] steps [1, 5] : (tensor<4x8xf32>) -> tensor<1x2xf32>
  // CHECK: return %[[A]], %[[B]], %[[C]], %[[D]]
  return %0, %1, %2, %3 : tensor<2x16xf32>, tensor<64x4x8xf32>, tensor<8x4xf32>, tensor<1x2xf32>
}

// -----

// CHECK-LABEL: @elements(
func.func @elements() -> (tensor<3x2xi32>, tensor<2x2x3xi32>, tensor<3x2xi32>, tensor<1x2xi32>) {
  %c = neuron.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  // CHECK-DAG: %[[A:.*]] = neuron.constant dense<{{\[\[}}1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
  // CHECK-DAG: %[[B:.*]] = neuron.constant dense<{{\[\[\[}}1, 2, 3], [4, 5, 6]], {{\[\[}}1, 2, 3], [4, 5, 6]]]> : tensor<2x2x3xi32>
  // CHECK-DAG: %[[C:.*]] = neuron.constant dense<{{\[\[}}1, 4], [2, 5], [3, 6]]> : tensor<3x2xi32>
  // CHECK-DAG: %[[D:.*]] = neuron.constant dense<{{\[\[}}4, 6]]> : tensor<1x2xi32>
  %0 = neuron.reshape %c : (tensor<2x3xi32>) -> tensor<3x2xi32>
  %1 = neuron.expand %c : (tensor<2x3xi32>) -> tensor<2x2x3xi32>
  %2 = neuron.permute %c perm [1, 0] : (tensor<2x3xi32>) -> tensor<3x2xi32>
  %3 = neuron.slice %c starts [1, 0] steps [4, 2] : (tensor<2x3xi32>) -> tensor<1x2xi32>
  // CHECK: return %[[A]], %[[B]], %[[C]], %[[D]]
  return %0, %1, %2, %3 : tensor<3x2xi32>, tensor<2x2x3xi32>, tensor<3x2xi32>, tensor<1x2xi32>
}

// -----

// Many different elements stay a view.
// CHECK-LABEL: @too_many(
func.func @too_many() -> tensor<1024x2xi32> {
  %c = neuron.constant dense<[1, 2]> : tensor<2xi32>
  // CHECK: neuron.expand
  %0 = neuron.expand %c : (tensor<2xi32>) -> tensor<1024x2xi32>
  return %0 : tensor<1024x2xi32>
}
