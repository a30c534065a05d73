// RUN: neuron-opt %s --split-input-file --verify-diagnostics

// I1: an instruction of the Vector engine.
func.func @engine() {
  %a = nisa.alloc : memref<4x8xf32, #nisa.mem<sbuf>>
  %b = nisa.alloc : memref<4x8xf32, #nisa.mem<sbuf>>
  %zero = nisa.immediate 0.0 : f32
  // expected-error @+1 {{I1: does not run on engine gpsimd}}
  nisa.tensor_tensor_scan fn ["mul", "add"] ins(%a, %b, %zero : memref<4x8xf32, #nisa.mem<sbuf>>, memref<4x8xf32, #nisa.mem<sbuf>>, f32) outs(%b : memref<4x8xf32, #nisa.mem<sbuf>>) {engine = #nisa.engine<gpsimd>, parts = 4 : i64}
  return
}

// -----

// I4: of two functions.
func.func @one_function() {
  %a = nisa.alloc : memref<4x8xf32, #nisa.mem<sbuf>>
  %zero = nisa.immediate 0.0 : f32
  // expected-error @+1 {{I4: wants 2 to 2 functions, has 1}}
  nisa.tensor_tensor_scan fn ["add"] ins(%a, %a, %zero : memref<4x8xf32, #nisa.mem<sbuf>>, memref<4x8xf32, #nisa.mem<sbuf>>, f32) outs(%a : memref<4x8xf32, #nisa.mem<sbuf>>) {engine = #nisa.engine<vector>, parts = 4 : i64}
  return
}

// -----

// I4: of two operands each.
func.func @unary() {
  %a = nisa.alloc : memref<4x8xf32, #nisa.mem<sbuf>>
  %zero = nisa.immediate 0.0 : f32
  // expected-error @+1 {{I4: function 'abs' does not run on this engine}}
  nisa.tensor_tensor_scan fn ["mul", "abs"] ins(%a, %a, %zero : memref<4x8xf32, #nisa.mem<sbuf>>, memref<4x8xf32, #nisa.mem<sbuf>>, f32) outs(%a : memref<4x8xf32, #nisa.mem<sbuf>>) {engine = #nisa.engine<vector>, parts = 4 : i64}
  return
}

// -----

// I5: an initial value is there.
func.func @no_initial() {
  %a = nisa.alloc : memref<4x8xf32, #nisa.mem<sbuf>>
  // expected-error @+1 {{I5: wrong number of operands}}
  nisa.tensor_tensor_scan fn ["mul", "add"] ins(%a, %a : memref<4x8xf32, #nisa.mem<sbuf>>, memref<4x8xf32, #nisa.mem<sbuf>>) outs(%a : memref<4x8xf32, #nisa.mem<sbuf>>) {engine = #nisa.engine<vector>, parts = 4 : i64}
  return
}

// -----

// I6: the sources have as many elements as the result.
func.func @free() {
  %a = nisa.alloc : memref<4x8xf32, #nisa.mem<sbuf>>
  %b = nisa.alloc : memref<4x7xf32, #nisa.mem<sbuf>>
  %zero = nisa.immediate 0.0 : f32
  // expected-error @+1 {{I6: free size 7 beside 8}}
  nisa.tensor_tensor_scan fn ["mul", "add"] ins(%a, %b, %zero : memref<4x8xf32, #nisa.mem<sbuf>>, memref<4x7xf32, #nisa.mem<sbuf>>, f32) outs(%a : memref<4x8xf32, #nisa.mem<sbuf>>) {engine = #nisa.engine<vector>, parts = 4 : i64}
  return
}

// -----

// I6: one initial value, not a row of them.
func.func @initial() {
  %a = nisa.alloc : memref<4x8xf32, #nisa.mem<sbuf>>
  %b = nisa.alloc : memref<4x8xf32, #nisa.mem<sbuf>>
  // expected-error @+1 {{I6: source 2 is one element, not 8}}
  nisa.tensor_tensor_scan fn ["mul", "add"] ins(%a, %a, %b : memref<4x8xf32, #nisa.mem<sbuf>>, memref<4x8xf32, #nisa.mem<sbuf>>, memref<4x8xf32, #nisa.mem<sbuf>>) outs(%a : memref<4x8xf32, #nisa.mem<sbuf>>) {engine = #nisa.engine<vector>, parts = 4 : i64}
  return
}

// -----

// I6: so it is with every scalar operand.
func.func @scalar() {
  %a = nisa.alloc : memref<4x8xf32, #nisa.mem<sbuf>>
  // expected-error @+1 {{I6: source 1 is one element, not 8}}
  nisa.tensor_scalar fn ["mul"] ins(%a, %a : memref<4x8xf32, #nisa.mem<sbuf>>, memref<4x8xf32, #nisa.mem<sbuf>>) outs(%a : memref<4x8xf32, #nisa.mem<sbuf>>) {engine = #nisa.engine<vector>, parts = 4 : i64}
  return
}

// -----

// I8: not both sources in PSUM.
func.func @streams() {
  %a = nisa.alloc : memref<4x8xf32, #nisa.mem<psum>>
  %b = nisa.alloc : memref<4x8xf32, #nisa.mem<sbuf>>
  %zero = nisa.immediate 0.0 : f32
  // expected-error @+1 {{I8: only one streamed source may be in PSUM}}
  nisa.tensor_tensor_scan fn ["mul", "add"] ins(%a, %a, %zero : memref<4x8xf32, #nisa.mem<psum>>, memref<4x8xf32, #nisa.mem<psum>>, f32) outs(%b : memref<4x8xf32, #nisa.mem<sbuf>>) {engine = #nisa.engine<vector>, parts = 4 : i64}
  return
}
