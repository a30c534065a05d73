//===- Options.h - the options of a compilation -----------------*- C++ -*-===//
//
// Options.def is the table; everything here is generated from it.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "runtime/program/Result.h"
#include <span>
#include <string>
#include <string_view>

namespace neuron {

namespace options {
using String = std::string;
using Bool = bool;
} // namespace options

struct Options {
#define NEURON_OPTION(name, Type, default_, environment, inKey, choices, why,  \
                      off)                                                     \
  options::Type name = default_;
#include "compiler/options/Options.def"
#undef NEURON_OPTION
};

/// A row of the table, for messages, documentation and flags.
struct OptionInfo {
  std::string_view name, type, defaultValue, environment, choices, why, off;
  bool inKey;
};
std::span<const OptionInfo> optionTable();

/// The defaults, changed by the environment.
Result<Options> optionsFromEnvironment();

/// Sets one option from text; bools are 0, 1, true or false. The error lists
/// what would be allowed.
Status setOption(Options &options, std::string_view name,
                 std::string_view value);

/// The value of an option as text.
std::string optionText(const Options &options, std::string_view name);

/// "rounding=default target=trn2": the options that the NEFF depends on.
std::string optionsKey(const Options &options);

} // namespace neuron
