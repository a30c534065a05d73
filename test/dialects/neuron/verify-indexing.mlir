// Rules J1 to J6 of gather and scatter, Q1, N3 and U1 of sequences.
// RUN: neuron-opt %s --verify-diagnostics --split-input-file

// J1: a gather does not convert.
func.func @j1(%x: tensor<9x4xf32>, %i: tensor<6x1xi64>) {
  // expected-error @below {{J1: result must have the input's element type 'f32', got 'f16'}}
  %r = neuron.gather %x, %i : tensor<9x4xf32>, tensor<6x1xi64> -> tensor<6x4xf16>
  return
}

// -----

// J2: there is something to index,
func.func @j2_first(%x: tensor<0x4xf32>, %i: tensor<6x1xi64>) {
  // expected-error @below {{J2: the indexed operand must have a first dimension with an element, got [0, 4]}}
  %r = neuron.gather %x, %i : tensor<0x4xf32>, tensor<6x1xi64> -> tensor<6x4xf32>
  return
}

// -----

// J2: and the rest is in line with the result.
func.func @j2_rest(%x: tensor<9x3xf32>, %i: tensor<6x1xi64>) {
  // expected-error @below {{J2: dimensions behind the indexed one must broadcast to [6, 4], got [3]}}
  %r = neuron.gather %x, %i : tensor<9x3xf32>, tensor<6x1xi64> -> tensor<6x4xf32>
  return
}

// -----

// J3: so is the index.
func.func @j3(%x: tensor<9x4xf32>, %i: tensor<6xi64>) {
  // expected-error @below {{J3: index must broadcast to [6, 4], got [6]}}
  %r = neuron.gather %x, %i : tensor<9x4xf32>, tensor<6xi64> -> tensor<6x4xf32>
  return
}

// -----

// J4: a scatter does not convert.
func.func @j4(%x: tensor<9x4xf32>, %i: tensor<6x1xi64>, %u: tensor<6x4xf16>) {
  // expected-error @below {{J4: updates must have the element type of dest, 'f32', got 'f16'}}
  %r = neuron.scatter %x, %i, %u reduce "none" : tensor<9x4xf32>, tensor<6x1xi64>, tensor<6x4xf16> -> tensor<9x4xf32>
  return
}

// -----

// J5: index and updates are in line,
func.func @j5_updates(%x: tensor<9x4xf32>, %i: tensor<6x1xi64>, %u: tensor<5x4xf32>) {
  // expected-error @below {{J5: index and updates must broadcast, got [6, 1] and [5, 4]}}
  %r = neuron.scatter %x, %i, %u reduce "none" : tensor<9x4xf32>, tensor<6x1xi64>, tensor<5x4xf32> -> tensor<9x4xf32>
  return
}

// -----

// J5: and the destination with them.
func.func @j5_dest(%x: tensor<9x5xf32>, %i: tensor<6x1xi64>, %u: tensor<6x4xf32>) {
  // expected-error @below {{J5: dimensions behind the indexed one must broadcast to [6, 4], got [5]}}
  %r = neuron.scatter %x, %i, %u reduce "none" : tensor<9x5xf32>, tensor<6x1xi64>, tensor<6x4xf32> -> tensor<9x5xf32>
  return
}

// -----

// J6: reductions have names,
func.func @j6_name(%x: tensor<9x4xf32>, %i: tensor<6x1xi64>, %u: tensor<6x4xf32>) {
  // expected-error @below {{J6: does not combine elements of 'f32' by 'mean'}}
  %r = neuron.scatter %x, %i, %u reduce "mean" : tensor<9x4xf32>, tensor<6x1xi64>, tensor<6x4xf32> -> tensor<9x4xf32>
  return
}

// -----

// J6: and bools no arithmetic.
func.func @j6_bool(%x: tensor<9x4xi1>, %i: tensor<6x1xi64>, %u: tensor<6x4xi1>) {
  // expected-error @below {{J6: does not combine elements of 'i1' by 'sum'}}
  %r = neuron.scatter %x, %i, %u reduce "sum" : tensor<9x4xi1>, tensor<6x1xi64>, tensor<6x4xi1> -> tensor<9x4xi1>
  return
}

// -----

// Q1: so has a scan.
func.func @q1(%x: tensor<4xi64>) {
  // expected-error @below {{Q1: does not scan elements of 'i64' by 'logaddexp'}}
  %r = neuron.scan %x dims [0] kind "logaddexp" : tensor<4xi64>
  return
}

// -----

// N3: sequences run along dims.
func.func @n3_scan(%x: tensor<4xi64>) {
  // expected-error @below {{N3: dims must be in [0, 1), got 1}}
  %r = neuron.scan %x dims [1] kind "sum" : tensor<4xi64>
  return
}

// -----

func.func @n3_sort(%x: tensor<4x4xi64>) {
  // expected-error @below {{N3: dims must be sorted and unique, got [1, 0]}}
  %r = neuron.sort %x dims [1, 0] : tensor<4x4xi64>
  return
}

// -----

func.func @n3_argsort(%x: tensor<4xf32>) {
  // expected-error @below {{N3: dims must be in [0, 1), got -1}}
  %r = neuron.argsort %x dims [-1] : tensor<4xf32> -> tensor<4xi64>
  return
}

// -----

// U1: one key.
func.func @u1(%key: tensor<2xi64>) {
  // expected-error @below {{U1: key must be one number, got 'tensor<2xi64>'}}
  %r = neuron.random %key : tensor<2xi64> -> tensor<4xf32>
  return
}
