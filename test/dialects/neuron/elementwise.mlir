// Every elementwise operation prints what it parses.
// RUN: neuron-opt %s --split-input-file | neuron-opt --split-input-file | FileCheck %s
// The generic form holds the same.
// RUN: neuron-opt %s --split-input-file --mlir-print-op-generic | neuron-opt --split-input-file | FileCheck %s

// One operand, and a result of its type.
// CHECK-LABEL: @neg(
func.func @neg(%x: tensor<4x512xi8>) -> tensor<4x512xi8> {
  // CHECK: neuron.neg %{{.*}} : tensor<4x512xi8>
  %r = neuron.neg %x : tensor<4x512xi8>
  return %r : tensor<4x512xi8>
}

// CHECK-LABEL: @abs(
func.func @abs(%x: tensor<4x512xi32>) -> tensor<4x512xi32> {
  // CHECK: neuron.abs %{{.*}} : tensor<4x512xi32>
  %r = neuron.abs %x : tensor<4x512xi32>
  return %r : tensor<4x512xi32>
}

// CHECK-LABEL: @sign(
func.func @sign(%x: tensor<4x512xbf16>) -> tensor<4x512xbf16> {
  // CHECK: neuron.sign %{{.*}} : tensor<4x512xbf16>
  %r = neuron.sign %x : tensor<4x512xbf16>
  return %r : tensor<4x512xbf16>
}

// CHECK-LABEL: @relu(
func.func @relu(%x: tensor<4x512xui16>) -> tensor<4x512xui16> {
  // CHECK: neuron.relu %{{.*}} : tensor<4x512xui16>
  %r = neuron.relu %x : tensor<4x512xui16>
  return %r : tensor<4x512xui16>
}

// CHECK-LABEL: @square(
func.func @square(%x: tensor<4x512xf32>) -> tensor<4x512xf32> {
  // CHECK: neuron.square %{{.*}} : tensor<4x512xf32>
  %r = neuron.square %x : tensor<4x512xf32>
  return %r : tensor<4x512xf32>
}

// CHECK-LABEL: @reciprocal(
func.func @reciprocal(%x: tensor<4x512xf16>) -> tensor<4x512xf16> {
  // CHECK: neuron.reciprocal %{{.*}} : tensor<4x512xf16>
  %r = neuron.reciprocal %x : tensor<4x512xf16>
  return %r : tensor<4x512xf16>
}

// CHECK-LABEL: @sqrt(
func.func @sqrt(%x: tensor<4x512xbf16>) -> tensor<4x512xbf16> {
  // CHECK: neuron.sqrt %{{.*}} : tensor<4x512xbf16>
  %r = neuron.sqrt %x : tensor<4x512xbf16>
  return %r : tensor<4x512xbf16>
}

// CHECK-LABEL: @rsqrt(
func.func @rsqrt(%x: tensor<4x512xf32>) -> tensor<4x512xf32> {
  // CHECK: neuron.rsqrt %{{.*}} : tensor<4x512xf32>
  %r = neuron.rsqrt %x : tensor<4x512xf32>
  return %r : tensor<4x512xf32>
}

// CHECK-LABEL: @ceil(
func.func @ceil(%x: tensor<4x512xi64>) -> tensor<4x512xi64> {
  // CHECK: neuron.ceil %{{.*}} : tensor<4x512xi64>
  %r = neuron.ceil %x : tensor<4x512xi64>
  return %r : tensor<4x512xi64>
}

// CHECK-LABEL: @floor(
func.func @floor(%x: tensor<4x512xi8>) -> tensor<4x512xi8> {
  // CHECK: neuron.floor %{{.*}} : tensor<4x512xi8>
  %r = neuron.floor %x : tensor<4x512xi8>
  return %r : tensor<4x512xi8>
}

// CHECK-LABEL: @round(
func.func @round(%x: tensor<4x512xi32>) -> tensor<4x512xi32> {
  // CHECK: neuron.round %{{.*}} : tensor<4x512xi32>
  %r = neuron.round %x : tensor<4x512xi32>
  return %r : tensor<4x512xi32>
}

// CHECK-LABEL: @trunc(
func.func @trunc(%x: tensor<4x512xbf16>) -> tensor<4x512xbf16> {
  // CHECK: neuron.trunc %{{.*}} : tensor<4x512xbf16>
  %r = neuron.trunc %x : tensor<4x512xbf16>
  return %r : tensor<4x512xbf16>
}

