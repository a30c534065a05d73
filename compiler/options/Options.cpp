//===- Options.cpp - the options of a compilation -------------------------===//
#include "compiler/options/Options.h"
#include <cstdlib>
#include <vector>

using namespace neuron;

static constexpr OptionInfo kTable[] = {
#define NEURON_OPTION(name, Type, default_, environment, inKey, choices, why,  \
                      off)                                                     \
  {#name, #Type, #default_, environment, choices, why, off, inKey},
#include "compiler/options/Options.def"
#undef NEURON_OPTION
};

std::span<const OptionInfo> neuron::optionTable() { return kTable; }

static std::vector<std::string_view> split(std::string_view text,
                                           char separator) {
  std::vector<std::string_view> parts;
  for (size_t begin = 0; begin <= text.size();) {
    size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

static Status parse(std::string_view name, std::string_view choices,
                    std::string_view value, std::string &out) {
  if (!choices.empty()) {
    bool known = false;
    for (std::string_view choice : split(choices, '|'))
      known |= choice == value;
    if (!known)
      return Error{"option '" + std::string(name) + "' cannot be '" +
                   std::string(value) +
                   "'; it is one of: " + std::string(choices)};
  }
  out = value;
  return {};
}

static Status parse(std::string_view name, std::string_view,
                    std::string_view value, bool &out) {
  if (value == "1" || value == "true" || value == "True") {
    out = true;
    return {};
  }
  if (value == "0" || value == "false" || value == "False" || value.empty()) {
    out = false;
    return {};
  }
  return Error{"option '" + std::string(name) +
               "' is a bool (0, 1, true or false), got '" + std::string(value) +
               "'"};
}

Status neuron::setOption(Options &options, std::string_view name,
                         std::string_view value) {
#define NEURON_OPTION(name_, Type, default_, environment, inKey, choices, why, \
                      off)                                                     \
  if (name == #name_)                                                          \
    return parse(name, choices, value, options.name_);
#include "compiler/options/Options.def"
#undef NEURON_OPTION
  std::string message =
      "there is no option '" + std::string(name) + "'; the options are: ";
  for (const OptionInfo &info : kTable)
    message += (&info == kTable ? "" : ", ") + std::string(info.name);
  return Error{message};
}

static std::string text(const std::string &value) { return value; }
static std::string text(bool value) { return value ? "1" : "0"; }

std::string neuron::optionText(const Options &options, std::string_view name) {
#define NEURON_OPTION(name_, Type, default_, environment, inKey, choices, why, \
                      off)                                                     \
  if (name == #name_)                                                          \
    return text(options.name_);
#include "compiler/options/Options.def"
#undef NEURON_OPTION
  return "";
}

std::string neuron::optionsKey(const Options &options) {
  std::string key;
  for (const OptionInfo &info : kTable)
    if (info.inKey)
      key += (key.empty() ? "" : " ") + std::string(info.name) + "=" +
             optionText(options, info.name);
  return key;
}

Result<Options> neuron::optionsFromEnvironment() {
  Options options;
  for (const OptionInfo &info : kTable)
    for (std::string_view variable : split(info.environment, ' ')) {
      const char *value = variable.empty()
                              ? nullptr
                              : std::getenv(std::string(variable).c_str());
      if (!value)
        continue;
      if (Status status = setOption(options, info.name, value); !status)
        return Error{"environment variable " + std::string(variable) + ": " +
                     status.message()};
      break;
    }
  return options;
}
