// RUN: neuron-opt %s --neuron-form-kernels --neuron-verify-kernels | FileCheck %s
// RUN: neuron-opt %s --neuron-form-kernels --neuron-materialize-outputs | FileCheck %s --check-prefix=IN-PLACE

// What updates an input is returned in its place: the views between stay
// outside of kernels, and nothing is copied.
// CHECK-LABEL: func.func @inner
// CHECK: %[[NEW:.*]] = neuron.kernel "scatter"
// CHECK: %[[ROWS:.*]] = neuron.reshape %[[NEW]]
// CHECK: %[[SEEN:.*]] = neuron.permute %[[ROWS]] perm [1, 0, 2]
// CHECK: return %[[SEEN]]
// IN-PLACE-LABEL: func.func @inner
// IN-PLACE-COUNT-1: neuron.kernel
// IN-PLACE-NOT: neuron.kernel
// IN-PLACE: return
func.func @inner(%cache: tensor<2x24x16xf32>, %new: tensor<2x3x16xf32>, %at: tensor<3x1xi64>) -> (tensor<2x24x16xf32> {neuron.aliases_input = 0 : i64}) {
  %0 = neuron.permute %cache perm [1, 0, 2] : (tensor<2x24x16xf32>) -> tensor<24x2x16xf32>
  %1 = neuron.reshape %0 : (tensor<24x2x16xf32>) -> tensor<24x2x1x16xf32>
  %2 = neuron.scatter %1, %at, %new reduce "none" : tensor<24x2x1x16xf32>, tensor<3x1xi64>, tensor<2x3x16xf32> -> tensor<24x2x1x16xf32>
  %3 = neuron.reshape %2 : (tensor<24x2x1x16xf32>) -> tensor<24x2x16xf32>
  %4 = neuron.permute %3 perm [1, 0, 2] : (tensor<24x2x16xf32>) -> tensor<2x24x16xf32>
  return %4 : tensor<2x24x16xf32>
}

// A reader whose view strides cannot say of the input's memory reads the
// dimensions that there are, and merges them behind itself.
// CHECK-LABEL: func.func @merged
// CHECK: %[[NEW:.*]] = neuron.kernel "scatter"
// CHECK: %[[EXP:.*]] = neuron.kernel "exp" (%{{.*}} = %[[NEW]]) : (tensor<24x2x1x16xf32>)
// CHECK: neuron.reshape %[[EXP]] : (tensor<24x2x1x16xf32>) -> tensor<24x32xf32>
func.func @merged(%cache: tensor<2x24x16xf32>, %new: tensor<2x3x16xf32>, %at: tensor<3x1xi64>) -> (tensor<2x24x16xf32> {neuron.aliases_input = 0 : i64}, tensor<24x32xf32>) {
  %0 = neuron.permute %cache perm [1, 0, 2] : (tensor<2x24x16xf32>) -> tensor<24x2x16xf32>
  %1 = neuron.reshape %0 : (tensor<24x2x16xf32>) -> tensor<24x2x1x16xf32>
  %2 = neuron.scatter %1, %at, %new reduce "none" : tensor<24x2x1x16xf32>, tensor<3x1xi64>, tensor<2x3x16xf32> -> tensor<24x2x1x16xf32>
  %3 = neuron.reshape %2 : (tensor<24x2x1x16xf32>) -> tensor<24x2x16xf32>
  %4 = neuron.permute %3 perm [1, 0, 2] : (tensor<24x2x16xf32>) -> tensor<2x24x16xf32>
  %5 = neuron.reshape %2 : (tensor<24x2x1x16xf32>) -> tensor<24x32xf32>
  %6 = neuron.exp %5 : tensor<24x32xf32>
  return %4, %6 : tensor<2x24x16xf32>, tensor<24x32xf32>
}