// CHECK-LABEL: @exp(
func.func @exp(%x: tensor<4x512xf64>) -> tensor<4x512xf64> {
  // CHECK: neuron.exp %{{.*}} : tensor<4x512xf64>
  %r = neuron.exp %x : tensor<4x512xf64>
  return %r : tensor<4x512xf64>
}

// CHECK-LABEL: @exp2(
func.func @exp2(%x: tensor<4x512xf16>) -> tensor<4x512xf16> {
  // CHECK: neuron.exp2 %{{.*}} : tensor<4x512xf16>
  %r = neuron.exp2 %x : tensor<4x512xf16>
  return %r : tensor<4x512xf16>
}

// CHECK-LABEL: @expm1(
func.func @expm1(%x: tensor<4x512xbf16>) -> tensor<4x512xbf16> {
  // CHECK: neuron.expm1 %{{.*}} : tensor<4x512xbf16>
  %r = neuron.expm1 %x : tensor<4x512xbf16>
  return %r : tensor<4x512xbf16>
}

// CHECK-LABEL: @log(
func.func @log(%x: tensor<4x512xf32>) -> tensor<4x512xf32> {
  // CHECK: neuron.log %{{.*}} : tensor<4x512xf32>
  %r = neuron.log %x : tensor<4x512xf32>
  return %r : tensor<4x512xf32>
}

// CHECK-LABEL: @log2(
func.func @log2(%x: tensor<4x512xf64>) -> tensor<4x512xf64> {
  // CHECK: neuron.log2 %{{.*}} : tensor<4x512xf64>
  %r = neuron.log2 %x : tensor<4x512xf64>
  return %r : tensor<4x512xf64>
}

// CHECK-LABEL: @log10(
func.func @log10(%x: tensor<4x512xf16>) -> tensor<4x512xf16> {
  // CHECK: neuron.log10 %{{.*}} : tensor<4x512xf16>
  %r = neuron.log10 %x : tensor<4x512xf16>
  return %r : tensor<4x512xf16>
}

// CHECK-LABEL: @log1p(
func.func @log1p(%x: tensor<4x512xbf16>) -> tensor<4x512xbf16> {
  // CHECK: neuron.log1p %{{.*}} : tensor<4x512xbf16>
  %r = neuron.log1p %x : tensor<4x512xbf16>
  return %r : tensor<4x512xbf16>
}

// CHECK-LABEL: @sin(
func.func @sin(%x: tensor<4x512xf32>) -> tensor<4x512xf32> {
  // CHECK: neuron.sin %{{.*}} : tensor<4x512xf32>
  %r = neuron.sin %x : tensor<4x512xf32>
  return %r : tensor<4x512xf32>
}

// CHECK-LABEL: @cos(
func.func @cos(%x: tensor<4x512xf64>) -> tensor<4x512xf64> {
  // CHECK: neuron.cos %{{.*}} : tensor<4x512xf64>
  %r = neuron.cos %x : tensor<4x512xf64>
  return %r : tensor<4x512xf64>
}

// CHECK-LABEL: @tan(
func.func @tan(%x: tensor<4x512xf16>) -> tensor<4x512xf16> {
  // CHECK: neuron.tan %{{.*}} : tensor<4x512xf16>
  %r = neuron.tan %x : tensor<4x512xf16>
  return %r : tensor<4x512xf16>
}

// CHECK-LABEL: @asin(
func.func @asin(%x: tensor<4x512xbf16>) -> tensor<4x512xbf16> {
  // CHECK: neuron.asin %{{.*}} : tensor<4x512xbf16>
  %r = neuron.asin %x : tensor<4x512xbf16>
  return %r : tensor<4x512xbf16>
}

// CHECK-LABEL: @acos(
func.func @acos(%x: tensor<4x512xf32>) -> tensor<4x512xf32> {
  // CHECK: neuron.acos %{{.*}} : tensor<4x512xf32>
  %r = neuron.acos %x : tensor<4x512xf32>
  return %r : tensor<4x512xf32>
}

// CHECK-LABEL: @atan(
func.func @atan(%x: tensor<4x512xf64>) -> tensor<4x512xf64> {
  // CHECK: neuron.atan %{{.*}} : tensor<4x512xf64>
  %r = neuron.atan %x : tensor<4x512xf64>
  return %r : tensor<4x512xf64>
}

