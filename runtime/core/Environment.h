//===- Environment.h - reading environment variables ------------*- C++ -*-===//
#pragma once
#include "runtime/program/Result.h"
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace neuron::nrt {

/// An empty variable counts as unset.
std::optional<std::string> variable(const char *name);

template <typename T> std::optional<T> number(std::string_view text) {
  T value;
  auto end = text.data() + text.size();
  auto parsed = std::from_chars(text.data(), end, value);
  if (parsed.ec != std::errc() || parsed.ptr != end)
    return std::nullopt;
  return value;
}

Error badValue(const std::string &name, const std::string &value,
               const std::string &use);

/// Leaves the result alone if the variable is not set.
template <typename T>
Status readNumber(const char *name, const char *use, T least, T most,
                  T &result) {
  auto text = variable(name);
  if (!text)
    return {};
  auto value = number<T>(*text);
  if (!value || *value < least || *value > most)
    return badValue(name, *text, use);
  result = *value;
  return {};
}

Status readBool(const char *name, bool &result);

/// "3", "0-2", "0-2,5".
Result<std::vector<uint32_t>> coreList(const std::string &name,
                                       const std::string &text);

} // namespace neuron::nrt
