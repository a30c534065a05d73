// RUN: neuron-opt %s --cse --neuron-raise-named-ops --split-input-file | FileCheck %s
// silu, gelu and gelu_tanh in their spellings, and what only looks like them.

// CHECK-LABEL: @silu_sigmoid
// CHECK-NEXT: %[[R:.*]] = neuron.silu %arg0
// CHECK-NEXT: return %[[R]]
func.func @silu_sigmoid(%x: tensor<4x8xbf16>) -> tensor<4x8xbf16> {
  %0 = neuron.sigmoid %x : tensor<4x8xbf16>
  %1 = neuron.mul %0, %x : (tensor<4x8xbf16>, tensor<4x8xbf16>) -> tensor<4x8xbf16>
  return %1 : tensor<4x8xbf16>
}

// -----

// CHECK-LABEL: @silu_quotient
// CHECK-NEXT: neuron.silu %arg0
func.func @silu_quotient(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %one = neuron.constant dense<1.0> : tensor<f32>
  %0 = neuron.neg %x : tensor<4x8xf32>
  %1 = neuron.exp %0 : tensor<4x8xf32>
  %2 = neuron.add %1, %one : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %3 = neuron.div %x, %2 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %3 : tensor<4x8xf32>
}

// -----

// x * (1 / (1 + exp(-1 * x)))
// CHECK-LABEL: @silu_reciprocal
// CHECK-NEXT: neuron.silu %arg0
func.func @silu_reciprocal(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %one = neuron.constant dense<1.0> : tensor<f32>
  %minus = neuron.constant dense<-1.0> : tensor<f32>
  %0 = neuron.mul %x, %minus : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %1 = neuron.exp %0 : tensor<4x8xf32>
  %2 = neuron.add %one, %1 : (tensor<f32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %3 = neuron.reciprocal %2 : tensor<4x8xf32>
  %4 = neuron.mul %x, %3 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %4 : tensor<4x8xf32>
}

// -----

// Another value's sigmoid; a sigmoid that is returned; exp(+x).
// CHECK-LABEL: @not_silu
// CHECK-NOT: neuron.silu
func.func @not_silu(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %one = neuron.constant dense<1.0> : tensor<f32>
  %0 = neuron.sigmoid %x : tensor<4xf32>
  %1 = neuron.mul %0, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = neuron.sigmoid %y : tensor<4xf32>
  %3 = neuron.mul %2, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %4 = neuron.exp %x : tensor<4xf32>
  %5 = neuron.add %4, %one : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %6 = neuron.div %x, %5 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1, %2, %3, %6 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// (0.5 * x) * (1 + erf(x * 0.7071)), behind a bias
// CHECK-LABEL: @gelu
// CHECK: %[[X:.*]] = neuron.add %arg0, %arg1
// CHECK-NEXT: neuron.gelu %[[X]]
func.func @gelu(%a: tensor<4x8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
  %half = neuron.constant dense<0.5> : tensor<f32>
  %one = neuron.constant dense<1.0> : tensor<f32>
  %c = neuron.constant dense<0.70710678118654752> : tensor<f32>
  %x = neuron.add %a, %b : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %0 = neuron.mul %x, %half : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %1 = neuron.mul %x, %c : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %2 = neuron.erf %1 : tensor<4x8xf32>
  %3 = neuron.add %2, %one : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %4 = neuron.mul %0, %3 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %4 : tensor<4x8xf32>
}

// -----

// x is a product itself: x = a * b; ((1 + erf(x / sqrt 2)) / 2) * x
// CHECK-LABEL: @gelu_of_product
// CHECK: %[[X:.*]] = neuron.mul %arg0, %arg1
// CHECK-NEXT: neuron.gelu %[[X]]
func.func @gelu_of_product(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %two = neuron.constant dense<2.0> : tensor<f32>
  %one = neuron.constant dense<1.0> : tensor<f32>
  %c = neuron.constant dense<1.41421356237309515> : tensor<f32>
  %x = neuron.mul %a, %b : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = neuron.div %x, %c : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %2 = neuron.erf %1 : tensor<4x8xf32>
  %3 = neuron.add %one, %2 : (tensor<f32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %4 = neuron.div %3, %two : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %5 = neuron.mul %4, %x : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %5 : tensor<4x8xf32>
}

// -----

// 0.5 * x * (1 + tanh(0.79788 * (x + 0.044715 * pow(x, 3))))
// CHECK-LABEL: @gelu_tanh
// CHECK-NEXT: neuron.gelu_tanh %arg0
func.func @gelu_tanh(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %half = neuron.constant dense<0.5> : tensor<f32>
  %one = neuron.constant dense<1.0> : tensor<f32>
  %three = neuron.constant dense<3.0> : tensor<f32>
  %k = neuron.constant dense<0.79788456080286541> : tensor<f32>
  %c = neuron.constant dense<0.044715> : tensor<f32>
  %0 = neuron.mul %x, %half : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %1 = neuron.pow %x, %three : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %2 = neuron.mul %1, %c : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %3 = neuron.add %x, %2 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %4 = neuron.mul %3, %k : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %5 = neuron.tanh %4 : tensor<4x8xf32>
  %6 = neuron.add %5, %one : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %7 = neuron.mul %0, %6 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %7 : tensor<4x8xf32>
}

// -----

// The cubic factored: k * x * (1 + c * x * x), and x * (0.5 + 0.5 * tanh)
// CHECK-LABEL: @gelu_tanh_factored
// CHECK-NEXT: neuron.gelu_tanh %arg0
func.func @gelu_tanh_factored(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %half = neuron.constant dense<0.5> : tensor<f32>
  %one = neuron.constant dense<1.0> : tensor<f32>
  %k = neuron.constant dense<0.79788456080286541> : tensor<f32>
  %c = neuron.constant dense<0.044715> : tensor<f32>
  %0 = neuron.mul %x, %x : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = neuron.mul %0, %c : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %2 = neuron.add %1, %one : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %3 = neuron.mul %x, %k : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %4 = neuron.mul %3, %2 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %5 = neuron.tanh %4 : tensor<4x8xf32>
  %6 = neuron.mul %5, %half : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %7 = neuron.add %6, %half : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %8 = neuron.mul %x, %7 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %8 : tensor<4x8xf32>
}

// -----

// Wrong constants: 0.7 for 1/sqrt(2), 0.4 for 0.5, 0.0447 in the cubic.
// CHECK-LABEL: @not_gelu
// CHECK-NOT: neuron.gelu
func.func @not_gelu(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %half = neuron.constant dense<0.5> : tensor<f32>
  %less = neuron.constant dense<0.4> : tensor<f32>
  %one = neuron.constant dense<1.0> : tensor<f32>
  %r = neuron.constant dense<0.70710678118654752> : tensor<f32>
  %w = neuron.constant dense<0.7> : tensor<f32>
  %k = neuron.constant dense<0.79788456080286541> : tensor<f32>
  %c = neuron.constant dense<0.0447> : tensor<f32>
  %h = neuron.mul %x, %half : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %l = neuron.mul %x, %less : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %0 = neuron.mul %x, %w : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = neuron.erf %0 : tensor<4xf32>
  %2 = neuron.add %1, %one : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %3 = neuron.mul %h, %2 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %4 = neuron.mul %x, %r : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %5 = neuron.erf %4 : tensor<4xf32>
  %6 = neuron.add %5, %one : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %7 = neuron.mul %l, %6 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %8 = neuron.mul %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %9 = neuron.mul %8, %c : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %10 = neuron.add %9, %one : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %11 = neuron.mul %x, %k : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %12 = neuron.mul %11, %10 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %13 = neuron.tanh %12 : tensor<4xf32>
  %14 = neuron.add %13, %one : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %15 = neuron.mul %h, %14 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %3, %7, %15 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
