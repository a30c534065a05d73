//===- Members.h - the members of a NEFF of ours ----------------*- C++ -*-===//
#pragma once
#include "compiler/neff/Neff.h"

namespace neuron::neff {

/// What kelf-0.json names as target: nothing that AWS's runtime knows.
std::string kelfTarget(const program::Program &program);

/// kTensorsMember: inputs and outputs with logical dtypes.
std::string tensorsJson(const program::Program &program);
std::string kelfJson(const program::Program &program);

/// All members, in the container's order.
std::vector<Member> membersOf(const program::Program &program,
                              const std::string &name);

/// Who made the NEFF and for what, as far as its members tell.
struct Origin {
  std::string tool = "an unknown tool", target = "an unknown target";
};
Origin originOf(const NeffFile &file);

} // namespace neuron::neff
