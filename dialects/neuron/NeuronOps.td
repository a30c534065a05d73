//===- NeuronOps.td - all operations of the dialect ----------*- tablegen -*-===//
#ifndef NEURON_OPS_TD
#define NEURON_OPS_TD
include "dialects/neuron/StructureOps.td"
include "dialects/neuron/ElementwiseOps.td"
include "dialects/neuron/ReductionOps.td"
include "dialects/neuron/NamedOps.td"
include "dialects/neuron/ContractionOps.td"
include "dialects/neuron/IndexingOps.td"
include "dialects/neuron/SequenceOps.td"
include "dialects/neuron/ViewOps.td"
include "dialects/neuron/MovementOps.td"
#endif
