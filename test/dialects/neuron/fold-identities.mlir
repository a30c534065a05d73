// Identities of elementwise operations, and near misses that are none.
// RUN: neuron-opt %s --canonicalize --split-input-file | FileCheck %s

// -0.0 is the neutral element of floating addition, and 0.0 of subtraction.
// CHECK-LABEL: @add_minus_zero(
// CHECK-SAME: %[[X:.*]]: tensor<8xf32>
func.func @add_minus_zero(%x: tensor<8xf32>) -> tensor<8xf32> {
  %c = neuron.constant dense<-0.0> : tensor<f32>
  %d = neuron.constant dense<0.0> : tensor<8xf32>
  %0 = neuron.add %c, %x : (tensor<f32>, tensor<8xf32>) -> tensor<8xf32>
  %1 = neuron.sub %0, %d : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  // CHECK: return %[[X]]
  return %1 : tensor<8xf32>
}

// -----

// -0.0 + 0.0 is 0.0, and -0.0 - -0.0 too: x does not stay.
// CHECK-LABEL: @add_plus_zero(
func.func @add_plus_zero(%x: tensor<8xf32>) -> tensor<8xf32> {
  %c = neuron.constant dense<0.0> : tensor<f32>
  %d = neuron.constant dense<-0.0> : tensor<f32>
  // CHECK: neuron.add
  %0 = neuron.add %x, %c : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  // CHECK: neuron.sub
  %1 = neuron.sub %0, %d : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

// CHECK-LABEL: @integer_neutral(
// CHECK-SAME: %[[X:.*]]: tensor<8xi8>
func.func @integer_neutral(%x: tensor<8xi8>) -> tensor<8xi8> {
  %zero = neuron.constant dense<0> : tensor<i8>
  %one = neuron.constant dense<1> : tensor<i8>
  %ones = neuron.constant dense<-1> : tensor<i8>
  %0 = neuron.add %zero, %x : (tensor<i8>, tensor<8xi8>) -> tensor<8xi8>
  %1 = neuron.mul %one, %0 : (tensor<i8>, tensor<8xi8>) -> tensor<8xi8>
  %2 = neuron.sub %1, %zero : (tensor<8xi8>, tensor<i8>) -> tensor<8xi8>
  %3 = neuron.floor_div %2, %one : (tensor<8xi8>, tensor<i8>) -> tensor<8xi8>
  %4 = neuron.trunc_div %3, %one : (tensor<8xi8>, tensor<i8>) -> tensor<8xi8>
  %5 = neuron.bitwise_and %4, %ones : (tensor<8xi8>, tensor<i8>) -> tensor<8xi8>
  %6 = neuron.bitwise_or %5, %zero : (tensor<8xi8>, tensor<i8>) -> tensor<8xi8>
  %7 = neuron.bitwise_xor %6, %zero : (tensor<8xi8>, tensor<i8>) -> tensor<8xi8>
  %8 = neuron.shift_left %7, %zero : (tensor<8xi8>, tensor<i8>) -> tensor<8xi8>
  %9 = neuron.shift_right %8, %zero : (tensor<8xi8>, tensor<i8>) -> tensor<8xi8>
  %10 = neuron.pow %9, %one : (tensor<8xi8>, tensor<i8>) -> tensor<8xi8>
  // CHECK: return %[[X]]
  return %10 : tensor<8xi8>
}

// -----

// CHECK-LABEL: @float_neutral(
// CHECK-SAME: %[[X:.*]]: tensor<8xbf16>
func.func @float_neutral(%x: tensor<8xbf16>) -> tensor<8xbf16> {
  %one = neuron.constant dense<1.0> : tensor<bf16>
  %0 = neuron.mul %x, %one : (tensor<8xbf16>, tensor<bf16>) -> tensor<8xbf16>
  %1 = neuron.div %0, %one : (tensor<8xbf16>, tensor<bf16>) -> tensor<8xbf16>
  %2 = neuron.pow %1, %one : (tensor<8xbf16>, tensor<bf16>) -> tensor<8xbf16>
  // CHECK: return %[[X]]
  return %2 : tensor<8xbf16>
}

// -----

// NaN * 0 and inf * 0 are NaN; floor_div by 1.0 is a floor.
// CHECK-LABEL: @float_not_absorbing(
func.func @float_not_absorbing(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %zero = neuron.constant dense<0.0> : tensor<f32>
  %one = neuron.constant dense<1.0> : tensor<f32>
  // CHECK: neuron.mul
  %0 = neuron.mul %x, %zero : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  // CHECK: neuron.floor_div
  %1 = neuron.floor_div %x, %one : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// -----

// An identity that broadcasts its operand is no identity.
// CHECK-LABEL: @neutral_broadcasts(
func.func @neutral_broadcasts(%x: tensor<8xf32>) -> tensor<4x8xf32> {
  %one = neuron.constant dense<1.0> : tensor<4x1xf32>
  // CHECK: neuron.mul
  %0 = neuron.mul %x, %one : (tensor<8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// CHECK-LABEL: @absorbing(
func.func @absorbing(%x: tensor<8xi32>, %f: tensor<8xf32>) -> (tensor<8xi32>, tensor<8xi32>, tensor<8xi1>, tensor<8xi1>, tensor<8xf32>) {
  %zero = neuron.constant dense<0> : tensor<i32>
  %one = neuron.constant dense<1> : tensor<i32>
  %fzero = neuron.constant dense<0.0> : tensor<f32>
  %fnan = neuron.constant dense<0x7FC00000> : tensor<f32>
  // CHECK-DAG: %[[ZERO:.*]] = neuron.constant dense<0> : tensor<8xi32>
  // CHECK-DAG: %[[FALSE:.*]] = neuron.constant dense<false> : tensor<8xi1>
  // CHECK-DAG: %[[TRUE:.*]] = neuron.constant dense<true> : tensor<8xi1>
  // CHECK-DAG: %[[ONE:.*]] = neuron.constant dense<1.000000e+00> : tensor<8xf32>
  %0 = neuron.mul %x, %zero : (tensor<8xi32>, tensor<i32>) -> tensor<8xi32>
  %1 = neuron.remainder %x, %one : (tensor<8xi32>, tensor<i32>) -> tensor<8xi32>
  %2 = neuron.logical_and %f, %fzero : (tensor<8xf32>, tensor<f32>) -> tensor<8xi1>
  // NaN is not zero.
  %3 = neuron.logical_or %f, %fnan : (tensor<8xf32>, tensor<f32>) -> tensor<8xi1>
  %4 = neuron.pow %f, %fzero : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  // CHECK: return %[[ZERO]], %[[ZERO]], %[[FALSE]], %[[TRUE]], %[[ONE]]
  return %0, %1, %2, %3, %4 : tensor<8xi32>, tensor<8xi32>, tensor<8xi1>, tensor<8xi1>, tensor<8xf32>
}

// -----

// CHECK-LABEL: @same_operands(
// CHECK-SAME: %[[X:.*]]: tensor<8xi32>, %[[F:.*]]: tensor<8xf32>
func.func @same_operands(%x: tensor<8xi32>, %f: tensor<8xf32>) -> (tensor<8xi32>, tensor<8xi1>, tensor<8xi1>, tensor<8xf32>) {
  // CHECK-DAG: %[[ZERO:.*]] = neuron.constant dense<0> : tensor<8xi32>
  // CHECK-DAG: %[[TRUE:.*]] = neuron.constant dense<true> : tensor<8xi1>
  // CHECK-DAG: %[[FALSE:.*]] = neuron.constant dense<false> : tensor<8xi1>
  %0 = neuron.sub %x, %x : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
  %1 = neuron.le %x, %x : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
  %2 = neuron.lt %f, %f : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
  %3 = neuron.maximum %f, %f : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  // CHECK: return %[[ZERO]], %[[TRUE]], %[[FALSE]], %[[F]]
  return %0, %1, %2, %3 : tensor<8xi32>, tensor<8xi1>, tensor<8xi1>, tensor<8xf32>
}

// -----

// inf - inf is NaN, and NaN does not equal itself.
// CHECK-LABEL: @same_operands_nan(
func.func @same_operands_nan(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xi1>, tensor<8xi1>) {
  // CHECK: neuron.sub
  %0 = neuron.sub %x, %x : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  // CHECK: neuron.eq
  %1 = neuron.eq %x, %x : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
  // CHECK: neuron.ge
  %2 = neuron.ge %x, %x : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
  return %0, %1, %2 : tensor<8xf32>, tensor<8xi1>, tensor<8xi1>
}

// -----

// CHECK-LABEL: @twice(
// CHECK-SAME: %[[X:.*]]: tensor<8xf32>, %[[B:.*]]: tensor<8xi1>
func.func @twice(%x: tensor<8xf32>, %b: tensor<8xi1>) -> (tensor<8xf32>, tensor<8xi1>, tensor<8xi1>, tensor<8xf32>, tensor<8xf32>) {
  %0 = neuron.neg %x : tensor<8xf32>
  %1 = neuron.neg %0 : tensor<8xf32>
  %2 = neuron.logical_not %b : (tensor<8xi1>) -> tensor<8xi1>
  %3 = neuron.logical_not %2 : (tensor<8xi1>) -> tensor<8xi1>
  %4 = neuron.bitwise_not %b : tensor<8xi1>
  %5 = neuron.bitwise_not %4 : tensor<8xi1>
  // CHECK: %[[RELU:.*]] = neuron.relu %[[X]]
  // CHECK-NOT: neuron.relu
  %6 = neuron.relu %x : tensor<8xf32>
  %7 = neuron.relu %6 : tensor<8xf32>
  // CHECK: %[[FLOOR:.*]] = neuron.floor %[[X]]
  // CHECK-NOT: neuron.round
  %8 = neuron.floor %x : tensor<8xf32>
  %9 = neuron.round %8 : tensor<8xf32>
  // CHECK: return %[[X]], %[[B]], %[[B]], %[[RELU]], %[[FLOOR]]
  return %1, %3, %5, %7, %9 : tensor<8xf32>, tensor<8xi1>, tensor<8xi1>, tensor<8xf32>, tensor<8xf32>
}

// -----

// Two negations of a number make a bool of it.
// CHECK-LABEL: @not_not_of_number(
func.func @not_not_of_number(%x: tensor<8xf32>) -> tensor<8xi1> {
  // CHECK-COUNT-2: neuron.logical_not
  %0 = neuron.logical_not %x : (tensor<8xf32>) -> tensor<8xi1>
  %1 = neuron.logical_not %0 : (tensor<8xi1>) -> tensor<8xi1>
  return %1 : tensor<8xi1>
}

// -----

// relu keeps -0.0, abs does not; of the least integer, abs is negative.
// CHECK-LABEL: @abs_and_relu(
func.func @abs_and_relu(%x: tensor<8xf32>, %i: tensor<8xi8>) -> (tensor<8xf32>, tensor<8xi8>) {
  // CHECK: neuron.relu
  // CHECK: neuron.abs
  %0 = neuron.relu %x : tensor<8xf32>
  %1 = neuron.abs %0 : tensor<8xf32>
  // CHECK: neuron.abs
  // CHECK: neuron.relu
  %2 = neuron.abs %i : tensor<8xi8>
  %3 = neuron.relu %2 : tensor<8xi8>
  return %1, %3 : tensor<8xf32>, tensor<8xi8>
}

// -----

// CHECK-LABEL: @integers(
// CHECK-SAME: %[[X:.*]]: tensor<8xi32>, %[[U:.*]]: tensor<8xui8>
func.func @integers(%x: tensor<8xi32>, %u: tensor<8xui8>) -> (tensor<8xi32>, tensor<8xui8>, tensor<8xi1>) {
  // CHECK: %[[FALSE:.*]] = neuron.constant dense<false> : tensor<8xi1>
  %0 = neuron.round %x : tensor<8xi32>
  %1 = neuron.abs %u : tensor<8xui8>
  %2 = neuron.relu %1 : tensor<8xui8>
  %3 = neuron.signbit %u : (tensor<8xui8>) -> tensor<8xi1>
  // CHECK: return %[[X]], %[[U]], %[[FALSE]]
  return %0, %2, %3 : tensor<8xi32>, tensor<8xui8>, tensor<8xi1>
}

// -----

// CHECK-LABEL: @bools(
// CHECK-SAME: %[[B:.*]]: tensor<8xi1>
func.func @bools(%b: tensor<8xi1>) -> tensor<8xi1> {
  %true = neuron.constant dense<true> : tensor<i1>
  %false = neuron.constant dense<false> : tensor<i1>
  %0 = neuron.logical_and %b, %true : (tensor<8xi1>, tensor<i1>) -> tensor<8xi1>
  %1 = neuron.logical_or %0, %false : (tensor<8xi1>, tensor<i1>) -> tensor<8xi1>
  %2 = neuron.logical_xor %1, %false : (tensor<8xi1>, tensor<i1>) -> tensor<8xi1>
  %3 = neuron.eq %2, %true : (tensor<8xi1>, tensor<i1>) -> tensor<8xi1>
  %4 = neuron.ne %3, %false : (tensor<8xi1>, tensor<i1>) -> tensor<8xi1>
  %5 = neuron.bitwise_and %4, %true : (tensor<8xi1>, tensor<i1>) -> tensor<8xi1>
  %6 = neuron.logical_or %5, %5 : (tensor<8xi1>, tensor<8xi1>) -> tensor<8xi1>
  %7 = neuron.select %6, %true, %false : (tensor<8xi1>, tensor<i1>, tensor<i1>) -> tensor<8xi1>
  // CHECK: return %[[B]]
  return %7 : tensor<8xi1>
}

// -----

// A number and true is a bool, not the number.
// CHECK-LABEL: @logic_of_numbers(
func.func @logic_of_numbers(%x: tensor<8xi32>) -> tensor<8xi1> {
  %one = neuron.constant dense<1> : tensor<i32>
  // CHECK: neuron.logical_and
  %0 = neuron.logical_and %x, %one : (tensor<8xi32>, tensor<i32>) -> tensor<8xi1>
  return %0 : tensor<8xi1>
}

// -----

// CHECK-LABEL: @select(
// CHECK-SAME: %[[C:.*]]: tensor<8xi1>, %[[X:.*]]: tensor<8xf32>, %[[Y:.*]]: tensor<8xf32>
func.func @select(%c: tensor<8xi1>, %x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %false = neuron.constant dense<false> : tensor<i1>
  %0 = neuron.select %c, %x, %x : (tensor<8xi1>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %1 = neuron.select %false, %x, %y : (tensor<i1>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  // CHECK: return %[[X]], %[[Y]]
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// -----

// CHECK-LABEL: @cast_to_same(
// CHECK-SAME: %[[X:.*]]: tensor<8xf32>
func.func @cast_to_same(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = neuron.cast %x : tensor<8xf32> to tensor<8xf32>
  // CHECK: return %[[X]]
  return %0 : tensor<8xf32>
}
