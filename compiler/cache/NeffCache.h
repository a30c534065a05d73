//===- NeffCache.h - compiled NEFFs on disk ---------------------*- C++ -*-===//
//
//   <directory>/ab/cd/<key>.neff      key: SHA-256 of everything that the NEFF
//   depends on, in hex
//
// Entries are written under a temporary name and renamed, so that a reader sees
// a whole one or none. While one process compiles a key it holds <key>.lock,
// and the others wait for its entry. An entry that the NEFF reader refuses is
// removed and made again. Only successes are kept.
//
// Whatever goes wrong here is a warning: a compilation never fails for its
// cache.
//
//===----------------------------------------------------------------------===//
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace neuron::cache {

/// SHA-256 in hex of texts, each with its length.
std::string keyOf(std::initializer_list<std::string_view> texts);

class NeffCache {
public:
  /// An empty directory: no cache. Creates the directory if need be.
  explicit NeffCache(std::string directory, unsigned lockTimeoutSeconds = 1200);
  /// Asked several times a second while another process holds the lock; true
  /// ends the wait, and isInterrupted() says so.
  std::function<bool()> interrupt;
  bool isInterrupted() const { return interrupted; }
  ~NeffCache();
  NeffCache(const NeffCache &) = delete;
  NeffCache &operator=(const NeffCache &) = delete;

  /// The entry of `key`. If there is none, the key's lock is held until store()
  /// or the end of this object.
  std::optional<std::vector<uint8_t>> findOrLock(const std::string &key);
  /// Keeps the NEFF and gives the lock back.
  void store(const std::string &key, const std::vector<uint8_t> &neff);

  const std::vector<std::string> &warnings() const { return messages; }
  std::string pathOf(const std::string &key) const;

private:
  std::string directory;
  unsigned lockTimeout;
  int lockFile = -1;
  bool interrupted = false;
  std::string lockPath;
  std::vector<std::string> messages;

  std::optional<std::vector<uint8_t>> read(const std::string &key);
  bool lock(const std::string &key);
  void unlock();
  void warn(const std::string &what, const std::string &path, int error);
};

} // namespace neuron::cache
