// RUN: neuron-opt %s --neuron-split-reductions --split-input-file | FileCheck %s

// Parts are rows; their results are reduced by a second kernel. The half is rounded once.
// CHECK-LABEL: func.func @half
// CHECK: %[[X:.*]] = neuron.reshape %arg0 : (tensor<1048576xbf16>) -> tensor<512x2048xbf16>
// CHECK: %[[F:.*]] = neuron.cast {{.*}} to tensor<{{.*}}xf32>
// CHECK: %[[P:.*]] = neuron.sum {{.*}} dims [1] keepdim : (tensor<512x2048xf32>) -> tensor<512x1xf32>
// CHECK: %[[S:.*]] = neuron.sum %[[P]] dims [0] keepdim : (tensor<512x1xf32>) -> tensor<1x1xf32>
// CHECK: %[[R:.*]] = neuron.cast %[[S]] : tensor<1x1xf32> to tensor<1x1xbf16>
// CHECK: neuron.reshape %[[R]] : (tensor<1x1xbf16>) -> tensor<bf16>
func.func @half(%arg0: tensor<1048576xbf16>) -> tensor<bf16> {
  %0 = neuron.sum %arg0 dims [0] : (tensor<1048576xbf16>) -> tensor<bf16>
  return %0 : tensor<bf16>
}

// -----

// Whole dimensions are parts, if they are long enough: other ops reduce them as well.
// CHECK-LABEL: func.func @whole
// CHECK: neuron.max %arg0 dims [1] keepdim : (tensor<4096x1000xf32>) -> tensor<4096x1xf32>
// CHECK: neuron.max {{.*}} dims [0] keepdim : (tensor<4096x1xf32>) -> tensor<1x1xf32>
func.func @whole(%arg0: tensor<4096x1000xf32>) -> tensor<1x1xf32> {
  %0 = neuron.max %arg0 dims [0, 1] keepdim : (tensor<4096x1000xf32>) -> tensor<1x1xf32>
  return %0 : tensor<1x1xf32>
}

// -----

// A few rows of many columns; what is kept stays in its place.
// CHECK-LABEL: func.func @rows
// CHECK: neuron.reshape %arg0 : (tensor<3x300000x2xi32>) -> tensor<3x[[N:[0-9]+]]x[[Q:[0-9]+]]x2xi32>
// CHECK: neuron.sum {{.*}} dims [2] keepdim {{.*}} -> tensor<3x[[N]]x1x2xi32>
// CHECK: neuron.sum {{.*}} dims [1] keepdim {{.*}} -> tensor<3x1x1x2xi32>
// CHECK: neuron.reshape {{.*}} : (tensor<3x1x1x2xi32>) -> tensor<3x2xi32>
func.func @rows(%arg0: tensor<3x300000x2xi32>) -> tensor<3x2xi32> {
  %0 = neuron.sum %arg0 dims [1] : (tensor<3x300000x2xi32>) -> tensor<3x2xi32>
  return %0 : tensor<3x2xi32>
}

// -----

// The first part that has the extremum, and the index in it.
// CHECK-LABEL: func.func @index
// CHECK: %[[M:.*]] = neuron.max {{.*}} -> tensor<512x1xf32>
// CHECK: %[[I:.*]] = neuron.argmax {{.*}} -> tensor<512x1xi64>
// CHECK: %[[F:.*]] = neuron.argmax %[[M]] dims [0] keepdim
// CHECK: %[[N:.*]] = neuron.iota
// CHECK: %[[B:.*]] = neuron.mul %[[N]]
// CHECK: %[[A:.*]] = neuron.add %[[I]], %[[B]]
// CHECK: %[[E:.*]] = neuron.eq %[[N]], %[[F]]
// CHECK: %[[S:.*]] = neuron.select %[[E]], %[[A]]
// CHECK: neuron.sum %[[S]] dims [0] keepdim
func.func @index(%arg0: tensor<1048576xf32>) -> tensor<i64> {
  %0 = neuron.argmax %arg0 dims [0] : (tensor<1048576xf32>) -> tensor<i64>
  return %0 : tensor<i64>
}

// -----

// Composites over rows that long are taken apart, in f32.
// CHECK-LABEL: func.func @composite
// CHECK-NOT: neuron.softmax
// CHECK: neuron.max {{.*}} {ignore_nan}
// CHECK: neuron.max {{.*}} {ignore_nan}
// CHECK: neuron.exp
// CHECK: neuron.sum
// CHECK: neuron.sum
// CHECK: neuron.reciprocal
// CHECK: neuron.cast {{.*}} to tensor<2x65536xbf16>
func.func @composite(%arg0: tensor<2x65536xbf16>) -> tensor<2x65536xbf16> {
  %0 = neuron.softmax %arg0 dims [1] : tensor<2x65536xbf16>
  return %0 : tensor<2x65536xbf16>
}

// -----

// Rows enough, short rows, and softmax of a prime length stay.
// CHECK-LABEL: func.func @stay
// CHECK: neuron.sum %arg0 dims [1] : (tensor<128x65536xf32>)
// CHECK: neuron.softmax %arg1
// CHECK: neuron.softmax %arg2
func.func @stay(%arg0: tensor<128x65536xf32>, %arg1: tensor<4x512xf32>, %arg2: tensor<1000003xf32>) -> (tensor<128xf32>, tensor<4x512xf32>, tensor<1000003xf32>) {
  %0 = neuron.sum %arg0 dims [1] : (tensor<128x65536xf32>) -> tensor<128xf32>
  %1 = neuron.softmax %arg1 dims [1] : tensor<4x512xf32>
  %2 = neuron.softmax %arg2 dims [0] : tensor<1000003xf32>
  return %0, %1, %2 : tensor<128xf32>, tensor<4x512xf32>, tensor<1000003xf32>
}

