// Rules K1 to K5 of kernels.
// RUN: neuron-opt %s --verify-diagnostics --split-input-file

// K1: the syntax gives arguments the right types; only the generic form can break the rule.
func.func @arguments(%a: tensor<4xf32>) {
  // expected-error @below {{K1: block arguments must have the types of the inputs}}
  %r = "neuron.kernel"(%a) <{sym = "k"}> ({
  ^bb0(%x: tensor<8xf32>):
    "neuron.yield"(%x) : (tensor<8xf32>) -> ()
  }) : (tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

// K2: the yield's types.
func.func @yield_types(%a: tensor<4xf32>) {
  // expected-error @below {{K2: must end in a neuron.yield of the types of the outputs}}
  %r = neuron.kernel "k" (%x = %a) : (tensor<4xf32>) -> tensor<8xf32> {
    neuron.yield %x : tensor<4xf32>
  }
  return
}

// -----

// K2: the yield itself.
func.func @no_yield(%a: tensor<4xf32>) {
  // expected-error @below {{K2: must end in a neuron.yield of the types of the outputs}}
  %r = neuron.kernel "k" (%x = %a) : (tensor<4xf32>) -> tensor<4xf32> {
    %0 = neuron.neg %x : tensor<4xf32>
  }
  return
}

// -----

// K2: a yield stands nowhere else.
func.func @stray_yield() {
  // expected-error @below {{expects parent op 'neuron.kernel'}}
  neuron.yield
}

// -----

// K3: no operation of another dialect.
func.func @foreign(%a: tensor<4xf32>) {
  // expected-error @below {{K3: must hold operations of the neuron dialect only, and no other kernel, got 'builtin.unrealized_conversion_cast'}}
  %r = neuron.kernel "k" (%x = %a) : (tensor<4xf32>) -> tensor<4xf32> {
    // expected-note @below {{it is here}}
    %0 = builtin.unrealized_conversion_cast %x : tensor<4xf32> to tensor<4xf32>
    neuron.yield %0 : tensor<4xf32>
  }
  return
}

// -----

// K3: no kernel in a kernel.
func.func @nested(%a: tensor<4xf32>) {
  // expected-error @below {{K3: must hold operations of the neuron dialect only, and no other kernel, got 'neuron.kernel'}}
  %r = neuron.kernel "k" (%x = %a) : (tensor<4xf32>) -> tensor<4xf32> {
    // expected-note @below {{it is here}}
    %0 = neuron.kernel "inner" (%y = %x) : (tensor<4xf32>) -> tensor<4xf32> {
      neuron.yield %y : tensor<4xf32>
    }
    neuron.yield %0 : tensor<4xf32>
  }
  return
}

// -----

// K4: a name.
func.func @no_name(%a: tensor<4xf32>) {
  // expected-error @below {{K4: must have a name}}
  %r = neuron.kernel "" (%x = %a) : (tensor<4xf32>) -> tensor<4xf32> {
    neuron.yield %x : tensor<4xf32>
  }
  return
}

// -----

// K4: a result.
func.func @no_result(%a: tensor<4xf32>) {
  // expected-error @below {{K4: must have a result}}
  neuron.kernel "k" (%x = %a) : (tensor<4xf32>) -> () {
    neuron.yield
  }
  return
}

// -----

// A kernel sees its arguments only.
func.func @from_above(%a: tensor<4xf32>) {
  // expected-note @below {{required by region isolation constraints}}
  %r = neuron.kernel "k" () : () -> tensor<4xf32> {
    // expected-error @below {{using value defined outside the region}}
    %0 = neuron.neg %a : tensor<4xf32>
    neuron.yield %0 : tensor<4xf32>
  }
  return
}

// -----

// A type for each input.
func.func @input_types(%a: tensor<4xf32>) {
  // expected-error @below {{as many types as inputs expected}}
  %r = neuron.kernel "k" (%x = %a) : () -> tensor<4xf32> {
    neuron.yield %x : tensor<4xf32>
  }
  return
}

// -----

// K5: a part of an iteration space is none.
func.func @half_space(%a: tensor<4xf32>) {
  // expected-error @below {{K5: shape, row_dims and column_dims are there together or not at all}}
  %r = neuron.kernel "k" (%x = %a) : (tensor<4xf32>) -> tensor<4xf32> {
    neuron.yield %x : tensor<4xf32>
  } {shape = array<i64: 4>}
  return
}

// -----

// K5: a dimension is of rows or of columns.
func.func @dimension_twice(%a: tensor<4x8xf32>) {
  // expected-error @below {{K5: row_dims and column_dims must be sorted, and hold each dimension of shape once}}
  %r = neuron.kernel "k" (%x = %a) : (tensor<4x8xf32>) -> tensor<4x8xf32> {
    neuron.yield %x : tensor<4x8xf32>
  } {shape = array<i64: 4, 8>, row_dims = array<i64: 0, 1>, column_dims = array<i64: 1>}
  return
}

// -----

// K5: every dimension has its place.
func.func @dimension_missing(%a: tensor<4x8xf32>) {
  // expected-error @below {{K5: row_dims and column_dims must be sorted, and hold each dimension of shape once}}
  %r = neuron.kernel "k" (%x = %a) : (tensor<4x8xf32>) -> tensor<4x8xf32> {
    neuron.yield %x : tensor<4x8xf32>
  } {shape = array<i64: 4, 8>, row_dims = array<i64>, column_dims = array<i64: 1>}
  return
}
