//===- CastRows.cpp - conversions and copies ------------------------------===//
#include "compiler/import/NodeBuilder.h"

using namespace mlir;
using namespace neuron;
using namespace neuron::import;

/// The result's dtype says everything; the device must be the CPU's (checked by
/// the importer). A number may stand for a tensor.
static void convert(NodeBuilder &n) { n.result(n.operand(0, n.resultDType())); }

/// Values have no identity here: a copy is the value itself.
static void identity(NodeBuilder &n) { n.result(n.tensor(0)); }

/// copy(self, src): src in the shape and dtype of self.
static void copy(NodeBuilder &n) {
  n.result(n.e.expand(n.e.cast(n.tensor(1), n.resultDType()), n.resultShape()));
}

static const AtenRow kRows[] = {
    {"aten._to_copy.default", convert, "cast"},
    {"aten.to.dtype", convert, "cast"},
    {"prims.convert_element_type.default", convert, "cast"},
    {"aten.clone.default", identity},
    {"prims.copy_strided.default", identity}, // strides are the plan's
    {"aten.contiguous.default", identity},
    {"aten.lift_fresh_copy.default", identity},
    {"aten.lift_fresh.default", identity},
    {"aten.lift.default", identity},
    {"aten.copy.default", copy, "cast"},
};

ArrayRef<AtenRow> import::castRows() { return kRows; }
