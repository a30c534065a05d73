//===- Environment.cpp - reading environment variables --------------------===//
#include "runtime/core/Environment.h"
#include <algorithm>
#include <cstdlib>
#include <strings.h>

namespace neuron::nrt {

std::optional<std::string> variable(const char *name) {
  const char *value = std::getenv(name);
  if (!value || !*value)
    return std::nullopt;
  return value;
}

Error badValue(const std::string &name, const std::string &value,
               const std::string &use) {
  return Error{name + " is '" + value + "'; use " + use};
}

Status readBool(const char *name, bool &result) {
  auto text = variable(name);
  if (!text)
    return {};
  for (const char *yes : {"1", "true"})
    if (!strcasecmp(text->c_str(), yes)) {
      result = true;
      return {};
    }
  for (const char *no : {"0", "false"})
    if (!strcasecmp(text->c_str(), no)) {
      result = false;
      return {};
    }
  return badValue(name, *text, "1, 0, true or false");
}

Result<std::vector<uint32_t>> coreList(const std::string &name,
                                       const std::string &text) {
  std::vector<uint32_t> cores;
  auto bad = badValue(name, text, "core numbers and ranges, such as 0-2,5");
  for (size_t at = 0; at <= text.size();) {
    size_t comma = std::min(text.find(',', at), text.size());
    std::string part = text.substr(at, comma - at);
    at = comma + 1;
    size_t dash = part.find('-');
    auto first = number<uint32_t>(part.substr(0, dash));
    auto last = dash == std::string::npos
                    ? first
                    : number<uint32_t>(part.substr(dash + 1));
    // A range is checked before it is filled: it may claim any number.
    if (!first || !last || *first > *last || *last > 1024)
      return bad;
    for (uint32_t core = *first; core <= *last; ++core) {
      if (std::find(cores.begin(), cores.end(), core) != cores.end())
        return bad;
      cores.push_back(core);
    }
  }
  return cores;
}

} // namespace neuron::nrt
