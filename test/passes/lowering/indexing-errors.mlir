// RUN: neuron-opt %s --neuron-lower-kernels="sbuf-bytes=4096" --split-input-file --verify-diagnostics

// L14: a sort has the whole row on chip.
func.func @long_sort(%t: tensor<4x6400xf32>) -> tensor<4x6400xf32> {
  // expected-error @below {{L14: sorts rows of 6400 elements, which need}}
  %0 = neuron.kernel "sort" (%x = %t) : (tensor<4x6400xf32>) -> tensor<4x6400xf32> {
    %1 = neuron.sort %x dims [1] : tensor<4x6400xf32>
    neuron.yield %1 : tensor<4x6400xf32>
  } {shape = array<i64: 4, 6400>, row_dims = array<i64: 0>, column_dims = array<i64: 1>}
  return %0 : tensor<4x6400xf32>
}
