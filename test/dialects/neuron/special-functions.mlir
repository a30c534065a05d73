// RUN: neuron-opt %s --canonicalize --verify-diagnostics --split-input-file | FileCheck %s

// Functions of physics and statistics are as other elementwise ops: they have the
// operand's type or the broadcast shape, and none is folded.

// CHECK-LABEL: @erfcx(
func.func @erfcx(%x: tensor<4x512xf32>) -> tensor<4x512xf32> {
  // CHECK: neuron.erfcx %{{.*}} : tensor<4x512xf32>
  %r = neuron.erfcx %x : tensor<4x512xf32>
  return %r : tensor<4x512xf32>
}

// CHECK-LABEL: @ndtri(
func.func @ndtri(%x: tensor<4x512xbf16>) -> tensor<4x512xbf16> {
  // CHECK: neuron.ndtri %{{.*}} : tensor<4x512xbf16>
  %r = neuron.ndtri %x : tensor<4x512xbf16>
  return %r : tensor<4x512xbf16>
}

// CHECK-LABEL: @i0(
func.func @i0(%x: tensor<4x512xf16>) -> tensor<4x512xf16> {
  // CHECK: neuron.i0 %{{.*}} : tensor<4x512xf16>
  %r = neuron.i0 %x : tensor<4x512xf16>
  return %r : tensor<4x512xf16>
}

// CHECK-LABEL: @i0e(
func.func @i0e(%x: tensor<4x512xf64>) -> tensor<4x512xf64> {
  // CHECK: neuron.i0e %{{.*}} : tensor<4x512xf64>
  %r = neuron.i0e %x : tensor<4x512xf64>
  return %r : tensor<4x512xf64>
}

// CHECK-LABEL: @i1(
func.func @i1(%x: tensor<4x512xf32>) -> tensor<4x512xf32> {
  // CHECK: neuron.i1 %{{.*}} : tensor<4x512xf32>
  %r = neuron.i1 %x : tensor<4x512xf32>
  return %r : tensor<4x512xf32>
}

// CHECK-LABEL: @i1e(
func.func @i1e(%x: tensor<4x512xbf16>) -> tensor<4x512xbf16> {
  // CHECK: neuron.i1e %{{.*}} : tensor<4x512xbf16>
  %r = neuron.i1e %x : tensor<4x512xbf16>
  return %r : tensor<4x512xbf16>
}

// CHECK-LABEL: @k0(
func.func @k0(%x: tensor<4x512xf16>) -> tensor<4x512xf16> {
  // CHECK: neuron.k0 %{{.*}} : tensor<4x512xf16>
  %r = neuron.k0 %x : tensor<4x512xf16>
  return %r : tensor<4x512xf16>
}

// CHECK-LABEL: @k0e(
func.func @k0e(%x: tensor<4x512xf64>) -> tensor<4x512xf64> {
  // CHECK: neuron.k0e %{{.*}} : tensor<4x512xf64>
  %r = neuron.k0e %x : tensor<4x512xf64>
  return %r : tensor<4x512xf64>
}

// CHECK-LABEL: @k1(
func.func @k1(%x: tensor<4x512xf32>) -> tensor<4x512xf32> {
  // CHECK: neuron.k1 %{{.*}} : tensor<4x512xf32>
  %r = neuron.k1 %x : tensor<4x512xf32>
  return %r : tensor<4x512xf32>
}

// CHECK-LABEL: @k1e(
func.func @k1e(%x: tensor<4x512xbf16>) -> tensor<4x512xbf16> {
  // CHECK: neuron.k1e %{{.*}} : tensor<4x512xbf16>
  %r = neuron.k1e %x : tensor<4x512xbf16>
  return %r : tensor<4x512xbf16>
}

// CHECK-LABEL: @bessel_j0(
func.func @bessel_j0(%x: tensor<4x512xf16>) -> tensor<4x512xf16> {
  // CHECK: neuron.bessel_j0 %{{.*}} : tensor<4x512xf16>
  %r = neuron.bessel_j0 %x : tensor<4x512xf16>
  return %r : tensor<4x512xf16>
}

