// Rules R1 to R4 of reductions, N1 to N4 of named operations.
// RUN: neuron-opt %s --verify-diagnostics --split-input-file

// R1: in range.
func.func @dim_too_large(%x: tensor<4x8xf32>) {
  // expected-error @below {{R1: dims must be in [0, 2), got 2}}
  %r = neuron.sum %x dims [2] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// R1: PyTorch's negative dimensions are resolved before.
func.func @dim_negative(%x: tensor<4x8xf32>) {
  // expected-error @below {{R1: dims must be in [0, 2), got -1}}
  %r = neuron.max %x dims [-1] : (tensor<4x8xf32>) -> tensor<4xf32>
  return
}

// -----

// R1: a scalar has no dimension.
func.func @dim_of_scalar(%x: tensor<f32>) {
  // expected-error @below {{R1: dims must be in [0, 0), got 0}}
  %r = neuron.mean %x dims [0] : (tensor<f32>) -> tensor<f32>
  return
}

// -----

// R1: sorted.
func.func @unsorted(%x: tensor<4x8xf32>) {
  // expected-error @below {{R1: dims must be sorted and unique, got [1, 0]}}
  %r = neuron.prod %x dims [1, 0] : (tensor<4x8xf32>) -> tensor<f32>
  return
}

// -----

// R1: unique.
func.func @twice(%x: tensor<4x8xf32>) {
  // expected-error @below {{R1: dims must be sorted and unique, got [1, 1]}}
  %r = neuron.any %x dims [1, 1] : (tensor<4x8xf32>) -> tensor<4xi1>
  return
}

// -----

// R2: reduced dimensions go.
func.func @shape(%x: tensor<4x8xf32>) {
  // expected-error @below {{R2: result must have the shape [4], got [4, 1]}}
  %r = neuron.sum %x dims [1] : (tensor<4x8xf32>) -> tensor<4x1xf32>
  return
}

// -----

// R2: with keepdim they stay.
func.func @keepdim(%x: tensor<4x8xf32>) {
  // expected-error @below {{R2: result must have the shape [4, 1], got [4]}}
  %r = neuron.argmax %x dims [1] keepdim : (tensor<4x8xf32>) -> tensor<4xi64>
  return
}

// -----

// R3: a sum in another type is a cast and a sum.
func.func @sum_type(%x: tensor<4xi32>) {
  // expected-error @below {{R3: result must have the operand's element type 'i32', got 'i64'}}
  %r = neuron.sum %x dims [0] : (tensor<4xi32>) -> tensor<i64>
  return
}

// -----

// R3: by the result's type.
func.func @argmax_type(%x: tensor<4xf32>) {
  // expected-error @below {{result #0 must be T1: static tensor of 64-bit integers}}
  %r = neuron.argmax %x dims [0] : (tensor<4xf32>) -> tensor<i32>
  return
}

// -----

// R3: by the result's type.
func.func @all_type(%x: tensor<4xui8>) {
  // expected-error @below {{result #0 must be T1: static tensor of bools}}
  %r = neuron.all %x dims [0] : (tensor<4xui8>) -> tensor<ui8>
  return
}

// -----

// R4: the maximum of nothing.
func.func @max_of_nothing(%x: tensor<4x0xf32>) {
  // expected-error @below {{R4: reduced dimension 1 has size 0}}
  %r = neuron.max %x dims [1] : (tensor<4x0xf32>) -> tensor<4xf32>
  return
}

// -----

// R4: the largest magnitude of nothing.
func.func @norm_of_nothing(%x: tensor<0xf32>) {
  // expected-error @below {{R4: reduced dimension 0 has size 0}}
  %r = neuron.norm %x dims [0] ord 0x7FF0000000000000 : (tensor<0xf32>) -> tensor<f32>
  return
}

// -----

// R4 does not forbid sums of nothing, nor maxima along another dimension.
func.func @allowed(%x: tensor<4x0xf32>) -> (tensor<4xf32>, tensor<0xf32>, tensor<4xf32>) {
  %0 = neuron.sum %x dims [1] : (tensor<4x0xf32>) -> tensor<4xf32>
  %1 = neuron.max %x dims [0] : (tensor<4x0xf32>) -> tensor<0xf32>
  %2 = neuron.norm %x dims [1] ord 2.0 : (tensor<4x0xf32>) -> tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<0xf32>, tensor<4xf32>
}

// -----

// N1: the weight's element type.
func.func @weight_type(%x: tensor<4x8xbf16>, %w: tensor<8xf32>) {
  // expected-error @below {{N1: weight and bias must have the operand's element type 'bf16', got 'f32'}}
  %r = neuron.rms_norm %x weight %w : tensor<8xf32> dims [1] eps 1.0e-06 : tensor<4x8xbf16> -> tensor<4x8xbf16>
  return
}

// -----

// N1: the bias' shape.
func.func @bias_shape(%x: tensor<4x8xf32>, %b: tensor<4xf32>) {
  // expected-error @below {{N1: weight and bias must broadcast to the operand's shape [4, 8], got [4]}}
  %r = neuron.layer_norm %x bias %b : tensor<4xf32> dims [1] eps 1.0e-06 : tensor<4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

// N1: a weight does not enlarge the result.
func.func @weight_rank(%x: tensor<8xf32>, %w: tensor<4x8xf32>) {
  // expected-error @below {{N1: weight and bias must broadcast to the operand's shape [8], got [4, 8]}}
  %r = neuron.rms_norm %x weight %w : tensor<4x8xf32> dims [0] eps 1.0e-06 : tensor<8xf32> -> tensor<8xf32>
  return
}

// -----

// N2: a cast is not part of the operation.
func.func @named_result(%x: tensor<4x8xbf16>) {
  // expected-error @below {{N2: result must have the operand's type 'tensor<4x8xbf16>', got 'tensor<4x8xf32>'}}
  %r = neuron.layer_norm %x dims [1] eps 1.0e-06 : tensor<4x8xbf16> -> tensor<4x8xf32>
  return
}

// -----

// N3: as R1.
func.func @named_dims(%x: tensor<4x8xf32>) {
  // expected-error @below {{N3: dims must be in [0, 2), got 2}}
  %r = neuron.softmax %x dims [2] : tensor<4x8xf32>
  return
}

// -----

// N3: as R1.
func.func @named_dims_unsorted(%x: tensor<4x8xf32>) {
  // expected-error @below {{N3: dims must be sorted and unique, got [1, 0]}}
  %r = neuron.log_softmax %x dims [1, 0] : tensor<4x8xf32>
  return
}

// -----

// N4: the root of a negative number.
func.func @negative_eps(%x: tensor<4x8xf32>) {
  // expected-error @below {{N4: eps must be finite and not negative, got -1}}
  %r = neuron.rms_norm %x dims [1] eps -1.0 : tensor<4x8xf32> -> tensor<4x8xf32>
  return
}