// CHECK-LABEL: @sinh(
func.func @sinh(%x: tensor<4x512xf16>) -> tensor<4x512xf16> {
  // CHECK: neuron.sinh %{{.*}} : tensor<4x512xf16>
  %r = neuron.sinh %x : tensor<4x512xf16>
  return %r : tensor<4x512xf16>
}

// CHECK-LABEL: @cosh(
func.func @cosh(%x: tensor<4x512xbf16>) -> tensor<4x512xbf16> {
  // CHECK: neuron.cosh %{{.*}} : tensor<4x512xbf16>
  %r = neuron.cosh %x : tensor<4x512xbf16>
  return %r : tensor<4x512xbf16>
}

// CHECK-LABEL: @tanh(
func.func @tanh(%x: tensor<4x512xf32>) -> tensor<4x512xf32> {
  // CHECK: neuron.tanh %{{.*}} : tensor<4x512xf32>
  %r = neuron.tanh %x : tensor<4x512xf32>
  return %r : tensor<4x512xf32>
}

// CHECK-LABEL: @asinh(
func.func @asinh(%x: tensor<4x512xf64>) -> tensor<4x512xf64> {
  // CHECK: neuron.asinh %{{.*}} : tensor<4x512xf64>
  %r = neuron.asinh %x : tensor<4x512xf64>
  return %r : tensor<4x512xf64>
}

// CHECK-LABEL: @acosh(
func.func @acosh(%x: tensor<4x512xf16>) -> tensor<4x512xf16> {
  // CHECK: neuron.acosh %{{.*}} : tensor<4x512xf16>
  %r = neuron.acosh %x : tensor<4x512xf16>
  return %r : tensor<4x512xf16>
}

// CHECK-LABEL: @atanh(
func.func @atanh(%x: tensor<4x512xbf16>) -> tensor<4x512xbf16> {
  // CHECK: neuron.atanh %{{.*}} : tensor<4x512xbf16>
  %r = neuron.atanh %x : tensor<4x512xbf16>
  return %r : tensor<4x512xbf16>
}

// CHECK-LABEL: @erf(
func.func @erf(%x: tensor<4x512xf32>) -> tensor<4x512xf32> {
  // CHECK: neuron.erf %{{.*}} : tensor<4x512xf32>
  %r = neuron.erf %x : tensor<4x512xf32>
  return %r : tensor<4x512xf32>
}

// CHECK-LABEL: @erfc(
func.func @erfc(%x: tensor<4x512xf64>) -> tensor<4x512xf64> {
  // CHECK: neuron.erfc %{{.*}} : tensor<4x512xf64>
  %r = neuron.erfc %x : tensor<4x512xf64>
  return %r : tensor<4x512xf64>
}

// CHECK-LABEL: @erfinv(
func.func @erfinv(%x: tensor<4x512xf16>) -> tensor<4x512xf16> {
  // CHECK: neuron.erfinv %{{.*}} : tensor<4x512xf16>
  %r = neuron.erfinv %x : tensor<4x512xf16>
  return %r : tensor<4x512xf16>
}

// CHECK-LABEL: @lgamma(
func.func @lgamma(%x: tensor<4x512xbf16>) -> tensor<4x512xbf16> {
  // CHECK: neuron.lgamma %{{.*}} : tensor<4x512xbf16>
  %r = neuron.lgamma %x : tensor<4x512xbf16>
  return %r : tensor<4x512xbf16>
}

// CHECK-LABEL: @digamma(
func.func @digamma(%x: tensor<4x512xf32>) -> tensor<4x512xf32> {
  // CHECK: neuron.digamma %{{.*}} : tensor<4x512xf32>
  %r = neuron.digamma %x : tensor<4x512xf32>
  return %r : tensor<4x512xf32>
}

// CHECK-LABEL: @sigmoid(
func.func @sigmoid(%x: tensor<4x512xf64>) -> tensor<4x512xf64> {
  // CHECK: neuron.sigmoid %{{.*}} : tensor<4x512xf64>
  %r = neuron.sigmoid %x : tensor<4x512xf64>
  return %r : tensor<4x512xf64>
}

// CHECK-LABEL: @bitwise_not(
func.func @bitwise_not(%x: tensor<4x512xi1>) -> tensor<4x512xi1> {
  // CHECK: neuron.bitwise_not %{{.*}} : tensor<4x512xi1>
  %r = neuron.bitwise_not %x : tensor<4x512xi1>
  return %r : tensor<4x512xi1>
}

