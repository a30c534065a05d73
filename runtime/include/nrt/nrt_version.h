/* nrt_version.h - for clients that include it: everything is in nrt.h */
#ifndef NEURON_MLIR_NRT_VERSION_H
#define NEURON_MLIR_NRT_VERSION_H
#include "nrt/nrt.h"
#endif
