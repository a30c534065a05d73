// The 8-bit floats: stored, moved, selected and converted; not computed with.
// RUN: neuron-opt %s --canonicalize --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @round_trip(
func.func @round_trip(%x: tensor<4x8xf8E4M3FN>, %w: tensor<4x8xf8E4M3FN>, %c: tensor<4x8xi1>, %y: tensor<4x8xf8E8M0FNU>)
    -> (tensor<8x4xf8E4M3FN>, tensor<4x8xf8E5M2FNUZ>, tensor<4x8xui8>) {
  // CHECK: neuron.select {{.*}} -> tensor<4x8xf8E4M3FN>
  %0 = neuron.select %c, %x, %w : (tensor<4x8xi1>, tensor<4x8xf8E4M3FN>, tensor<4x8xf8E4M3FN>) -> tensor<4x8xf8E4M3FN>
  // CHECK: neuron.permute
  %1 = neuron.permute %0 perm [1, 0] : (tensor<4x8xf8E4M3FN>) -> tensor<8x4xf8E4M3FN>
  // float32 holds every one of them: it is left out.
  // CHECK: neuron.cast {{.*}} : tensor<4x8xf8E4M3FN> to tensor<4x8xf8E5M2FNUZ>
  %2 = neuron.cast %x : tensor<4x8xf8E4M3FN> to tensor<4x8xf32>
  %3 = neuron.cast %2 : tensor<4x8xf32> to tensor<4x8xf8E5M2FNUZ>
  // CHECK: neuron.bitcast {{.*}} : tensor<4x8xf8E8M0FNU> to tensor<4x8xui8>
  %4 = neuron.bitcast %y : tensor<4x8xf8E8M0FNU> to tensor<4x8xui8>
  return %1, %3, %4 : tensor<8x4xf8E4M3FN>, tensor<4x8xf8E5M2FNUZ>, tensor<4x8xui8>
}

// -----

// Constants fold to what the run would give: e4m3fn ends at its largest number, e5m2 at infinity, and
// e8m0fnu has no sign.
// CHECK-LABEL: @constants(
func.func @constants() -> (tensor<f8E4M3FN>, tensor<f8E5M2>, tensor<f8E8M0FNU>, tensor<ui8>) {
  %0 = neuron.constant dense<-1.0e+09> : tensor<f32>
  // CHECK-DAG: neuron.constant dense<-4.480000e+02> : tensor<f8E4M3FN>
  %1 = neuron.cast %0 : tensor<f32> to tensor<f8E4M3FN>
  // CHECK-DAG: neuron.constant dense<0xFC> : tensor<f8E5M2>
  %2 = neuron.cast %0 : tensor<f32> to tensor<f8E5M2>
  // CHECK-DAG: neuron.constant dense<1.073740e+09> : tensor<f8E8M0FNU>
  %3 = neuron.cast %0 : tensor<f32> to tensor<f8E8M0FNU>
  // CHECK-DAG: neuron.constant dense<254> : tensor<ui8>
  %4 = neuron.bitcast %1 : tensor<f8E4M3FN> to tensor<ui8>
  return %1, %2, %3, %4 : tensor<f8E4M3FN>, tensor<f8E5M2>, tensor<f8E8M0FNU>, tensor<ui8>
}

// -----

// A cast to an 8-bit float and back loses something; the other way round it does not. float16 has not all
// powers of two that f8E8M0FNU has.
// CHECK-LABEL: @casts(
func.func @casts(%x: tensor<8xf8E8M0FNU>, %y: tensor<8xbf16>) -> (tensor<8xf8E8M0FNU>, tensor<8xf32>, tensor<8xbf16>) {
  %0 = neuron.cast %x : tensor<8xf8E8M0FNU> to tensor<8xf32>
  %1 = neuron.cast %0 : tensor<8xf32> to tensor<8xf8E8M0FNU>
  // CHECK: %[[H:.*]] = neuron.cast %{{.*}} : tensor<8xf8E8M0FNU> to tensor<8xf16>
  %2 = neuron.cast %x : tensor<8xf8E8M0FNU> to tensor<8xf16>
  // CHECK: %[[F:.*]] = neuron.cast %[[H]] : tensor<8xf16> to tensor<8xf32>
  %3 = neuron.cast %2 : tensor<8xf16> to tensor<8xf32>
  // CHECK: %[[N:.*]] = neuron.cast %{{.*}} : tensor<8xbf16> to tensor<8xf8E5M2>
  %4 = neuron.cast %y : tensor<8xbf16> to tensor<8xf8E5M2>
  // CHECK: %[[B:.*]] = neuron.cast %[[N]] : tensor<8xf8E5M2> to tensor<8xbf16>
  %5 = neuron.cast %4 : tensor<8xf8E5M2> to tensor<8xbf16>
  // CHECK: return %arg0, %[[F]], %[[B]]
  return %1, %3, %5 : tensor<8xf8E8M0FNU>, tensor<8xf32>, tensor<8xbf16>
}

// -----

func.func @arithmetic(%x: tensor<8xf8E5M2>) -> tensor<8xf8E5M2> {
  // expected-error @below {{operand #0 must be T1: static tensor of integers or floats, rank 0 to 16}}
  %0 = neuron.add %x, %x : (tensor<8xf8E5M2>, tensor<8xf8E5M2>) -> tensor<8xf8E5M2>
  return %0 : tensor<8xf8E5M2>
}

// -----

func.func @comparison(%x: tensor<8xf8E5M2>) -> tensor<8xi1> {
  // expected-error @below {{operand #0 must be T1: static tensor of bools, integers or floats of 16 bits or more}}
  %0 = neuron.eq %x, %x : (tensor<8xf8E5M2>, tensor<8xf8E5M2>) -> tensor<8xi1>
  return %0 : tensor<8xi1>
}

// -----

func.func @widths(%x: tensor<8xf8E5M2>) -> tensor<8xi16> {
  // expected-error @below {{E4: element types must have one width and not be i1, got 'f8E5M2' and 'i16'}}
  %0 = neuron.bitcast %x : tensor<8xf8E5M2> to tensor<8xi16>
  return %0 : tensor<8xi16>
}

// -----

func.func @bools(%x: tensor<8xi1>) -> tensor<8xi1> {
  // expected-error @below {{E4: element types must have one width and not be i1, got 'i1' and 'i1'}}
  %0 = neuron.bitcast %x : tensor<8xi1> to tensor<8xi1>
  return %0 : tensor<8xi1>
}