// CHECK-LABEL: @silu(
func.func @silu(%x: tensor<4x512xf16>) -> tensor<4x512xf16> {
  // CHECK: neuron.silu %{{.*}} : tensor<4x512xf16>
  %r = neuron.silu %x : tensor<4x512xf16>
  return %r : tensor<4x512xf16>
}

// CHECK-LABEL: @gelu(
func.func @gelu(%x: tensor<4x512xbf16>) -> tensor<4x512xbf16> {
  // CHECK: neuron.gelu %{{.*}} : tensor<4x512xbf16>
  %r = neuron.gelu %x : tensor<4x512xbf16>
  return %r : tensor<4x512xbf16>
}

// CHECK-LABEL: @gelu_tanh(
func.func @gelu_tanh(%x: tensor<4x512xf32>) -> tensor<4x512xf32> {
  // CHECK: neuron.gelu_tanh %{{.*}} : tensor<4x512xf32>
  %r = neuron.gelu_tanh %x : tensor<4x512xf32>
  return %r : tensor<4x512xf32>
}

// -----

// Two operands that broadcast.
// CHECK-LABEL: @add(
func.func @add(%x: tensor<4x1xi8>, %y: tensor<512xi8>) -> tensor<4x512xi8> {
  // CHECK: neuron.add %{{.*}}, %{{.*}} : (tensor<4x1xi8>, tensor<512xi8>) -> tensor<4x512xi8>
  %r = neuron.add %x, %y : (tensor<4x1xi8>, tensor<512xi8>) -> tensor<4x512xi8>
  return %r : tensor<4x512xi8>
}

// CHECK-LABEL: @sub(
func.func @sub(%x: tensor<4x1xi32>, %y: tensor<512xi32>) -> tensor<4x512xi32> {
  // CHECK: neuron.sub %{{.*}}, %{{.*}} : (tensor<4x1xi32>, tensor<512xi32>) -> tensor<4x512xi32>
  %r = neuron.sub %x, %y : (tensor<4x1xi32>, tensor<512xi32>) -> tensor<4x512xi32>
  return %r : tensor<4x512xi32>
}

// CHECK-LABEL: @mul(
func.func @mul(%x: tensor<4x1xbf16>, %y: tensor<512xbf16>) -> tensor<4x512xbf16> {
  // CHECK: neuron.mul %{{.*}}, %{{.*}} : (tensor<4x1xbf16>, tensor<512xbf16>) -> tensor<4x512xbf16>
  %r = neuron.mul %x, %y : (tensor<4x1xbf16>, tensor<512xbf16>) -> tensor<4x512xbf16>
  return %r : tensor<4x512xbf16>
}

// CHECK-LABEL: @div(
func.func @div(%x: tensor<4x1xf16>, %y: tensor<512xf16>) -> tensor<4x512xf16> {
  // CHECK: neuron.div %{{.*}}, %{{.*}} : (tensor<4x1xf16>, tensor<512xf16>) -> tensor<4x512xf16>
  %r = neuron.div %x, %y : (tensor<4x1xf16>, tensor<512xf16>) -> tensor<4x512xf16>
  return %r : tensor<4x512xf16>
}

// CHECK-LABEL: @floor_div(
func.func @floor_div(%x: tensor<4x1xui16>, %y: tensor<512xui16>) -> tensor<4x512xui16> {
  // CHECK: neuron.floor_div %{{.*}}, %{{.*}} : (tensor<4x1xui16>, tensor<512xui16>) -> tensor<4x512xui16>
  %r = neuron.floor_div %x, %y : (tensor<4x1xui16>, tensor<512xui16>) -> tensor<4x512xui16>
  return %r : tensor<4x512xui16>
}

// CHECK-LABEL: @trunc_div(
func.func @trunc_div(%x: tensor<4x1xf32>, %y: tensor<512xf32>) -> tensor<4x512xf32> {
  // CHECK: neuron.trunc_div %{{.*}}, %{{.*}} : (tensor<4x1xf32>, tensor<512xf32>) -> tensor<4x512xf32>
  %r = neuron.trunc_div %x, %y : (tensor<4x1xf32>, tensor<512xf32>) -> tensor<4x512xf32>
  return %r : tensor<4x512xf32>
}