// -----

// A prime length: the remainder is reduced apart. What only the sum reads is made
// in two pieces, each once, and halves are rounded at the end.
// CHECK-LABEL: func.func @prime
// CHECK-SAME: %[[X:.*]]: tensor<1000003xbf16>, %[[S:.*]]: tensor<1xbf16>
// CHECK: %[[B:.*]] = neuron.slice %[[X]] starts [0] steps [1] : (tensor<1000003xbf16>) -> tensor<999424xbf16>
// CHECK-NEXT: %[[BS:.*]] = neuron.square %[[B]]
// CHECK-NEXT: %[[BM:.*]] = neuron.mul %[[BS]], %[[S]]
// CHECK-NEXT: %[[BA:.*]] = neuron.add %[[BM]], %[[BS]]
// CHECK-NEXT: %[[BF:.*]] = neuron.cast %[[BA]] : tensor<999424xbf16> to tensor<999424xf32>
// CHECK-NEXT: neuron.slice %[[X]] starts [999424] steps [1] : (tensor<1000003xbf16>) -> tensor<579xbf16>
// CHECK: neuron.reshape %[[BF]] : (tensor<999424xf32>) -> tensor<[[N:[0-9]+]]x{{[0-9]+}}xf32>
// CHECK: neuron.sum {{.*}} dims [1] keepdim {{.*}} -> tensor<[[N]]x1xf32>
// CHECK: neuron.sum {{.*}} dims [0] keepdim {{.*}} -> tensor<1x1xf32>
// CHECK: %[[BR:.*]] = neuron.reshape {{.*}} -> tensor<f32>
// CHECK: %[[RR:.*]] = neuron.sum {{.*}} dims [0] : (tensor<579xf32>) -> tensor<f32>
// CHECK: %[[T:.*]] = neuron.add %[[BR]], %[[RR]]
// CHECK: %[[R:.*]] = neuron.cast %[[T]] : tensor<f32> to tensor<bf16>
// CHECK: return %[[R]]
func.func @prime(%arg0: tensor<1000003xbf16>, %arg1: tensor<1xbf16>) -> tensor<bf16> {
  %0 = neuron.square %arg0 : tensor<1000003xbf16>
  %1 = neuron.mul %0, %arg1 : (tensor<1000003xbf16>, tensor<1xbf16>) -> tensor<1000003xbf16>
  %2 = neuron.add %1, %0 : (tensor<1000003xbf16>, tensor<1000003xbf16>) -> tensor<1000003xbf16>
  %3 = neuron.sum %2 dims [0] : (tensor<1000003xbf16>) -> tensor<bf16>
  return %3 : tensor<bf16>
}

// -----

// What others read is made whole, and the pieces are views of it.
// CHECK-LABEL: func.func @shared
// CHECK: %[[W:.*]] = neuron.square %arg0 : tensor<2x100003xf32>
// CHECK: neuron.slice %[[W]] starts [0, 0] {{.*}} -> tensor<2x99328xf32>
// CHECK: neuron.slice %[[W]] starts [0, 99328] {{.*}} -> tensor<2x675xf32>
// CHECK: neuron.maximum {{.*}} (tensor<2x1xf32>, tensor<2x1xf32>)
// CHECK: neuron.sub %[[W]]
func.func @shared(%arg0: tensor<2x100003xf32>) -> tensor<2x100003xf32> {
  %0 = neuron.square %arg0 : tensor<2x100003xf32>
  %1 = neuron.max %0 dims [1] keepdim : (tensor<2x100003xf32>) -> tensor<2x1xf32>
  %2 = neuron.sub %0, %1 : (tensor<2x100003xf32>, tensor<2x1xf32>) -> tensor<2x100003xf32>
  return %2 : tensor<2x100003xf32>
}

// -----

// The remainder's index counts only if its extremum is better, or the first NaN.
// CHECK-LABEL: func.func @prime_index
// CHECK-DAG: neuron.min {{.*}} : (tensor<579xf32>) -> tensor<f32>
// CHECK-DAG: %[[I:.*]] = neuron.argmin {{.*}} : (tensor<579xf32>) -> tensor<i64>
// CHECK: neuron.constant dense<999424> : tensor<i64>
// CHECK: neuron.add %[[I]]
// CHECK: neuron.lt
// CHECK: neuron.isnan
// CHECK: neuron.select
func.func @prime_index(%arg0: tensor<1000003xf32>) -> tensor<i64> {
  %0 = neuron.argmin %arg0 dims [0] : (tensor<1000003xf32>) -> tensor<i64>
  return %0 : tensor<i64>
}

// -----

// A divisor that does badly is not better than none: parts of 131 elements.
// CHECK-LABEL: func.func @bad_divisor
// CHECK: neuron.slice {{.*}} -> tensor<1075200xf32>
func.func @bad_divisor(%arg0: tensor<1075379xf32>) -> tensor<f32> {
  %0 = neuron.sum %arg0 dims [0] : (tensor<1075379xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}
