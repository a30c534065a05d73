//===- Names.h - lists of names that clients get and give -------*- C++ -*-===//
#pragma once
#include "nrt/nrt_status.h"
#include "runtime/profile/Session.h"
#include <string>
#include <vector>

namespace neuron::profile {

/// All types of events, or those that a capture wants.
std::vector<std::string> typeNames(const CaptureConfig *wanted);

/// NRT_INVALID for a name that no type has.
NRT_STATUS enableType(CaptureConfig &config, const char *name, bool enabled);

/// The client's copy, by malloc throughout.
NRT_STATUS giveNames(const std::vector<std::string> &names,
                     const char ***result, size_t *count);
void freeNames(const char **names, size_t count);

} // namespace neuron::profile