// CHECK-LABEL: @remainder(
func.func @remainder(%x: tensor<4x1xi64>, %y: tensor<512xi64>) -> tensor<4x512xi64> {
  // CHECK: neuron.remainder %{{.*}}, %{{.*}} : (tensor<4x1xi64>, tensor<512xi64>) -> tensor<4x512xi64>
  %r = neuron.remainder %x, %y : (tensor<4x1xi64>, tensor<512xi64>) -> tensor<4x512xi64>
  return %r : tensor<4x512xi64>
}

// CHECK-LABEL: @fmod(
func.func @fmod(%x: tensor<4x1xi8>, %y: tensor<512xi8>) -> tensor<4x512xi8> {
  // CHECK: neuron.fmod %{{.*}}, %{{.*}} : (tensor<4x1xi8>, tensor<512xi8>) -> tensor<4x512xi8>
  %r = neuron.fmod %x, %y : (tensor<4x1xi8>, tensor<512xi8>) -> tensor<4x512xi8>
  return %r : tensor<4x512xi8>
}

// CHECK-LABEL: @pow(
func.func @pow(%x: tensor<4x1xi32>, %y: tensor<512xi32>) -> tensor<4x512xi32> {
  // CHECK: neuron.pow %{{.*}}, %{{.*}} : (tensor<4x1xi32>, tensor<512xi32>) -> tensor<4x512xi32>
  %r = neuron.pow %x, %y : (tensor<4x1xi32>, tensor<512xi32>) -> tensor<4x512xi32>
  return %r : tensor<4x512xi32>
}

// CHECK-LABEL: @maximum(
func.func @maximum(%x: tensor<4x1xbf16>, %y: tensor<512xbf16>) -> tensor<4x512xbf16> {
  // CHECK: neuron.maximum %{{.*}}, %{{.*}} : (tensor<4x1xbf16>, tensor<512xbf16>) -> tensor<4x512xbf16>
  %r = neuron.maximum %x, %y : (tensor<4x1xbf16>, tensor<512xbf16>) -> tensor<4x512xbf16>
  return %r : tensor<4x512xbf16>
}

// CHECK-LABEL: @minimum(
func.func @minimum(%x: tensor<4x1xui16>, %y: tensor<512xui16>) -> tensor<4x512xui16> {
  // CHECK: neuron.minimum %{{.*}}, %{{.*}} : (tensor<4x1xui16>, tensor<512xui16>) -> tensor<4x512xui16>
  %r = neuron.minimum %x, %y : (tensor<4x1xui16>, tensor<512xui16>) -> tensor<4x512xui16>
  return %r : tensor<4x512xui16>
}

// CHECK-LABEL: @fmax(
func.func @fmax(%x: tensor<4x1xbf16>, %y: tensor<512xbf16>) -> tensor<4x512xbf16> {
  // CHECK: neuron.fmax %{{.*}}, %{{.*}} : (tensor<4x1xbf16>, tensor<512xbf16>) -> tensor<4x512xbf16>
  %r = neuron.fmax %x, %y : (tensor<4x1xbf16>, tensor<512xbf16>) -> tensor<4x512xbf16>
  return %r : tensor<4x512xbf16>
}

// CHECK-LABEL: @fmin(
func.func @fmin(%x: tensor<4x1xf32>, %y: tensor<512xf32>) -> tensor<4x512xf32> {
  // CHECK: neuron.fmin %{{.*}}, %{{.*}} : (tensor<4x1xf32>, tensor<512xf32>) -> tensor<4x512xf32>
  %r = neuron.fmin %x, %y : (tensor<4x1xf32>, tensor<512xf32>) -> tensor<4x512xf32>
  return %r : tensor<4x512xf32>
}

// CHECK-LABEL: @copysign(
func.func @copysign(%x: tensor<4x1xf64>, %y: tensor<512xf64>) -> tensor<4x512xf64> {
  // CHECK: neuron.copysign %{{.*}}, %{{.*}} : (tensor<4x1xf64>, tensor<512xf64>) -> tensor<4x512xf64>
  %r = neuron.copysign %x, %y : (tensor<4x1xf64>, tensor<512xf64>) -> tensor<4x512xf64>
  return %r : tensor<4x512xf64>
}

// CHECK-LABEL: @nextafter(
func.func @nextafter(%x: tensor<4x1xf16>, %y: tensor<512xf16>) -> tensor<4x512xf16> {
  // CHECK: neuron.nextafter %{{.*}}, %{{.*}} : (tensor<4x1xf16>, tensor<512xf16>) -> tensor<4x512xf16>
  %r = neuron.nextafter %x, %y : (tensor<4x1xf16>, tensor<512xf16>) -> tensor<4x512xf16>
  return %r : tensor<4x512xf16>
}

