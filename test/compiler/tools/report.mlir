// The roofline of each kernel: bounds worked out by hand from trn2's table, beside the simulator's predictions.
// RUN: neuron-compile %s --report | FileCheck %s
// RUN: neuron-compile %s --report --targets=trn1,trn3 | FileCheck %s --check-prefix=SIDE
// RUN: neuron-compile %s --report --targets=trn1 -o %t.neff | FileCheck %s --check-prefix=ONE
// RUN: neuron-run %t.neff --predict | FileCheck %s --check-prefix=NEFF
// RUN: not neuron-compile %s --report --targets=trn2,trn9 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not neuron-compile %s --report --targets=trn2, 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not neuron-compile %s -o %t.neff --targets=trn2 2>&1 | FileCheck %s --check-prefix=ALONE
// RUN: not neuron-compile %s --report -o %t.neff --targets=trn1,trn2 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: neuron-compile %S/predict-ir.mlir --report | FileCheck %s --check-prefix=NISA

// CHECK: roofline for trn2{{$}}
// CHECK-NEXT: predicted: device time by the simulator's timing model, a prediction
// CHECK-NEXT: bound: least time by the graph and the target's parameters alone
// CHECK: kernel HBM bytes flops bound us  predicted us  of bound  limited by line

// 2 * 1024 * 1024 elements of 4 bytes at 362.5 GB/s.
// CHECK-NEXT: softmax 8388608 5243904 23.141 {{[0-9.]+}} {{[0-9]+}}% {{.*}} net.py:7{{$}}
// 1024 * 1024 * 1024 multiply-adds in 4 passes, 128 * 128 in each cycle of 2.4 GHz.
// CHECK-NEXT: matmul 12582912 2147483648 109.227 {{[0-9.]+}} {{[0-9]+}}%  tensor {{[0-9]+}}%  net.py:8{{$}}
// CHECK-NEXT: sum 20971520 2152727552 132.368
// CHECK-NEXT: an execution on trn2: {{[0-9.]+}} us predicted, of which 9.403 us launch

// SIDE: roofline for trn1, trn3 (unvalidated)
// SIDE: unvalidated: no published measurement
// SIDE: kernel trn1 bound us  trn1 predicted us  trn3* bound us  trn3* predicted us  line
// SIDE-NEXT: softmax{{( +[0-9.]+)( +[0-9.]+)( +[0-9.]+)( +[0-9.]+)}}  net.py:7
// SIDE-NEXT: matmul{{( +[0-9.]+)( +[0-9.]+)( +[0-9.]+)( +[0-9.]+)}}  net.py:8
// SIDE-NEXT: sum{{( +[0-9.]+)( +[0-9.]+)( +[0-9.]+)( +[0-9.]+)}}{{$}}
// SIDE-NEXT: an execution on trn1:
// SIDE-NEXT: an execution on trn3:
// SIDE-NEXT: * unvalidated

// ONE: roofline for trn1{{$}}
// ONE: an execution on trn1: [[TIME:[0-9.]+]] us predicted
// NEFF: the simulator's prediction for trn1

// NAME: neuron-compile: option 'target' cannot be 'trn9'; it is one of: trn1|trn2|trn3
// EMPTY: neuron-compile: option 'target' cannot be ''
// ALONE: neuron-compile: --targets is for --report; one target is --target=NAME
// MANY: neuron-compile: a NEFF is for one target: leave out -o

// A kernel that was written as instructions has no graph to bound it by.
// NISA: twice{{( +-)( +-)( +-)}} 6.106 - latency
// NISA-NEXT: sum{{( +-)( +-)( +-)}} 6.106
// NISA-NEXT: an execution on trn2: 15.509 us predicted
func.func @main(%x: tensor<1024x1024xf32>, %y: tensor<1024x1024xf32>, %z: tensor<1024x1024xf32>)
    -> (tensor<1024x1024xf32>, tensor<1024x1024xf32>) {
  %0 = neuron.softmax %x dims [1] : tensor<1024x1024xf32> loc("net.py":7:3)
  // The innermost line that is not ours.
  %1 = neuron.matmul %y, %z batch 0 contract 1 : tensor<1024x1024xf32>, tensor<1024x1024xf32> -> tensor<1024x1024xf32>
      loc("mm"(callsite("/lib/torch/functional.py":3:1 at callsite("net.py":8:5 at "main.py":2:1))))
  return %0, %1 : tensor<1024x1024xf32>, tensor<1024x1024xf32>
}
