//===- MemoryCache.h - compiled NEFFs of this process -----------*- C++ -*-===//
//
// For where no cache on disk is wanted or possible: equal graphs of a process
// are compiled once all the same. The oldest NEFFs go first when there are too
// many bytes of them. Any thread may use it.
//
//===----------------------------------------------------------------------===//
#pragma once
#include <cstdint>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace neuron::cache {

class MemoryCache {
public:
  explicit MemoryCache(size_t mostBytes = size_t(64) << 20)
      : mostBytes(mostBytes) {}

  std::optional<std::vector<uint8_t>> find(const std::string &key);
  void store(const std::string &key, const std::vector<uint8_t> &neff);

private:
  struct Entry {
    std::string key;
    std::vector<uint8_t> neff;
  };
  std::mutex mutex;
  std::list<Entry> entries; ///< the one used last is the first
  size_t bytes = 0, mostBytes;
};

} // namespace neuron::cache
