// RUN: neuron-opt %s --split-input-file --verify-diagnostics

// C1: something to put together.
func.func @nothing() {
  // expected-error @below {{C1: must have an operand}}
  %r = neuron.concat dim 0 : () -> tensor<0xf32>
  return
}

// -----

// C1: one element type.
func.func @element_types(%a: tensor<4xf32>, %b: tensor<4xi32>) {
  // expected-error @below {{C1: operands must have the result's element type 'f32', got 'i32'}}
  %r = neuron.concat %a, %b dim 0 : (tensor<4xf32>, tensor<4xi32>) -> tensor<8xf32>
  return
}

// -----

// C1: one rank.
func.func @ranks(%a: tensor<4xf32>, %b: tensor<4x1xf32>) {
  // expected-error @below {{C1: operands must have the result's rank 1, got 2}}
  %r = neuron.concat %a, %b dim 0 : (tensor<4xf32>, tensor<4x1xf32>) -> tensor<8xf32>
  return
}

// -----

// C2: a dimension of the result.
func.func @dim(%a: tensor<4xf32>) {
  // expected-error @below {{C2: dim must be in [0, 1), got 1}}
  %r = neuron.concat %a dim 1 : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// C3: the other sizes are equal.
func.func @sizes(%a: tensor<4x2xf32>, %b: tensor<4x3xf32>) {
  // expected-error @below {{C3: operands must have the result's sizes but for dim 0, got [4, 3] for [8, 2]}}
  %r = neuron.concat %a, %b dim 0 : (tensor<4x2xf32>, tensor<4x3xf32>) -> tensor<8x2xf32>
  return
}

// -----

// C3: the result's size is the sum.
func.func @sum(%a: tensor<4xf32>, %b: tensor<3xf32>) {
  // expected-error @below {{C3: the result must have size 7 in dimension 0, got 8}}
  %r = neuron.concat %a, %b dim 0 : (tensor<4xf32>, tensor<3xf32>) -> tensor<8xf32>
  return
}

// -----

// V6: a dimension of the operand.
func.func @window_dim(%x: tensor<9xf32>) {
  // expected-error @below {{V6: dim must be in [0, 1), got -1}}
  %r = neuron.window %x dim -1 step 1 dilation 1 : (tensor<9xf32>) -> tensor<4x3xf32>
  return
}

// -----

// V6: windows advance.
func.func @window_step(%x: tensor<9xf32>) {
  // expected-error @below {{V6: step and dilation must be at least 1, got 0 and 1}}
  %r = neuron.window %x dim 0 step 0 dilation 1 : (tensor<9xf32>) -> tensor<4x3xf32>
  return
}

// -----

// V6: two dimensions for one.
func.func @window_shape(%x: tensor<2x9xf32>) {
  // expected-error @below {{V6: result must have the operand's shape with windows and their elements in place of dimension 1, got [3, 4, 3]}}
  %r = neuron.window %x dim 1 step 2 dilation 1 : (tensor<2x9xf32>) -> tensor<3x4x3xf32>
  return
}

// -----

// V6: the last element of the last window is within the operand.
func.func @window_too_far(%x: tensor<9xf32>) {
  // expected-error @below {{V6: 5 windows of 3 elements are not within size 9 of dimension 0}}
  %r = neuron.window %x dim 0 step 2 dilation 1 : (tensor<9xf32>) -> tensor<5x3xf32>
  return
}

// -----

// V6: no product wraps around.
func.func @window_overflow(%x: tensor<9xf32>) {
  // expected-error @below {{V6: 3 windows of 2 elements are not within size 9 of dimension 0}}
  %r = neuron.window %x dim 0 step 9223372036854775807 dilation 1 : (tensor<9xf32>) -> tensor<3x2xf32>
  return
}

// -----

// V6: an empty operand has no window with elements.
func.func @window_of_nothing(%x: tensor<0xf32>) {
  // expected-error @below {{V6: 1 windows of 1 elements are not within size 0 of dimension 0}}
  %r = neuron.window %x dim 0 step 1 dilation 1 : (tensor<0xf32>) -> tensor<1x1xf32>
  return
}

// -----

// V5: backwards, the first element is the last that is left.
func.func @slice_below(%x: tensor<4xf32>) {
  // expected-error @below {{V5: 3 elements from 3 by -2 are not within size 4 of dimension 0}}
  %r = neuron.slice %x starts [3] steps [-2] : (tensor<4xf32>) -> tensor<3xf32>
  return
}

// -----

// V5: the most negative step has no opposite.
func.func @slice_overflow(%x: tensor<4xf32>) {
  // expected-error @below {{V5: 2 elements from 3 by -9223372036854775808 are not within size 4}}
  %r = neuron.slice %x starts [3] steps [-9223372036854775808] : (tensor<4xf32>) -> tensor<2xf32>
  return
}
