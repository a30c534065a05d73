// RUN: neuron-opt %s --split-input-file --verify-diagnostics

// I2: no more partitions than the operands have.
func.func @parts_of_matmul() {
  %a = nisa.alloc : memref<8x4xf32, #nisa.mem<sbuf>>
  %b = nisa.alloc : memref<8x16xf32, #nisa.mem<sbuf>>
  %c = nisa.alloc : memref<4x16xf32, #nisa.mem<psum>>
  // expected-error @+1 {{I2: touches 9 partitions}}
  nisa.matmul ins(%a, %b : memref<8x4xf32, #nisa.mem<sbuf>>, memref<8x16xf32, #nisa.mem<sbuf>>) outs(%c : memref<4x16xf32, #nisa.mem<psum>>) {engine = #nisa.engine<tensor>, parts = 9 : i64}
  return
}

// -----

// I7: the Tensor engine reads SBUF.
func.func @reads_psum() {
  %a = nisa.alloc : memref<8x4xf32, #nisa.mem<sbuf>>
  %b = nisa.alloc : memref<8x16xf32, #nisa.mem<psum>>
  %c = nisa.alloc : memref<4x16xf32, #nisa.mem<psum>>
  // expected-error @+1 {{I7: cannot read PSUM}}
  nisa.matmul ins(%a, %b : memref<8x4xf32, #nisa.mem<sbuf>>, memref<8x16xf32, #nisa.mem<psum>>) outs(%c : memref<4x16xf32, #nisa.mem<psum>>) {engine = #nisa.engine<tensor>, parts = 8 : i64}
  return
}

// -----

// I7: and writes PSUM.
func.func @writes_sbuf() {
  %a = nisa.alloc : memref<8x4xf32, #nisa.mem<sbuf>>
  %b = nisa.alloc : memref<8x16xf32, #nisa.mem<sbuf>>
  %c = nisa.alloc : memref<4x16xf32, #nisa.mem<sbuf>>
  // expected-error @+1 {{I7: the Tensor engine writes to PSUM only}}
  nisa.matmul ins(%a, %b : memref<8x4xf32, #nisa.mem<sbuf>>, memref<8x16xf32, #nisa.mem<sbuf>>) outs(%c : memref<4x16xf32, #nisa.mem<sbuf>>) {engine = #nisa.engine<tensor>, parts = 8 : i64}
  return
}

// -----

// I7: GpSimd does not reach PSUM.
func.func @gpsimd() {
  %a = nisa.alloc : memref<4x8xf32, #nisa.mem<psum>>
  %b = nisa.alloc : memref<4x8xf32, #nisa.mem<sbuf>>
  // expected-error @+1 {{I7: cannot read PSUM}}
  nisa.tensor_copy ins(%a : memref<4x8xf32, #nisa.mem<psum>>) outs(%b : memref<4x8xf32, #nisa.mem<sbuf>>) {engine = #nisa.engine<gpsimd>, parts = 4 : i64}
  return
}

// -----

// I7: nor does DMA.
func.func @dma() {
  %a = nisa.alloc : memref<4x8xf32, #nisa.mem<psum>>
  %s = nisa.scratch : memref<4x8xf32, #nisa.mem<hbm>>
  // expected-error @+1 {{I7: cannot write PSUM}}
  nisa.dma_load ins(%s : memref<4x8xf32, #nisa.mem<hbm>>) outs(%a : memref<4x8xf32, #nisa.mem<psum>>) {engine = #nisa.engine<scalar>, queue = 0 : i64, hbm_offset = 0 : i64, row_sizes = array<i64: 4>, row_strides = array<i64: 8>, col_sizes = array<i64: 8>, col_strides = array<i64: 1>, row = array<i64: 0>, column = array<i64: 0>, parts = 4 : i64}
  return
}

// -----

// I8: one of two streams may be in PSUM.
func.func @streams() {
  %a = nisa.alloc : memref<4x8xf32, #nisa.mem<psum>>
  %b = nisa.alloc : memref<4x8xf32, #nisa.mem<sbuf>>
  nisa.tensor_tensor fn ["add"] ins(%a, %b : memref<4x8xf32, #nisa.mem<psum>>, memref<4x8xf32, #nisa.mem<sbuf>>) outs(%b : memref<4x8xf32, #nisa.mem<sbuf>>) {engine = #nisa.engine<vector>, parts = 4 : i64}
  // expected-error @+1 {{I8: only one streamed source may be in PSUM}}
  nisa.tensor_tensor fn ["add"] ins(%a, %a : memref<4x8xf32, #nisa.mem<psum>>, memref<4x8xf32, #nisa.mem<psum>>) outs(%b : memref<4x8xf32, #nisa.mem<sbuf>>) {engine = #nisa.engine<vector>, parts = 4 : i64}
  return
}

// -----

// I9: at most 128 columns of the stationary operand.
func.func @stationary() {
  %a = nisa.alloc : memref<8x129xf32, #nisa.mem<sbuf>>
  %b = nisa.alloc : memref<8x16xf32, #nisa.mem<sbuf>>
  %c = nisa.alloc : memref<128x16xf32, #nisa.mem<psum>>
  // expected-error @+1 {{I9: stationary and moving operand have at most 128 and 512 free elements, not 129 and 16}}
  nisa.matmul ins(%a, %b : memref<8x129xf32, #nisa.mem<sbuf>>, memref<8x16xf32, #nisa.mem<sbuf>>) outs(%c : memref<128x16xf32, #nisa.mem<psum>>) {engine = #nisa.engine<tensor>, parts = 8 : i64}
  return
}

// -----

// I9: at most 512 of the moving one.
func.func @moving() {
  %a = nisa.alloc : memref<8x4xf32, #nisa.mem<sbuf>>
  %b = nisa.alloc : memref<8x513xf32, #nisa.mem<sbuf>>
  %c = nisa.alloc : memref<4x513xf32, #nisa.mem<psum>>
  // expected-error @+1 {{not 4 and 513}}
  nisa.matmul ins(%a, %b : memref<8x4xf32, #nisa.mem<sbuf>>, memref<8x513xf32, #nisa.mem<sbuf>>) outs(%c : memref<4x513xf32, #nisa.mem<psum>>) {engine = #nisa.engine<tensor>, parts = 8 : i64}
  return
}

// -----

// I9: the sizes of the result.
func.func @rows() {
  %a = nisa.alloc : memref<8x4xf32, #nisa.mem<sbuf>>
  %b = nisa.alloc : memref<8x16xf32, #nisa.mem<sbuf>>
  %c = nisa.alloc : memref<3x16xf32, #nisa.mem<psum>>
  // expected-error @+1 {{I9: makes 4 x 16 elements}}
  nisa.matmul ins(%a, %b : memref<8x4xf32, #nisa.mem<sbuf>>, memref<8x16xf32, #nisa.mem<sbuf>>) outs(%c : memref<3x16xf32, #nisa.mem<psum>>) {engine = #nisa.engine<tensor>, parts = 8 : i64}
  return
}

// -----

// I9: the sizes of the result.
func.func @columns() {
  %a = nisa.alloc : memref<8x4xf32, #nisa.mem<sbuf>>
  %b = nisa.alloc : memref<8x16xf32, #nisa.mem<sbuf>>
  %c = nisa.alloc : memref<4x17xf32, #nisa.mem<psum>>
  // expected-error @+1 {{I9: makes 4 x 16 elements}}
  nisa.matmul ins(%a, %b : memref<8x4xf32, #nisa.mem<sbuf>>, memref<8x16xf32, #nisa.mem<sbuf>>) outs(%c : memref<4x17xf32, #nisa.mem<psum>>) {engine = #nisa.engine<tensor>, parts = 8 : i64}
  return
}

// -----

// I10: element types.
func.func @types() {
  %a = nisa.alloc : memref<8x4xf32, #nisa.mem<sbuf>>
  %b = nisa.alloc : memref<8x16xbf16, #nisa.mem<sbuf>>
  %c = nisa.alloc : memref<4x16xf32, #nisa.mem<psum>>
  // expected-error @+1 {{I10: multiplies two of f32, bf16 or f16 and makes f32}}
  nisa.matmul ins(%a, %b : memref<8x4xf32, #nisa.mem<sbuf>>, memref<8x16xbf16, #nisa.mem<sbuf>>) outs(%c : memref<4x16xf32, #nisa.mem<psum>>) {engine = #nisa.engine<tensor>, parts = 8 : i64}
  return
}

// -----

// I10: sums are fp32.
func.func @type_of_sum() {
  %a = nisa.alloc : memref<8x4xbf16, #nisa.mem<sbuf>>
  %b = nisa.alloc : memref<8x16xbf16, #nisa.mem<sbuf>>
  %c = nisa.alloc : memref<4x16xbf16, #nisa.mem<psum>>
  // expected-error @+1 {{I10: multiplies two of f32, bf16 or f16 and makes f32}}
  nisa.matmul ins(%a, %b : memref<8x4xbf16, #nisa.mem<sbuf>>, memref<8x16xbf16, #nisa.mem<sbuf>>) outs(%c : memref<4x16xbf16, #nisa.mem<psum>>) {engine = #nisa.engine<tensor>, parts = 8 : i64}
  return
}

// -----

// I11: a result lies in one bank.
func.func @bank() {
  %a = nisa.alloc : memref<8x4xf32, #nisa.mem<sbuf>>
  %b = nisa.alloc : memref<8x16xf32, #nisa.mem<sbuf>>
  %t = nisa.alloc : memref<4x1024xf32, #nisa.mem<psum>>
  %c = nisa.subtile %t [504, 16] : memref<4x1024xf32, #nisa.mem<psum>> -> memref<4x16xf32, #nisa.mem<psum>>
  // expected-error @+1 {{I11: out spans banks of PSUM}}
  nisa.matmul ins(%a, %b : memref<8x4xf32, #nisa.mem<sbuf>>, memref<8x16xf32, #nisa.mem<sbuf>>) outs(%c : memref<4x16xf32, #nisa.mem<psum>>) {engine = #nisa.engine<tensor>, parts = 8 : i64}
  return
}

// -----

// I9: the sizes of a transpose.
func.func @transposed() {
  %a = nisa.alloc : memref<8x16xf32, #nisa.mem<sbuf>>
  %c = nisa.alloc : memref<16x7xf32, #nisa.mem<psum>>
  // expected-error @+1 {{I9: makes 16 x 8 elements}}
  nisa.transpose ins(%a : memref<8x16xf32, #nisa.mem<sbuf>>) outs(%c : memref<16x7xf32, #nisa.mem<psum>>) {engine = #nisa.engine<tensor>, parts = 8 : i64}
  return
}

// -----

// I9: at most 128 columns.
func.func @wide_transpose() {
  %a = nisa.alloc : memref<8x129xf32, #nisa.mem<sbuf>>
  %c = nisa.alloc : memref<128x8xf32, #nisa.mem<psum>>
  // expected-error @+1 {{I9: transposes at most 128 free elements, not 129}}
  nisa.transpose ins(%a : memref<8x129xf32, #nisa.mem<sbuf>>) outs(%c : memref<128x8xf32, #nisa.mem<psum>>) {engine = #nisa.engine<tensor>, parts = 8 : i64}
  return
}

// -----

// I10: a transpose keeps the type.
func.func @converting_transpose() {
  %a = nisa.alloc : memref<8x16xbf16, #nisa.mem<sbuf>>
  %c = nisa.alloc : memref<16x8xf32, #nisa.mem<psum>>
  // expected-error @+1 {{I10: keeps a type of two or four bytes}}
  nisa.transpose ins(%a : memref<8x16xbf16, #nisa.mem<sbuf>>) outs(%c : memref<16x8xf32, #nisa.mem<psum>>) {engine = #nisa.engine<tensor>, parts = 8 : i64}
  return
}

// -----

// I10: of two or four bytes.
func.func @bytes() {
  %a = nisa.alloc : memref<8x16xi8, #nisa.mem<sbuf>>
  %c = nisa.alloc : memref<16x8xi8, #nisa.mem<psum>>
  // expected-error @+1 {{I10: keeps a type of two or four bytes}}
  nisa.transpose ins(%a : memref<8x16xi8, #nisa.mem<sbuf>>) outs(%c : memref<16x8xi8, #nisa.mem<psum>>) {engine = #nisa.engine<tensor>, parts = 8 : i64}
  return
}

// -----

// S6: of a whole tile.
func.func @nested() {
  %a = nisa.alloc : memref<4x8xf32, #nisa.mem<sbuf>>
  %b = nisa.subtile %a [0, 4] : memref<4x8xf32, #nisa.mem<sbuf>> -> memref<4x4xf32, #nisa.mem<sbuf>>
  // expected-error @+1 {{S6: is a part of a tile that nisa.alloc makes}}
  %c = nisa.subtile %b [0, 2] : memref<4x4xf32, #nisa.mem<sbuf>> -> memref<4x2xf32, #nisa.mem<sbuf>>
  return
}

// -----

// S7: inside the tile.
func.func @outside() {
  %a = nisa.alloc : memref<4x8xf32, #nisa.mem<sbuf>>
  // expected-error @+1 {{S7: elements [5, 9) of a tile of 8}}
  %b = nisa.subtile %a [5, 4] : memref<4x8xf32, #nisa.mem<sbuf>> -> memref<4x4xf32, #nisa.mem<sbuf>>
  return
}

// -----

// S8: of the type that follows.
func.func @view() {
  %a = nisa.alloc : memref<4x8xf32, #nisa.mem<sbuf>>
  // expected-error @+1 {{S8: is 'memref<4x4xf32, #nisa.mem<sbuf>>'}}
  %b = nisa.subtile %a [4, 4] : memref<4x8xf32, #nisa.mem<sbuf>> -> memref<4x5xf32, #nisa.mem<sbuf>>
  return
}
