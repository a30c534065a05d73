// RUN: neuron-opt %s --split-input-file --verify-diagnostics

// I1: an instruction runs on the engines of its row of the table only.
func.func @engine() {
  %t = nisa.alloc : memref<4x8xf32, #nisa.mem<sbuf>>
  // expected-error @+1 {{I1: does not run on engine scalar}}
  nisa.tensor_tensor fn ["add"] ins(%t, %t : memref<4x8xf32, #nisa.mem<sbuf>>, memref<4x8xf32, #nisa.mem<sbuf>>) outs(%t : memref<4x8xf32, #nisa.mem<sbuf>>) {engine = #nisa.engine<scalar>, parts = 4 : i64}
  return
}

// -----

// I2: no more partitions than the tile has.
func.func @parts() {
  %t = nisa.alloc : memref<4x8xf32, #nisa.mem<sbuf>>
  // expected-error @+1 {{I2: touches 5 partitions}}
  nisa.reciprocal ins(%t : memref<4x8xf32, #nisa.mem<sbuf>>) outs(%t : memref<4x8xf32, #nisa.mem<sbuf>>) {engine = #nisa.engine<vector>, parts = 5 : i64}
  return
}

// -----

// I3: engines reach SBUF and PSUM only.
func.func @space(%x: memref<4x8xf32, #nisa.mem<hbm>>) {
  %t = nisa.alloc : memref<4x8xf32, #nisa.mem<sbuf>>
  // expected-error @+1 {{I3: operates on tiles in SBUF or PSUM}}
  nisa.reciprocal ins(%x : memref<4x8xf32, #nisa.mem<hbm>>) outs(%t : memref<4x8xf32, #nisa.mem<sbuf>>) {engine = #nisa.engine<vector>, parts = 4 : i64}
  return
}

// -----

// I4: a function that the engine lacks.
func.func @function() {
  %t = nisa.alloc : memref<4x8xf32, #nisa.mem<sbuf>>
  // expected-error @+1 {{I4: function 'div' does not run on this engine}}
  nisa.tensor_tensor fn ["div"] ins(%t, %t : memref<4x8xf32, #nisa.mem<sbuf>>, memref<4x8xf32, #nisa.mem<sbuf>>) outs(%t : memref<4x8xf32, #nisa.mem<sbuf>>) {engine = #nisa.engine<vector>, parts = 4 : i64}
  return
}

// -----

// I4: a function that nobody has.
func.func @no_function() {
  %t = nisa.alloc : memref<4x8xf32, #nisa.mem<sbuf>>
  // expected-error @+1 {{I4: no function 'frobnicate'}}
  nisa.activation fn ["frobnicate"] ins(%t : memref<4x8xf32, #nisa.mem<sbuf>>) outs(%t : memref<4x8xf32, #nisa.mem<sbuf>>) {engine = #nisa.engine<scalar>, parts = 4 : i64}
  return
}

// -----

// I5: operands as the opcode wants them.
func.func @operands() {
  %t = nisa.alloc : memref<4x8xf32, #nisa.mem<sbuf>>
  // expected-error @+1 {{I5: wrong number of operands}}
  nisa.tensor_tensor fn ["add"] ins(%t : memref<4x8xf32, #nisa.mem<sbuf>>) outs(%t : memref<4x8xf32, #nisa.mem<sbuf>>) {engine = #nisa.engine<vector>, parts = 4 : i64}
  return
}

// -----

// I6: free sizes agree, or are 1 and repeated.
func.func @free() {
  %t = nisa.alloc : memref<4x8xf32, #nisa.mem<sbuf>>
  %u = nisa.alloc : memref<4x7xf32, #nisa.mem<sbuf>>
  // expected-error @+1 {{I6: free size 7 beside 8}}
  nisa.tensor_tensor fn ["add"] ins(%t, %u : memref<4x8xf32, #nisa.mem<sbuf>>, memref<4x7xf32, #nisa.mem<sbuf>>) outs(%t : memref<4x8xf32, #nisa.mem<sbuf>>) {engine = #nisa.engine<vector>, parts = 4 : i64}
  return
}

// -----

func.func @count() {
  // expected-error @+1 {{S1: count must be positive}}
  nisa.loop 0 {
  }
  return
}

// -----

func.func @space_of_alloc() {
  // expected-error @+1 {{S3: allocates tiles in SBUF or PSUM}}
  %t = nisa.alloc : memref<4x8xf32, #nisa.mem<hbm>>
  return
}

// -----

func.func @partitions() {
  // expected-error @+1 {{S4: a tile has a partition dimension of at most 128}}
  %t = nisa.alloc : memref<129x8xf32, #nisa.mem<sbuf>>
  return
}

// -----

// S9: a variable has one in its place.
func.func @replaced_twice(%x: memref<4xf32, #nisa.mem<hbm>>, %y: memref<4xf32, #nisa.mem<hbm>>) {
  // expected-error @+1 {{S9: replaces a variable twice}}
  nisa.repeat "b" of "a" from(%x, %x) to(%x, %y) : memref<4xf32, #nisa.mem<hbm>>, memref<4xf32, #nisa.mem<hbm>>
  return
}