// CHECK-LABEL: @hypot(
func.func @hypot(%x: tensor<4x1xbf16>, %y: tensor<512xbf16>) -> tensor<4x512xbf16> {
  // CHECK: neuron.hypot %{{.*}}, %{{.*}} : (tensor<4x1xbf16>, tensor<512xbf16>) -> tensor<4x512xbf16>
  %r = neuron.hypot %x, %y : (tensor<4x1xbf16>, tensor<512xbf16>) -> tensor<4x512xbf16>
  return %r : tensor<4x512xbf16>
}

// CHECK-LABEL: @atan2(
func.func @atan2(%x: tensor<4x1xf32>, %y: tensor<512xf32>) -> tensor<4x512xf32> {
  // CHECK: neuron.atan2 %{{.*}}, %{{.*}} : (tensor<4x1xf32>, tensor<512xf32>) -> tensor<4x512xf32>
  %r = neuron.atan2 %x, %y : (tensor<4x1xf32>, tensor<512xf32>) -> tensor<4x512xf32>
  return %r : tensor<4x512xf32>
}

// CHECK-LABEL: @gcd(
func.func @gcd(%x: tensor<4x1xi8>, %y: tensor<512xi8>) -> tensor<4x512xi8> {
  // CHECK: neuron.gcd %{{.*}}, %{{.*}} : (tensor<4x1xi8>, tensor<512xi8>) -> tensor<4x512xi8>
  %r = neuron.gcd %x, %y : (tensor<4x1xi8>, tensor<512xi8>) -> tensor<4x512xi8>
  return %r : tensor<4x512xi8>
}

// CHECK-LABEL: @lcm(
func.func @lcm(%x: tensor<4x1xui8>, %y: tensor<512xui8>) -> tensor<4x512xui8> {
  // CHECK: neuron.lcm %{{.*}}, %{{.*}} : (tensor<4x1xui8>, tensor<512xui8>) -> tensor<4x512xui8>
  %r = neuron.lcm %x, %y : (tensor<4x1xui8>, tensor<512xui8>) -> tensor<4x512xui8>
  return %r : tensor<4x512xui8>
}

// CHECK-LABEL: @bitwise_and(
func.func @bitwise_and(%x: tensor<4x1xi1>, %y: tensor<512xi1>) -> tensor<4x512xi1> {
  // CHECK: neuron.bitwise_and %{{.*}}, %{{.*}} : (tensor<4x1xi1>, tensor<512xi1>) -> tensor<4x512xi1>
  %r = neuron.bitwise_and %x, %y : (tensor<4x1xi1>, tensor<512xi1>) -> tensor<4x512xi1>
  return %r : tensor<4x512xi1>
}

// CHECK-LABEL: @bitwise_or(
func.func @bitwise_or(%x: tensor<4x1xi32>, %y: tensor<512xi32>) -> tensor<4x512xi32> {
  // CHECK: neuron.bitwise_or %{{.*}}, %{{.*}} : (tensor<4x1xi32>, tensor<512xi32>) -> tensor<4x512xi32>
  %r = neuron.bitwise_or %x, %y : (tensor<4x1xi32>, tensor<512xi32>) -> tensor<4x512xi32>
  return %r : tensor<4x512xi32>
}

// CHECK-LABEL: @bitwise_xor(
func.func @bitwise_xor(%x: tensor<4x1xui64>, %y: tensor<512xui64>) -> tensor<4x512xui64> {
  // CHECK: neuron.bitwise_xor %{{.*}}, %{{.*}} : (tensor<4x1xui64>, tensor<512xui64>) -> tensor<4x512xui64>
  %r = neuron.bitwise_xor %x, %y : (tensor<4x1xui64>, tensor<512xui64>) -> tensor<4x512xui64>
  return %r : tensor<4x512xui64>
}

// CHECK-LABEL: @shift_left(
func.func @shift_left(%x: tensor<4x1xi16>, %y: tensor<512xi16>) -> tensor<4x512xi16> {
  // CHECK: neuron.shift_left %{{.*}}, %{{.*}} : (tensor<4x1xi16>, tensor<512xi16>) -> tensor<4x512xi16>
  %r = neuron.shift_left %x, %y : (tensor<4x1xi16>, tensor<512xi16>) -> tensor<4x512xi16>
  return %r : tensor<4x512xi16>
}

