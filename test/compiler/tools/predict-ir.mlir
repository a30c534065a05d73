// neuron-run takes IR of any level, and predicts without running.
// RUN: neuron-run %s --predict | FileCheck %s --check-prefix=TRN2
// RUN: neuron-run %s --predict --target trn1 --profile | FileCheck %s --check-prefix=TRN1
// RUN: neuron-opt %s --neuron-place-tiles --neuron-synchronize -o %t.scheduled.mlir && neuron-run %t.scheduled.mlir --predict | FileCheck %s --check-prefix=TRN2
// RUN: mkdir -p %t && %python -c "import numpy as np; np.save(r'%t/x.npy', np.arange(128*512, dtype=np.float32).reshape(128, 512))"
// RUN: neuron-run %s --input x=%t/x.npy --output-dir %t && %python -c "import numpy as np; x = np.load(r'%t/x.npy'); assert (np.load(r'%t/y.npy') == x + x).all()"
// RUN: not neuron-run %s --predict --target trn9 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: neuron-compile %s -o %t/k.neff && not neuron-run %t/k.neff --predict --target trn1 2>&1 | FileCheck %s --check-prefix=NEFF

// TRN2: device time: 15.509 us (the simulator's prediction for trn2)
// TRN1: device time: 21.170 us (the simulator's prediction for trn1)
// TRN1: sync.dma_load
// TARGET: error: option 'target' cannot be 'trn9'; it is one of: trn1|trn2|trn3
// NEFF: error: --target is for IR: a NEFF is made for one device
func.func @main(%x: memref<128x512xf32, #nisa.mem<hbm>> {neuron.kind = "input", neuron.name = "x"}, %y: memref<128x512xf32, #nisa.mem<hbm>> {neuron.kind = "output", neuron.name = "y"}) {
  nisa.kernel "twice" {
    %in = nisa.alloc : memref<128x512xf32, #nisa.mem<sbuf>>
    %out = nisa.alloc : memref<128x512xf32, #nisa.mem<sbuf>>
    nisa.dma_load ins(%x : memref<128x512xf32, #nisa.mem<hbm>>) outs(%in : memref<128x512xf32, #nisa.mem<sbuf>>) {col_sizes = array<i64: 512>, col_strides = array<i64: 1>, column = array<i64: 0>, engine = #nisa.engine<sync>, hbm_offset = 0 : i64, parts = 128 : i64, queue = 0 : i64, row = array<i64: 0>, row_sizes = array<i64: 128>, row_strides = array<i64: 512>}
    nisa.tensor_tensor fn ["add"] ins(%in, %in : memref<128x512xf32, #nisa.mem<sbuf>>, memref<128x512xf32, #nisa.mem<sbuf>>) outs(%out : memref<128x512xf32, #nisa.mem<sbuf>>) {engine = #nisa.engine<vector>, parts = 128 : i64}
    nisa.dma_store ins(%out : memref<128x512xf32, #nisa.mem<sbuf>>) outs(%y : memref<128x512xf32, #nisa.mem<hbm>>) {col_sizes = array<i64: 512>, col_strides = array<i64: 1>, column = array<i64: 0>, engine = #nisa.engine<sync>, hbm_offset = 0 : i64, parts = 128 : i64, queue = 1 : i64, row = array<i64: 0>, row_sizes = array<i64: 128>, row_strides = array<i64: 512>}
  }
  return
}
