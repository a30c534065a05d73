// RUN: neuron-opt %s --canonicalize --split-input-file | FileCheck %s

// Nothing is put together of one operand, and of operands without elements.
// CHECK-LABEL: @one(
// CHECK-SAME: %[[A:.*]]: tensor<4xf32>
func.func @one(%a: tensor<4xf32>, %e: tensor<0xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: return %[[A]]
  %r = neuron.concat %e, %a, %e dim 0 : (tensor<0xf32>, tensor<4xf32>, tensor<0xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// CHECK-LABEL: @constants(
func.func @constants() -> (tensor<2x3xi32>, tensor<100x200xf32>) {
  // CHECK-DAG: neuron.constant dense<{{\[\[}}1, 2, 7], [3, 4, 7]]> : tensor<2x3xi32>
  // CHECK-DAG: neuron.constant dense<1.5{{.*}}> : tensor<100x200xf32>
  // CHECK-NOT: neuron.concat
  %a = neuron.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %b = neuron.constant dense<7> : tensor<2x1xi32>
  %c = neuron.constant dense<1.5> : tensor<100x100xf32>
  %0 = neuron.concat %a, %b dim 1 : (tensor<2x2xi32>, tensor<2x1xi32>) -> tensor<2x3xi32>
  %1 = neuron.concat %c, %c dim 1 : (tensor<100x100xf32>, tensor<100x100xf32>) -> tensor<100x200xf32>
  return %0, %1 : tensor<2x3xi32>, tensor<100x200xf32>
}

// -----

// CHECK-LABEL: @nested(
// CHECK-SAME: %[[A:.*]]: tensor<4xf32>, %[[B:.*]]: tensor<3xf32>
func.func @nested(%a: tensor<4xf32>, %b: tensor<3xf32>) -> tensor<10xf32> {
  // CHECK-NEXT: %[[R:.*]] = neuron.concat %[[A]], %[[B]], %[[B]] dim 0
  // CHECK-NEXT: return %[[R]]
  %0 = neuron.concat %a, %b dim 0 : (tensor<4xf32>, tensor<3xf32>) -> tensor<7xf32>
  %1 = neuron.concat %0, %b dim 0 : (tensor<7xf32>, tensor<3xf32>) -> tensor<10xf32>
  return %1 : tensor<10xf32>
}

// -----

// What is used elsewhere too stays: its elements are written once.
// CHECK-LABEL: @nested_used(
func.func @nested_used(%a: tensor<4xf32>, %b: tensor<3xf32>) -> (tensor<7xf32>, tensor<10xf32>) {
  // CHECK-COUNT-2: neuron.concat
  %0 = neuron.concat %a, %b dim 0 : (tensor<4xf32>, tensor<3xf32>) -> tensor<7xf32>
  %1 = neuron.concat %0, %b dim 0 : (tensor<7xf32>, tensor<3xf32>) -> tensor<10xf32>
  return %0, %1 : tensor<7xf32>, tensor<10xf32>
}

// -----

// Slices that follow one another are one, also backwards and of one element.
// CHECK-LABEL: @slices(
func.func @slices(%x: tensor<2x8xf32>) -> (tensor<2x8xf32>, tensor<2x4xf32>, tensor<2x2xf32>) {
  // CHECK-DAG: %[[B:.*]] = neuron.slice %{{.*}} starts [0, 7] steps [1, -2] : (tensor<2x8xf32>) -> tensor<2x4xf32>
  // CHECK-DAG: %[[C:.*]] = neuron.slice %{{.*}} starts [0, 6] steps [1, -5] : (tensor<2x8xf32>) -> tensor<2x2xf32>
  // CHECK: return %{{.*}}, %[[B]], %[[C]]
  %0 = neuron.slice %x starts [0, 0] steps [1, 1] : (tensor<2x8xf32>) -> tensor<2x3xf32>
  %1 = neuron.slice %x starts [0, 3] steps [1, 1] : (tensor<2x8xf32>) -> tensor<2x5xf32>
  %a = neuron.concat %0, %1 dim 1 : (tensor<2x3xf32>, tensor<2x5xf32>) -> tensor<2x8xf32>
  %2 = neuron.slice %x starts [0, 7] steps [1, -2] : (tensor<2x8xf32>) -> tensor<2x3xf32>
  %3 = neuron.slice %x starts [0, 1] steps [1, 1] : (tensor<2x8xf32>) -> tensor<2x1xf32>
  %b = neuron.concat %2, %3 dim 1 : (tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  %4 = neuron.slice %x starts [0, 6] steps [1, 1] : (tensor<2x8xf32>) -> tensor<2x1xf32>
  %c = neuron.concat %4, %3 dim 1 : (tensor<2x1xf32>, tensor<2x1xf32>) -> tensor<2x2xf32>
  return %a, %b, %c : tensor<2x8xf32>, tensor<2x4xf32>, tensor<2x2xf32>
}

// -----

// Slices with a gap, of other rows or of another value are not.
// CHECK-LABEL: @apart(
func.func @apart(%x: tensor<4x8xf32>) -> (tensor<2x5xf32>, tensor<2x4xf32>) {
  // CHECK-COUNT-2: neuron.concat
  %0 = neuron.slice %x starts [0, 0] steps [1, 1] : (tensor<4x8xf32>) -> tensor<2x3xf32>
  %1 = neuron.slice %x starts [0, 4] steps [1, 1] : (tensor<4x8xf32>) -> tensor<2x2xf32>
  %a = neuron.concat %0, %1 dim 1 : (tensor<2x3xf32>, tensor<2x2xf32>) -> tensor<2x5xf32>
  %2 = neuron.slice %x starts [1, 0] steps [1, 1] : (tensor<4x8xf32>) -> tensor<2x2xf32>
  %3 = neuron.slice %x starts [0, 2] steps [1, 1] : (tensor<4x8xf32>) -> tensor<2x2xf32>
  %b = neuron.concat %2, %3 dim 1 : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x4xf32>
  return %a, %b : tensor<2x5xf32>, tensor<2x4xf32>
}

// -----

// One number is filled in once.
// CHECK-LABEL: @fills(
func.func @fills(%x: tensor<8xf32>) -> tensor<13xf32> {
  // CHECK-DAG: %[[C:.*]] = neuron.constant dense<0.0{{.*}}> : tensor<5xf32>
  // CHECK: neuron.concat %{{.*}}, %[[C]] dim 0 : (tensor<8xf32>, tensor<5xf32>)
  %a = neuron.constant dense<0.0> : tensor<2xf32>
  %b = neuron.constant dense<0.0> : tensor<3xf32>
  %0 = neuron.concat %x, %a, %b dim 0 : (tensor<8xf32>, tensor<2xf32>, tensor<3xf32>) -> tensor<13xf32>
  return %0 : tensor<13xf32>
}

// -----

// One value again and again is a broadcast.
// CHECK-LABEL: @repeated(
func.func @repeated(%x: tensor<2x3xf32>) -> tensor<2x9xf32> {
  // CHECK: %[[A:.*]] = neuron.reshape %{{.*}} : (tensor<2x3xf32>) -> tensor<2x1x3xf32>
  // CHECK: %[[B:.*]] = neuron.expand %[[A]] : (tensor<2x1x3xf32>) -> tensor<2x3x3xf32>
  // CHECK: neuron.reshape %[[B]] : (tensor<2x3x3xf32>) -> tensor<2x9xf32>
  %0 = neuron.concat %x, %x, %x dim 1 : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x9xf32>
  return %0 : tensor<2x9xf32>
}

// -----

// A slice of one operand does not need the others.
// CHECK-LABEL: @part(
// CHECK-SAME: %[[A:.*]]: tensor<2xf32>, %[[B:.*]]: tensor<5xf32>
func.func @part(%a: tensor<2xf32>, %b: tensor<5xf32>) -> tensor<3xf32> {
  // CHECK-NEXT: %[[R:.*]] = neuron.slice %[[B]] starts [4] steps [-2] : (tensor<5xf32>) -> tensor<3xf32>
  // CHECK-NEXT: return %[[R]]
  %0 = neuron.concat %a, %b dim 0 : (tensor<2xf32>, tensor<5xf32>) -> tensor<7xf32>
  %1 = neuron.slice %0 starts [6] steps [-2] : (tensor<7xf32>) -> tensor<3xf32>
  return %1 : tensor<3xf32>
}

// -----

// CHECK-LABEL: @parts(
func.func @parts(%a: tensor<2xf32>, %b: tensor<5xf32>) -> tensor<2xf32> {
  // CHECK: neuron.concat
  %0 = neuron.concat %a, %b dim 0 : (tensor<2xf32>, tensor<5xf32>) -> tensor<7xf32>
  %1 = neuron.slice %0 starts [1] steps [1] : (tensor<7xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

// -----

// A reversal of a reversal is none; a reversed constant is another.
// CHECK-LABEL: @reversed(
// CHECK-SAME: %[[X:.*]]: tensor<5xf32>
func.func @reversed(%x: tensor<5xf32>) -> (tensor<5xf32>, tensor<3xi32>) {
  // CHECK-DAG: %[[C:.*]] = neuron.constant dense<[3, 2, 1]> : tensor<3xi32>
  // CHECK: return %[[X]], %[[C]]
  %0 = neuron.slice %x starts [4] steps [-1] : (tensor<5xf32>) -> tensor<5xf32>
  %1 = neuron.slice %0 starts [4] steps [-1] : (tensor<5xf32>) -> tensor<5xf32>
  %c = neuron.constant dense<[1, 2, 3]> : tensor<3xi32>
  %2 = neuron.slice %c starts [2] steps [-1] : (tensor<3xi32>) -> tensor<3xi32>
  return %1, %2 : tensor<5xf32>, tensor<3xi32>
}

// -----

// A reversal of all elements is no identity.
// CHECK-LABEL: @reversal(
func.func @reversal(%x: tensor<5xf32>) -> tensor<5xf32> {
  // CHECK: neuron.slice %{{.*}} starts [4] steps [-1]
  %0 = neuron.slice %x starts [4] steps [-1] : (tensor<5xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

// -----

// Windows that do not overlap are a reshape; of one element, a slice.
// CHECK-LABEL: @windows(
func.func @windows(%x: tensor<2x9xf32>) -> (tensor<2x3x3xf32>, tensor<2x4x1xf32>, tensor<2x1x3xf32>) {
  // CHECK-DAG: neuron.reshape %{{.*}} : (tensor<2x9xf32>) -> tensor<2x3x3xf32>
  // CHECK-DAG: neuron.slice %{{.*}} starts [0, 0] steps [1, 2] : (tensor<2x9xf32>) -> tensor<2x4xf32>
  // CHECK-DAG: neuron.slice %{{.*}} starts [0, 0] steps [1, 4] : (tensor<2x9xf32>) -> tensor<2x3xf32>
  // CHECK-NOT: neuron.window
  %0 = neuron.window %x dim 1 step 3 dilation 1 : (tensor<2x9xf32>) -> tensor<2x3x3xf32>
  %1 = neuron.window %x dim 1 step 2 dilation 1 : (tensor<2x9xf32>) -> tensor<2x4x1xf32>
  %2 = neuron.window %x dim 1 step 9 dilation 4 : (tensor<2x9xf32>) -> tensor<2x1x3xf32>
  return %0, %1, %2 : tensor<2x3x3xf32>, tensor<2x4x1xf32>, tensor<2x1x3xf32>
}

// -----

// CHECK-LABEL: @window_of_constant(
func.func @window_of_constant() -> tensor<3x2xi32> {
  // CHECK: neuron.constant dense<{{\[\[}}1, 3], [2, 4], [3, 5]]> : tensor<3x2xi32>
  %c = neuron.constant dense<[1, 2, 3, 4, 5]> : tensor<5xi32>
  %0 = neuron.window %c dim 0 step 1 dilation 2 : (tensor<5xi32>) -> tensor<3x2xi32>
  return %0 : tensor<3x2xi32>
}