// CHECK-LABEL: @shift_right(
func.func @shift_right(%x: tensor<4x1xi64>, %y: tensor<512xi64>) -> tensor<4x512xi64> {
  // CHECK: neuron.shift_right %{{.*}}, %{{.*}} : (tensor<4x1xi64>, tensor<512xi64>) -> tensor<4x512xi64>
  %r = neuron.shift_right %x, %y : (tensor<4x1xi64>, tensor<512xi64>) -> tensor<4x512xi64>
  return %r : tensor<4x512xi64>
}

// -----

// Two operands that broadcast, and a bool result.
// CHECK-LABEL: @eq(
func.func @eq(%x: tensor<4x512xi1>, %y: tensor<i1>) -> tensor<4x512xi1> {
  // CHECK: neuron.eq %{{.*}}, %{{.*}} : (tensor<4x512xi1>, tensor<i1>) -> tensor<4x512xi1>
  %r = neuron.eq %x, %y : (tensor<4x512xi1>, tensor<i1>) -> tensor<4x512xi1>
  return %r : tensor<4x512xi1>
}

// CHECK-LABEL: @ne(
func.func @ne(%x: tensor<4x512xf32>, %y: tensor<f32>) -> tensor<4x512xi1> {
  // CHECK: neuron.ne %{{.*}}, %{{.*}} : (tensor<4x512xf32>, tensor<f32>) -> tensor<4x512xi1>
  %r = neuron.ne %x, %y : (tensor<4x512xf32>, tensor<f32>) -> tensor<4x512xi1>
  return %r : tensor<4x512xi1>
}

// CHECK-LABEL: @lt(
func.func @lt(%x: tensor<4x512xi64>, %y: tensor<i64>) -> tensor<4x512xi1> {
  // CHECK: neuron.lt %{{.*}}, %{{.*}} : (tensor<4x512xi64>, tensor<i64>) -> tensor<4x512xi1>
  %r = neuron.lt %x, %y : (tensor<4x512xi64>, tensor<i64>) -> tensor<4x512xi1>
  return %r : tensor<4x512xi1>
}

// CHECK-LABEL: @le(
func.func @le(%x: tensor<4x512xbf16>, %y: tensor<bf16>) -> tensor<4x512xi1> {
  // CHECK: neuron.le %{{.*}}, %{{.*}} : (tensor<4x512xbf16>, tensor<bf16>) -> tensor<4x512xi1>
  %r = neuron.le %x, %y : (tensor<4x512xbf16>, tensor<bf16>) -> tensor<4x512xi1>
  return %r : tensor<4x512xi1>
}

// CHECK-LABEL: @gt(
func.func @gt(%x: tensor<4x512xui32>, %y: tensor<ui32>) -> tensor<4x512xi1> {
  // CHECK: neuron.gt %{{.*}}, %{{.*}} : (tensor<4x512xui32>, tensor<ui32>) -> tensor<4x512xi1>
  %r = neuron.gt %x, %y : (tensor<4x512xui32>, tensor<ui32>) -> tensor<4x512xi1>
  return %r : tensor<4x512xi1>
}

// CHECK-LABEL: @ge(
func.func @ge(%x: tensor<4x512xi1>, %y: tensor<i1>) -> tensor<4x512xi1> {
  // CHECK: neuron.ge %{{.*}}, %{{.*}} : (tensor<4x512xi1>, tensor<i1>) -> tensor<4x512xi1>
  %r = neuron.ge %x, %y : (tensor<4x512xi1>, tensor<i1>) -> tensor<4x512xi1>
  return %r : tensor<4x512xi1>
}

// CHECK-LABEL: @logical_and(
func.func @logical_and(%x: tensor<4x512xf32>, %y: tensor<f32>) -> tensor<4x512xi1> {
  // CHECK: neuron.logical_and %{{.*}}, %{{.*}} : (tensor<4x512xf32>, tensor<f32>) -> tensor<4x512xi1>
  %r = neuron.logical_and %x, %y : (tensor<4x512xf32>, tensor<f32>) -> tensor<4x512xi1>
  return %r : tensor<4x512xi1>
}