// CHECK-LABEL: @bessel_j1(
func.func @bessel_j1(%x: tensor<4x512xf64>) -> tensor<4x512xf64> {
  // CHECK: neuron.bessel_j1 %{{.*}} : tensor<4x512xf64>
  %r = neuron.bessel_j1 %x : tensor<4x512xf64>
  return %r : tensor<4x512xf64>
}

// CHECK-LABEL: @bessel_y0(
func.func @bessel_y0(%x: tensor<4x512xf32>) -> tensor<4x512xf32> {
  // CHECK: neuron.bessel_y0 %{{.*}} : tensor<4x512xf32>
  %r = neuron.bessel_y0 %x : tensor<4x512xf32>
  return %r : tensor<4x512xf32>
}

// CHECK-LABEL: @bessel_y1(
func.func @bessel_y1(%x: tensor<4x512xbf16>) -> tensor<4x512xbf16> {
  // CHECK: neuron.bessel_y1 %{{.*}} : tensor<4x512xbf16>
  %r = neuron.bessel_y1 %x : tensor<4x512xbf16>
  return %r : tensor<4x512xbf16>
}

// CHECK-LABEL: @frexp_mantissa(
func.func @frexp_mantissa(%x: tensor<4x512xf16>) -> tensor<4x512xf16> {
  // CHECK: neuron.frexp_mantissa %{{.*}} : tensor<4x512xf16>
  %r = neuron.frexp_mantissa %x : tensor<4x512xf16>
  return %r : tensor<4x512xf16>
}

// CHECK-LABEL: @frexp_exponent(
func.func @frexp_exponent(%x: tensor<4x512xf64>) -> tensor<4x512xf64> {
  // CHECK: neuron.frexp_exponent %{{.*}} : tensor<4x512xf64>
  %r = neuron.frexp_exponent %x : tensor<4x512xf64>
  return %r : tensor<4x512xf64>
}

// CHECK-LABEL: @zeta(
func.func @zeta(%x: tensor<4x1xf32>, %y: tensor<512xf32>) -> tensor<4x512xf32> {
  // CHECK: neuron.zeta %{{.*}}, %{{.*}} : (tensor<4x1xf32>, tensor<512xf32>) -> tensor<4x512xf32>
  %r = neuron.zeta %x, %y : (tensor<4x1xf32>, tensor<512xf32>) -> tensor<4x512xf32>
  return %r : tensor<4x512xf32>
}

// CHECK-LABEL: @igamma(
func.func @igamma(%x: tensor<4x1xbf16>, %y: tensor<512xbf16>) -> tensor<4x512xbf16> {
  // CHECK: neuron.igamma %{{.*}}, %{{.*}} : (tensor<4x1xbf16>, tensor<512xbf16>) -> tensor<4x512xbf16>
  %r = neuron.igamma %x, %y : (tensor<4x1xbf16>, tensor<512xbf16>) -> tensor<4x512xbf16>
  return %r : tensor<4x512xbf16>
}

// CHECK-LABEL: @igammac(
func.func @igammac(%x: tensor<4x1xf16>, %y: tensor<512xf16>) -> tensor<4x512xf16> {
  // CHECK: neuron.igammac %{{.*}}, %{{.*}} : (tensor<4x1xf16>, tensor<512xf16>) -> tensor<4x512xf16>
  %r = neuron.igammac %x, %y : (tensor<4x1xf16>, tensor<512xf16>) -> tensor<4x512xf16>
  return %r : tensor<4x512xf16>
}

// CHECK-LABEL: @constants(
func.func @constants() -> tensor<f32> {
  %x = neuron.constant dense<1.5> : tensor<f32>
  // CHECK: neuron.i0
  %r = neuron.i0 %x : tensor<f32>
  return %r : tensor<f32>
}

// -----

func.func @integers(%x: tensor<4xi32>) -> tensor<4xi32> {
  // expected-error @+1 {{operand #0 must be}}
  %r = neuron.i1e %x : tensor<4xi32>
  return %r : tensor<4xi32>
}

// -----

func.func @shapes(%x: tensor<4xf32>, %y: tensor<5xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{E2}}
  %r = neuron.zeta %x, %y : (tensor<4xf32>, tensor<5xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
