/* nrt_experimental.h - for clients that include it: the rest is in others */
#ifndef NEURON_MLIR_NRT_EXPERIMENTAL_H
#define NEURON_MLIR_NRT_EXPERIMENTAL_H
#include "nrt/nrt.h"
#include "nrt/nrt_profile.h"
#endif
