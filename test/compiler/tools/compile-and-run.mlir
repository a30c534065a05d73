// From IR to numbers with the tools alone, in both forms of the simulator.
// RUN: mkdir -p %t && neuron-compile %s -o %t/k.neff --remarks | FileCheck %s --check-prefix=REMARK
// RUN: neuron-neff %t/k.neff --program | FileCheck %s --check-prefix=NEFF
// RUN: %python -c "import numpy as np; np.save(r'%t/x.npy', np.arange(1300*7, dtype=np.float32).reshape(1300, 7) / 9100)"
// RUN: neuron-run %t/k.neff --input x=%t/x.npy --output-dir %t/a --form interpreter | FileCheck %s --check-prefix=TIME
// RUN: neuron-run %t/k.neff --input x=%t/x.npy --output-dir %t/b --form compiled | FileCheck %s --check-prefix=TIME
// RUN: cmp %t/a/y.npy %t/b/y.npy
// RUN: %python -c "import numpy as np; y = np.load(r'%t/a/y.npy'); x = np.load(r'%t/x.npy').astype(np.float64); e = np.exp(x - x.max(1, keepdims=True)); assert np.allclose(y, e / e.sum(1, keepdims=True), rtol=1e-6, atol=0)"

// REMARK: remark: {{.*}}kernel softmax: 1 ops, reads 36400 bytes, writes 36400 bytes
// NEFF: input x: float32[1300, 7]
// NEFF: kernel softmax
// NEFF: activation<exp>
// TIME: output 'y' (float32[1300, 7])
// TIME: device time: {{[0-9.]+}} us (the simulator's prediction for trn2)
func.func @main(%x: tensor<1300x7xf32> {neuron.name = "x"}) -> (tensor<1300x7xf32> {neuron.name = "y"}) {
  %0 = neuron.softmax %x dims [1] : tensor<1300x7xf32>
  return %0 : tensor<1300x7xf32>
}
