// Rules V1 to V5 of views, I1 and I2 of iota.
// RUN: neuron-opt %s --verify-diagnostics --split-input-file

// V1: a view does not convert.
func.func @element_type(%x: tensor<4xf32>) {
  // expected-error @below {{V1: result must have the operand's element type 'f32', got 'i32'}}
  %r = neuron.reshape %x : (tensor<4xf32>) -> tensor<2x2xi32>
  return
}

// -----

// V2: as many elements.
func.func @reshape(%x: tensor<4xf32>) {
  // expected-error @below {{V2: result must have as many elements as the operand, 4, got 6}}
  %r = neuron.reshape %x : (tensor<4xf32>) -> tensor<2x3xf32>
  return
}

// -----

// V3: only a size of 1 is repeated.
func.func @expand(%x: tensor<2xf32>) {
  // expected-error @below {{V3: shape [2] does not broadcast to [4]}}
  %r = neuron.expand %x : (tensor<2xf32>) -> tensor<4xf32>
  return
}

// -----

// V3: nothing shrinks.
func.func @expand_to_less(%x: tensor<2x4xf32>) {
  // expected-error @below {{V3: shape [2, 4] does not broadcast to [4]}}
  %r = neuron.expand %x : (tensor<2x4xf32>) -> tensor<4xf32>
  return
}

// -----

// V4: as many entries as dimensions.
func.func @permute_rank(%x: tensor<2x3xf32>) {
  // expected-error @below {{V4: permutation must hold each of 2 dimensions once, got [0]}}
  %r = neuron.permute %x perm [0] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// V4: no dimension twice.
func.func @permute_twice(%x: tensor<2x3xf32>) {
  // expected-error @below {{V4: permutation must hold each of 2 dimensions once, got [1, 1]}}
  %r = neuron.permute %x perm [1, 1] : (tensor<2x3xf32>) -> tensor<3x3xf32>
  return
}

// -----

// V4: no dimension that is not there.
func.func @permute_range(%x: tensor<2x3xf32>) {
  // expected-error @below {{V4: permutation must hold each of 2 dimensions once, got [1, 9223372036854775807]}}
  %r = neuron.permute %x perm [1, 9223372036854775807] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}

// -----

// V4: the sizes move along.
func.func @permute_shape(%x: tensor<2x3xf32>) {
  // expected-error @below {{V4: result must have the shape [3, 2], got [2, 3]}}
  %r = neuron.permute %x perm [1, 0] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// V5: one start a dimension.
func.func @slice_rank(%x: tensor<4x4xf32>) {
  // expected-error @below {{V5: starts, steps and the result must have the operand's rank 2}}
  %r = neuron.slice %x starts [0] steps [1, 1] : (tensor<4x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

// V5: an element is not taken again and again.
func.func @slice_standing(%x: tensor<4xf32>) {
  // expected-error @below {{V5: steps must not be 0, in dimension 0}}
  %r = neuron.slice %x starts [3] steps [0] : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// V5: the last element is within the operand.
func.func @slice_too_far(%x: tensor<4x8xf32>) {
  // expected-error @below {{V5: 4 elements from 2 by 2 are not within size 8 of dimension 1}}
  %r = neuron.slice %x starts [0, 2] steps [1, 2] : (tensor<4x8xf32>) -> tensor<4x4xf32>
  return
}

// -----

// V5: so is the first.
func.func @slice_negative(%x: tensor<4xf32>) {
  // expected-error @below {{V5: 1 elements from -1 by 1 are not within size 4 of dimension 0}}
  %r = neuron.slice %x starts [-1] steps [1] : (tensor<4xf32>) -> tensor<1xf32>
  return
}

// -----

// V5: a step beyond int64 does not wrap around.
func.func @slice_overflow(%x: tensor<4xf32>) {
  // expected-error @below {{V5: 3 elements from 0 by 9223372036854775807 are not within size 4}}
  %r = neuron.slice %x starts [0] steps [9223372036854775807] : (tensor<4xf32>) -> tensor<3xf32>
  return
}

// -----

// I1: a dimension of the result.
func.func @iota_dim() {
  // expected-error @below {{I1: dim must be in [0, 1), got 1}}
  %r = neuron.iota dim 1 start 0 : i64 step 1 : i64 : tensor<8xi32>
  return
}

// -----

// I1: a scalar has none.
func.func @iota_scalar() {
  // expected-error @below {{I1: dim must be in [0, 0), got 0}}
  %r = neuron.iota dim 0 start 0 : i64 step 1 : i64 : tensor<i32>
  return
}

// -----

// I2: integers are computed in i64.
func.func @iota_type() {
  // expected-error @below {{I2: start and step must be i64 numbers for elements of type 'i32', got 0 : i32}}
  %r = neuron.iota dim 0 start 0 : i32 step 1 : i64 : tensor<8xi32>
  return
}

// -----

// I2: floats in f64.
func.func @iota_float() {
  // expected-error @below {{I2: start and step must be f64 numbers for elements of type 'f32', got 1 : i64}}
  %r = neuron.iota dim 0 start 0.0 : f64 step 1 : i64 : tensor<8xf32>
  return
}
