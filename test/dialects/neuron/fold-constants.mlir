// Operations of constants: what folds, and what must not.
// RUN: neuron-opt %s --canonicalize --split-input-file | FileCheck %s

// Splats of any size fold.
// CHECK-LABEL: @splats(
func.func @splats() -> tensor<4096x8192xf32> {
  // CHECK: %[[R:.*]] = neuron.constant dense<3.500000e+00> : tensor<4096x8192xf32>
  %a = neuron.constant dense<1.5> : tensor<4096x1xf32>
  %b = neuron.constant dense<2.0> : tensor<8192xf32>
  %0 = neuron.add %a, %b : (tensor<4096x1xf32>, tensor<8192xf32>) -> tensor<4096x8192xf32>
  // CHECK: return %[[R]]
  return %0 : tensor<4096x8192xf32>
}

// -----

// Few elements fold, and broadcast.
// CHECK-LABEL: @broadcast(
func.func @broadcast() -> tensor<2x3xi32> {
  // CHECK: neuron.constant dense<{{\[\[}}11, 21, 31], [12, 22, 32]]> : tensor<2x3xi32>
  %a = neuron.constant dense<[[1], [2]]> : tensor<2x1xi32>
  %b = neuron.constant dense<[10, 20, 30]> : tensor<3xi32>
  %0 = neuron.add %a, %b : (tensor<2x1xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}

// -----

// Of more than 1024 elements, the operation is smaller than its value.
// CHECK-LABEL: @too_many(
func.func @too_many() -> tensor<2x1025xi32> {
  // CHECK: neuron.mul
  %a = neuron.constant dense<[[2], [3]]> : tensor<2x1xi32>
  %b = neuron.constant dense<7> : tensor<1025xi32>
  %0 = neuron.mul %a, %b : (tensor<2x1xi32>, tensor<1025xi32>) -> tensor<2x1025xi32>
  return %0 : tensor<2x1025xi32>
}

// -----

// Integers wrap at their own width, with or without a sign.
// CHECK-LABEL: @wrap(
func.func @wrap() -> (tensor<i8>, tensor<ui8>) {
  // CHECK-DAG: neuron.constant dense<-56> : tensor<i8>
  // CHECK-DAG: neuron.constant dense<44> : tensor<ui8>
  %a = neuron.constant dense<100> : tensor<i8>
  %0 = neuron.add %a, %a : (tensor<i8>, tensor<i8>) -> tensor<i8>
  %b = neuron.constant dense<150> : tensor<ui8>
  %1 = neuron.add %b, %b : (tensor<ui8>, tensor<ui8>) -> tensor<ui8>
  return %0, %1 : tensor<i8>, tensor<ui8>
}

// -----

// Bf16 computes in f32 and rounds once: 1 + 2^-8 rounds to the even 1.
// CHECK-LABEL: @bf16(
func.func @bf16() -> tensor<bf16> {
  // CHECK: neuron.constant dense<1.000000e+00> : tensor<bf16>
  %a = neuron.constant dense<1.0> : tensor<bf16>
  %b = neuron.constant dense<0.00390625> : tensor<bf16>
  %0 = neuron.add %a, %b : (tensor<bf16>, tensor<bf16>) -> tensor<bf16>
  return %0 : tensor<bf16>
}

// -----

// Quotients of integers round down or toward zero.
// CHECK-LABEL: @quotients(
func.func @quotients() -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) {
  %a = neuron.constant dense<-7> : tensor<i32>
  %b = neuron.constant dense<2> : tensor<i32>
  // CHECK-DAG: %[[FLOOR:.*]] = neuron.constant dense<-4> : tensor<i32>
  // CHECK-DAG: %[[TRUNC:.*]] = neuron.constant dense<-3> : tensor<i32>
  // CHECK-DAG: %[[REM:.*]] = neuron.constant dense<1> : tensor<i32>
  // CHECK-DAG: %[[FMOD:.*]] = neuron.constant dense<-1> : tensor<i32>
  %0 = neuron.floor_div %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %1 = neuron.trunc_div %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %2 = neuron.remainder %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %3 = neuron.fmod %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i32>
  // CHECK: return %[[FLOOR]], %[[TRUNC]], %[[REM]], %[[FMOD]]
  return %0, %1, %2, %3 : tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
}

// -----

// A division by zero raises at run time; the least integer by -1 overflows.
// CHECK-LABEL: @division_errors(
func.func @division_errors() -> (tensor<i32>, tensor<i8>) {
  %a = neuron.constant dense<1> : tensor<i32>
  %zero = neuron.constant dense<0> : tensor<i32>
  // CHECK: neuron.floor_div
  %0 = neuron.floor_div %a, %zero : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %least = neuron.constant dense<-128> : tensor<i8>
  %minus = neuron.constant dense<-1> : tensor<i8>
  // CHECK: neuron.trunc_div
  %1 = neuron.trunc_div %least, %minus : (tensor<i8>, tensor<i8>) -> tensor<i8>
  return %0, %1 : tensor<i32>, tensor<i8>
}

// -----

// A shift by the width is defined by the device's function, not by the folder.
// CHECK-LABEL: @shifts(
func.func @shifts() -> (tensor<i8>, tensor<i8>) {
  // CHECK-DAG: neuron.constant dense<-2> : tensor<i8>
  // CHECK-DAG: neuron.shift_left
  %a = neuron.constant dense<-8> : tensor<i8>
  %two = neuron.constant dense<2> : tensor<i8>
  %eight = neuron.constant dense<8> : tensor<i8>
  %0 = neuron.shift_right %a, %two : (tensor<i8>, tensor<i8>) -> tensor<i8>
  %1 = neuron.shift_left %a, %eight : (tensor<i8>, tensor<i8>) -> tensor<i8>
  return %0, %1 : tensor<i8>, tensor<i8>
}

