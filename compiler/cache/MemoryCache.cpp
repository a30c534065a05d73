//===- MemoryCache.cpp - compiled NEFFs of this process -------------------===//
#include "compiler/cache/MemoryCache.h"
#include <algorithm>

using namespace neuron::cache;

std::optional<std::vector<uint8_t>> MemoryCache::find(const std::string &key) {
  std::lock_guard lock(mutex);
  auto found = std::find_if(entries.begin(), entries.end(),
                            [&](const Entry &it) { return it.key == key; });
  if (found == entries.end())
    return std::nullopt;
  entries.splice(entries.begin(), entries, found);
  return found->neff;
}

void MemoryCache::store(const std::string &key,
                        const std::vector<uint8_t> &neff) {
  std::lock_guard lock(mutex);
  for (const Entry &entry : entries)
    if (entry.key == key) // another thread was faster; the NEFFs are equal
      return;
  entries.push_front({key, neff});
  bytes += neff.size();
  while (bytes > mostBytes) {
    bytes -= entries.back().neff.size();
    entries.pop_back();
  }
}
