// A product prints what it parses, with any number of dimensions in each place.
// RUN: neuron-opt %s | neuron-opt | FileCheck %s
// RUN: neuron-opt %s --canonicalize | FileCheck %s --check-prefix=CANON

// CHECK-LABEL: @plain(
func.func @plain(%a: tensor<4x8xbf16>, %b: tensor<8x3xbf16>) -> (tensor<4x3xbf16>, tensor<4x3xf32>) {
  // CHECK: neuron.matmul %{{.*}}, %{{.*}} batch 0 contract 1 : tensor<4x8xbf16>, tensor<8x3xbf16> -> tensor<4x3xbf16>
  %0 = neuron.matmul %a, %b batch 0 contract 1 : tensor<4x8xbf16>, tensor<8x3xbf16> -> tensor<4x3xbf16>
  // CHECK: neuron.matmul {{.*}} -> tensor<4x3xf32>
  %1 = neuron.matmul %a, %b batch 0 contract 1 : tensor<4x8xbf16>, tensor<8x3xbf16> -> tensor<4x3xf32>
  return %0, %1 : tensor<4x3xbf16>, tensor<4x3xf32>
}

// CHECK-LABEL: @patches(
func.func @patches(%w: tensor<2x5x3x2x2xf32>, %x: tensor<2x3x2x2x7x6xf32>) -> tensor<2x5x7x6xf32> {
  // CHECK: batch 1 contract 3
  %0 = neuron.matmul %w, %x batch 1 contract 3
      : tensor<2x5x3x2x2xf32>, tensor<2x3x2x2x7x6xf32> -> tensor<2x5x7x6xf32>
  return %0 : tensor<2x5x7x6xf32>
}

// No terms: zeros.
// CANON-LABEL: @no_terms(
func.func @no_terms(%a: tensor<4x0xf32>, %b: tensor<0x3xf32>) -> tensor<4x3xf32> {
  // CANON-NEXT: neuron.constant dense<0.000000e+00> : tensor<4x3xf32>
  // CANON-NEXT: return
  %0 = neuron.matmul %a, %b batch 0 contract 1 : tensor<4x0xf32>, tensor<0x3xf32> -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// One right matrix for the whole batch is multiplied once.
// CANON-LABEL: @shared_right(
// CANON-SAME: %[[A:.*]]: tensor<6x4x8xf32>, %[[B:.*]]: tensor<8x3xf32>
func.func @shared_right(%a: tensor<6x4x8xf32>, %b: tensor<8x3xf32>) -> tensor<6x4x3xf32> {
  // CANON-NEXT: neuron.matmul %[[A]], %[[B]] batch 0 contract 1
  %0 = neuron.expand %b : (tensor<8x3xf32>) -> tensor<6x8x3xf32>
  %1 = neuron.matmul %a, %0 batch 1 contract 1 : tensor<6x4x8xf32>, tensor<6x8x3xf32> -> tensor<6x4x3xf32>
  return %1 : tensor<6x4x3xf32>
}

// Not if it differs along one of the batch's dimensions.
// CANON-LABEL: @half_shared(
func.func @half_shared(%a: tensor<2x6x4x8xf32>, %b: tensor<6x8x3xf32>) -> tensor<2x6x4x3xf32> {
  // CANON: neuron.expand
  // CANON: neuron.matmul {{.*}} batch 2 contract 1
  %0 = neuron.expand %b : (tensor<6x8x3xf32>) -> tensor<2x6x8x3xf32>
  %1 = neuron.matmul %a, %0 batch 2 contract 1 : tensor<2x6x4x8xf32>, tensor<2x6x8x3xf32> -> tensor<2x6x4x3xf32>
  return %1 : tensor<2x6x4x3xf32>
}