// CHECK-LABEL: @logical_or(
func.func @logical_or(%x: tensor<4x512xi64>, %y: tensor<i64>) -> tensor<4x512xi1> {
  // CHECK: neuron.logical_or %{{.*}}, %{{.*}} : (tensor<4x512xi64>, tensor<i64>) -> tensor<4x512xi1>
  %r = neuron.logical_or %x, %y : (tensor<4x512xi64>, tensor<i64>) -> tensor<4x512xi1>
  return %r : tensor<4x512xi1>
}

// CHECK-LABEL: @logical_xor(
func.func @logical_xor(%x: tensor<4x512xbf16>, %y: tensor<bf16>) -> tensor<4x512xi1> {
  // CHECK: neuron.logical_xor %{{.*}}, %{{.*}} : (tensor<4x512xbf16>, tensor<bf16>) -> tensor<4x512xi1>
  %r = neuron.logical_xor %x, %y : (tensor<4x512xbf16>, tensor<bf16>) -> tensor<4x512xi1>
  return %r : tensor<4x512xi1>
}

// -----

// One operand, and a bool result.
// CHECK-LABEL: @logical_not(
func.func @logical_not(%x: tensor<3xi1>) -> tensor<3xi1> {
  // CHECK: neuron.logical_not %{{.*}} : (tensor<3xi1>) -> tensor<3xi1>
  %r = neuron.logical_not %x : (tensor<3xi1>) -> tensor<3xi1>
  return %r : tensor<3xi1>
}

// CHECK-LABEL: @isnan(
func.func @isnan(%x: tensor<3xf16>) -> tensor<3xi1> {
  // CHECK: neuron.isnan %{{.*}} : (tensor<3xf16>) -> tensor<3xi1>
  %r = neuron.isnan %x : (tensor<3xf16>) -> tensor<3xi1>
  return %r : tensor<3xi1>
}

// CHECK-LABEL: @isinf(
func.func @isinf(%x: tensor<3xbf16>) -> tensor<3xi1> {
  // CHECK: neuron.isinf %{{.*}} : (tensor<3xbf16>) -> tensor<3xi1>
  %r = neuron.isinf %x : (tensor<3xbf16>) -> tensor<3xi1>
  return %r : tensor<3xi1>
}

// CHECK-LABEL: @isfinite(
func.func @isfinite(%x: tensor<3xf32>) -> tensor<3xi1> {
  // CHECK: neuron.isfinite %{{.*}} : (tensor<3xf32>) -> tensor<3xi1>
  %r = neuron.isfinite %x : (tensor<3xf32>) -> tensor<3xi1>
  return %r : tensor<3xi1>
}

// CHECK-LABEL: @signbit(
func.func @signbit(%x: tensor<3xi8>) -> tensor<3xi1> {
  // CHECK: neuron.signbit %{{.*}} : (tensor<3xi8>) -> tensor<3xi1>
  %r = neuron.signbit %x : (tensor<3xi8>) -> tensor<3xi1>
  return %r : tensor<3xi1>
}

// -----

// All three operands of a select broadcast.
// CHECK-LABEL: @select(
func.func @select(%c: tensor<4x1xi1>, %x: tensor<512xbf16>, %y: tensor<bf16>) -> tensor<4x512xbf16> {
  // CHECK: neuron.select %{{.*}}, %{{.*}}, %{{.*}} : (tensor<4x1xi1>, tensor<512xbf16>, tensor<bf16>) -> tensor<4x512xbf16>
  %r = neuron.select %c, %x, %y : (tensor<4x1xi1>, tensor<512xbf16>, tensor<bf16>) -> tensor<4x512xbf16>
  return %r : tensor<4x512xbf16>
}

// A cast names both types.
// CHECK-LABEL: @cast(
func.func @cast(%x: tensor<4x512xbf16>) -> tensor<4x512xui8> {
  // CHECK: neuron.cast %{{.*}} : tensor<4x512xbf16> to tensor<4x512xui8>
  %r = neuron.cast %x : tensor<4x512xbf16> to tensor<4x512xui8>
  return %r : tensor<4x512xui8>
}

// CHECK-LABEL: func.func @bitcast
func.func @bitcast(%arg0: tensor<4x8xf32>) -> tensor<4x8xi32> {
  // CHECK: neuron.bitcast %{{.*}} : tensor<4x8xf32> to tensor<4x8xi32>
  %0 = neuron.bitcast %arg0 : tensor<4x8xf32> to tensor<4x8xi32>
  return %0 : tensor<4x8xi32>
}