// -----

// Transcendental functions and roots are computed on the device. PyTorch's square root, by MKL, is not always
// the nearest value.
// CHECK-LABEL: @transcendental(
func.func @transcendental() -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %a = neuron.constant dense<1.0> : tensor<f32>
  // CHECK: neuron.exp
  %0 = neuron.exp %a : tensor<f32>
  // CHECK: neuron.rsqrt
  %1 = neuron.rsqrt %a : tensor<f32>
  // CHECK: neuron.sqrt
  %2 = neuron.sqrt %a : tensor<f32>
  return %0, %1, %2 : tensor<f32>, tensor<f32>, tensor<f32>
}

// -----

// The bits of a NaN are the hardware's choice.
// CHECK-LABEL: @nan(
func.func @nan() -> (tensor<f32>, tensor<f32>) {
  %inf = neuron.constant dense<0x7F800000> : tensor<f32>
  %nan = neuron.constant dense<0x7FC00000> : tensor<f32>
  // CHECK: neuron.sub
  %0 = neuron.sub %inf, %inf : (tensor<f32>, tensor<f32>) -> tensor<f32>
  // CHECK: neuron.maximum
  %1 = neuron.maximum %inf, %nan : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %0, %1 : tensor<f32>, tensor<f32>
}

// -----

// Tests of NaN are sure.
// CHECK-LABEL: @nan_tests(
func.func @nan_tests() -> (tensor<i1>, tensor<i1>, tensor<i1>) {
  %nan = neuron.constant dense<0x7FC00000> : tensor<f32>
  %one = neuron.constant dense<1.0> : tensor<f32>
  // CHECK-DAG: %[[TRUE:.*]] = neuron.constant dense<true> : tensor<i1>
  // CHECK-DAG: %[[FALSE:.*]] = neuron.constant dense<false> : tensor<i1>
  %0 = neuron.isnan %nan : (tensor<f32>) -> tensor<i1>
  %1 = neuron.ge %nan, %one : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %2 = neuron.ne %nan, %nan : (tensor<f32>, tensor<f32>) -> tensor<i1>
  // CHECK: return %[[TRUE]], %[[FALSE]], %[[TRUE]]
  return %0, %1, %2 : tensor<i1>, tensor<i1>, tensor<i1>
}

// -----

// Which zero is the larger one depends on vector code.
// CHECK-LABEL: @zeros(
func.func @zeros() -> (tensor<f32>, tensor<f32>) {
  %plus = neuron.constant dense<0.0> : tensor<f32>
  %minus = neuron.constant dense<-0.0> : tensor<f32>
  // CHECK: neuron.maximum
  %0 = neuron.maximum %plus, %minus : (tensor<f32>, tensor<f32>) -> tensor<f32>
  // CHECK: neuron.relu
  %1 = neuron.relu %minus : tensor<f32>
  return %0, %1 : tensor<f32>, tensor<f32>
}

// -----

// Conversions in range fold: truncation, wrap-around, one rounding after another.
// CHECK-LABEL: @casts(
func.func @casts() -> (tensor<2xi32>, tensor<i8>, tensor<bf16>, tensor<i1>) {
  // CHECK-DAG: neuron.constant dense<[-1, 2]> : tensor<2xi32>
  // CHECK-DAG: neuron.constant dense<44> : tensor<i8>
  // 257 is a tie, and 257 + 2^-20 is one after it is rounded to f32.
  // CHECK-DAG: neuron.constant dense<2.560000e+02> : tensor<bf16>
  // CHECK-DAG: neuron.constant dense<true> : tensor<i1>
  %a = neuron.constant dense<[-1.9, 2.9]> : tensor<2xf32>
  %0 = neuron.cast %a : tensor<2xf32> to tensor<2xi32>
  %b = neuron.constant dense<300> : tensor<i32>
  %1 = neuron.cast %b : tensor<i32> to tensor<i8>
  %c = neuron.constant dense<257.00000095367431640625> : tensor<f64>
  %2 = neuron.cast %c : tensor<f64> to tensor<bf16>
  %d = neuron.constant dense<0x7FC00000> : tensor<f32>
  %3 = neuron.cast %d : tensor<f32> to tensor<i1>
  return %0, %1, %2, %3 : tensor<2xi32>, tensor<i8>, tensor<bf16>, tensor<i1>
}

// -----

// Out of range, PyTorch says nothing, and the hardware decides.
// CHECK-LABEL: @casts_out_of_range(
func.func @casts_out_of_range() -> (tensor<i32>, tensor<ui8>, tensor<i64>) {
  %a = neuron.constant dense<3.0e9> : tensor<f32>
  // CHECK: neuron.cast
  %0 = neuron.cast %a : tensor<f32> to tensor<i32>
  %b = neuron.constant dense<-1.0> : tensor<f32>
  // CHECK: neuron.cast
  %1 = neuron.cast %b : tensor<f32> to tensor<ui8>
  %c = neuron.constant dense<0x7FC00000> : tensor<f32>
  // CHECK: neuron.cast
  %2 = neuron.cast %c : tensor<f32> to tensor<i64>
  return %0, %1, %2 : tensor<i32>, tensor<ui8>, tensor<i64>
}
