/* nrt_experimental.h - for clients that include it: everything is in nrt.h */
#ifndef NEURON_MLIR_NRT_EXPERIMENTAL_H
#define NEURON_MLIR_NRT_EXPERIMENTAL_H
#include "nrt/nrt.h"
#endif
