//===- Names.cpp - lists of names that clients get and give ---------------===//
#include "runtime/profile/Names.h"
#include "runtime/core/Runtime.h"
#include <cstdlib>
#include <cstring>

namespace neuron::profile {

std::vector<std::string> typeNames(const CaptureConfig *wanted) {
  std::vector<std::string> result;
  for (size_t i = 0; i < eventTypes().size(); ++i)
    if (!wanted || !wanted->disabledTypes.contains(static_cast<EventType>(i)))
      result.push_back(eventTypes()[i].name);
  return result;
}

NRT_STATUS enableType(CaptureConfig &config, const char *name, bool enabled) {
  auto type = eventTypeNamed(name);
  if (!type)
    return nrt::fail(NRT_INVALID,
                     std::string("there is no type of event '") + name +
                         "'; nrt_sys_trace_get_event_types lists them");
  if (enabled)
    config.disabledTypes.erase(*type);
  else
    config.disabledTypes.insert(*type);
  return NRT_SUCCESS;
}

NRT_STATUS giveNames(const std::vector<std::string> &names,
                     const char ***result, size_t *count) {
  if (!result || !count)
    return nrt::nullArgument("a result");
  auto **copies = static_cast<const char **>(
      std::calloc(std::max<size_t>(names.size(), 1), sizeof(char *)));
  if (!copies)
    throw std::bad_alloc();
  for (size_t i = 0; i < names.size(); ++i) {
    copies[i] = strdup(names[i].c_str());
    if (!copies[i]) {
      freeNames(copies, i);
      throw std::bad_alloc();
    }
  }
  *result = copies;
  *count = names.size();
  return NRT_SUCCESS;
}

void freeNames(const char **names, size_t count) {
  if (!names)
    return;
  for (size_t i = 0; i < count; ++i)
    std::free(const_cast<char *>(names[i]));
  std::free(names);
}

} // namespace neuron::profile
