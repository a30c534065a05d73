//===- Target.cpp - hardware parameters -----------------------------------===//
#include "compiler/target/Target.h"
#include <iomanip>
#include <sstream>

namespace neuron::target {
namespace {

constexpr Target kTargets[] = {
    {
        .name = "trn1",
        .validated = true,
#include "compiler/target/parameters/trn1.inc"
    },
    {
        .name = "trn2",
        .validated = true,
#include "compiler/target/parameters/trn2.inc"
    },
    {
        .name = "trn3",
        .validated = false,
#include "compiler/target/parameters/trn3.inc"
    },
};

/// A parameter without a source is one that the target's file forgot.
constexpr bool isComplete(const Target &target) {
  return true
#define NEURON_PARAMETER(field, unit, meaning) &&!target.field.source.empty()
#include "compiler/target/Parameters.def"
      ;
}
static_assert(isComplete(kTargets[0]) && isComplete(kTargets[1]) &&
              isComplete(kTargets[2]));

void describeRow(std::ostream &out, std::string_view field,
                 const Parameter &parameter, std::string_view unit,
                 std::string_view meaning) {
  out << std::left << std::setw(24) << field << std::right << std::setw(14)
      << parameter.value << " " << std::left << std::setw(8) << unit
      << std::setw(7) << parameter.source
      << (parameter.assumption ? "assumption  " : "            ") << meaning;
  if (!parameter.note.empty())
    out << " (" << parameter.note << ")";
  out << "\n";
}

} // namespace

Result<const Target *> find(std::string_view name) {
  std::string known;
  for (const Target &target : kTargets) {
    if (target.name == name)
      return &target;
    known += (known.empty() ? "" : ", ") + std::string(target.name);
  }
  return Error{"unknown target '" + std::string(name) + "': this build knows " +
               known};
}

const Target &defaultTarget() { return kTargets[1]; }

std::span<const Target> all() { return kTargets; }

std::string describe(const Target &target) {
  std::ostringstream out;
  out << "target " << target.name
      << (target.validated ? "" : " (unvalidated: no measurement is published)")
      << "\n";
#define NEURON_PARAMETER(field, unit, meaning)                                 \
  describeRow(out, #field, target.field, unit, meaning);
#include "compiler/target/Parameters.def"
  return out.str();
}

} // namespace neuron::target
