// Rules T1 and E1 to E3: each is broken once, and the message says how.
// RUN: neuron-opt %s --verify-diagnostics --split-input-file

// T1: rank 17.
func.func @rank(%x: tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32>) {
  // expected-error @below {{operand #0 must be T1: static tensor of integers or floats, rank 0 to 16}}
  %r = neuron.neg %x : tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32>
  return
}

// -----

// T1: a dynamic size.
func.func @dynamic(%x: tensor<?xf32>) {
  // expected-error @below {{must be T1: static tensor of integers or floats}}
  %r = neuron.neg %x : tensor<?xf32>
  return
}

// -----

// T1: an element type that PyTorch's CPU does not have.
func.func @element(%x: tensor<4xui4>) {
  // expected-error @below {{must be T1: static tensor of bools, integers or floats}}
  %r = neuron.cast %x : tensor<4xui4> to tensor<4xf32>
  return
}

// -----

// T1: the logarithm of integers is a cast and a logarithm of floats.
func.func @function_of_integers(%x: tensor<4xi32>) {
  // expected-error @below {{operand #0 must be T1: static tensor of floats}}
  %r = neuron.log %x : tensor<4xi32>
  return
}

// -----

// T1: bools are not added.
func.func @sum_of_bools(%x: tensor<4xi1>) {
  // expected-error @below {{operand #0 must be T1: static tensor of integers or floats}}
  %r = neuron.add %x, %x : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  return
}

// -----

// T1: floats have no bitwise operations.
func.func @bits_of_floats(%x: tensor<4xf32>) {
  // expected-error @below {{operand #0 must be T1: static tensor of bools or integers}}
  %r = neuron.bitwise_and %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// T1: a comparison's result is bool.
func.func @comparison_result(%x: tensor<4xf32>) {
  // expected-error @below {{result #0 must be T1: static tensor of bools}}
  %r = neuron.lt %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// T1: a condition is bool.
func.func @condition(%c: tensor<4xi32>, %x: tensor<4xf32>) {
  // expected-error @below {{operand #0 must be T1: static tensor of bools}}
  %r = neuron.select %c, %x, %x : (tensor<4xi32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// E1: type promotion is resolved before.
func.func @operands(%x: tensor<4xf32>, %y: tensor<4xbf16>) {
  // expected-error @below {{E1: operands must have one element type, got 'f32' and 'bf16'}}
  %r = neuron.add %x, %y : (tensor<4xf32>, tensor<4xbf16>) -> tensor<4xf32>
  return
}

// -----

// E1: signed and unsigned integers are different types.
func.func @signs(%x: tensor<4xi8>, %y: tensor<4xui8>) {
  // expected-error @below {{E1: operands must have one element type, got 'i8' and 'ui8'}}
  %r = neuron.eq %x, %y : (tensor<4xi8>, tensor<4xui8>) -> tensor<4xi1>
  return
}

// -----

// E1: the result too.
func.func @result(%x: tensor<4xbf16>) {
  // expected-error @below {{E1: result must have the operands' element type 'bf16', got 'f32'}}
  %r = neuron.mul %x, %x : (tensor<4xbf16>, tensor<4xbf16>) -> tensor<4xf32>
  return
}

// -----

// E1: of a select, the two values, not the condition.
func.func @select(%c: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf64>) {
  // expected-error @below {{E1: operands must have one element type, got 'f32' and 'f64'}}
  %r = neuron.select %c, %x, %y : (tensor<4xi1>, tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----

// E2: sizes that differ.
func.func @no_broadcast(%x: tensor<4x3xf32>, %y: tensor<4xf32>) {
  // expected-error @below {{E2: operand shapes do not broadcast: [4, 3] [4]}}
  %r = neuron.add %x, %y : (tensor<4x3xf32>, tensor<4xf32>) -> tensor<4x3xf32>
  return
}

// -----

// E2: 0 is a size like another.
func.func @no_broadcast_of_nothing(%x: tensor<0xf32>, %y: tensor<2xf32>) {
  // expected-error @below {{E2: operand shapes do not broadcast: [0] [2]}}
  %r = neuron.add %x, %y : (tensor<0xf32>, tensor<2xf32>) -> tensor<0xf32>
  return
}

// -----

// E2: an operation does not broadcast further than its operands.
func.func @broadcast_result(%x: tensor<4x1xf32>, %y: tensor<3xf32>) {
  // expected-error @below {{E2: result must have the operands' broadcast shape [4, 3], got [2, 4, 3]}}
  %r = neuron.lt %x, %y : (tensor<4x1xf32>, tensor<3xf32>) -> tensor<2x4x3xi1>
  return
}

// -----

// E2: a condition broadcasts as well.
func.func @condition_shape(%c: tensor<5xi1>, %x: tensor<4xf32>) {
  // expected-error @below {{E2: operand shapes do not broadcast: [5] [4] [4]}}
  %r = neuron.select %c, %x, %x : (tensor<5xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// E3, by the trait: the same type.
func.func @unary(%x: tensor<4xf32>) {
  // expected-error @below {{requires the same type for all operands and results}}
  %r = "neuron.neg"(%x) : (tensor<4xf32>) -> tensor<4xbf16>
  return
}

// -----

// E3, by the trait: the same shape.
func.func @cast_shape(%x: tensor<4xf32>) {
  // expected-error @below {{requires the same shape for all operands and results}}
  %r = neuron.cast %x : tensor<4xf32> to tensor<1x4xbf16>
  return
}

// -----

// E3, by the trait: a test keeps the shape.
func.func @test_shape(%x: tensor<4xf32>) {
  // expected-error @below {{requires the same shape for all operands and results}}
  %r = neuron.isnan %x : (tensor<4xf32>) -> tensor<2x2xi1>
  return
}
