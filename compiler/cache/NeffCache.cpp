//===- NeffCache.cpp - compiled NEFFs on disk -----------------------------===//
#include "compiler/cache/NeffCache.h"
#include "compiler/neff/Neff.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace neuron;
using namespace neuron::cache;
namespace fs = std::filesystem;

std::string cache::keyOf(std::initializer_list<std::string_view> texts) {
  llvm::SHA256 hash;
  for (std::string_view text : texts) {
    hash.update(std::to_string(text.size()) + ":");
    hash.update(llvm::StringRef(text));
  }
  return llvm::toHex(hash.final(), /*LowerCase=*/true);
}

NeffCache::NeffCache(std::string directory, unsigned lockTimeoutSeconds)
    : directory(std::move(directory)), lockTimeout(lockTimeoutSeconds) {}

NeffCache::~NeffCache() { unlock(); }

void NeffCache::warn(const std::string &what, const std::string &path,
                     int error) {
  messages.push_back(
      "NEFF cache: cannot " + what + " " + path + ": " + std::strerror(error) +
      "; the compiled graph is used, but not kept (choose another directory by "
      "TORCH_NEURONX_NEFF_CACHE_DIR, or set "
      "TORCH_NEURONX_NEFF_DISABLE_CACHE=1)");
}

std::string NeffCache::pathOf(const std::string &key) const {
  return directory + "/" + key.substr(0, 2) + "/" + key.substr(2, 2) + "/" +
         key + ".neff";
}

std::optional<std::vector<uint8_t>> NeffCache::read(const std::string &key) {
  std::string path = pathOf(key);
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return std::nullopt;
  std::vector<uint8_t> bytes((std::istreambuf_iterator<char>(file)),
                             std::istreambuf_iterator<char>());
  std::string problem;
  if (Result<neff::NeffFile> neff = neff::readNeff(bytes); !neff)
    problem = neff.message();
  else if (auto program = neff::programOf(*neff); !program)
    problem = program.message();
  if (problem.empty() && !file.bad())
    return bytes;
  messages.push_back("NEFF cache: the entry " + path + " is damaged (" +
                     problem + ") and is made again");
  std::error_code ignored;
  fs::remove(path, ignored);
  return std::nullopt;
}

/// The lock's file is removed by whoever holds it, so a lock counts only if its
/// file is still the one at the path.
bool NeffCache::lock(const std::string &key) {
  std::string path = pathOf(key);
  lockPath = path.substr(0, path.size() - 5) + ".lock";
  std::error_code failed;
  fs::create_directories(fs::path(path).parent_path(), failed);
  if (failed) {
    warn("create", fs::path(path).parent_path(), failed.value());
    return false;
  }
  auto deadline =
      std::chrono::steady_clock::now() + std::chrono::seconds(lockTimeout);
  for (unsigned round = 0;; ++round) {
    int file = open(lockPath.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0) {
      warn("write", lockPath, errno);
      return false;
    }
    if (flock(file, LOCK_EX | LOCK_NB) == 0) {
      struct stat mine{}, there{};
      if (fstat(file, &mine) == 0 && stat(lockPath.c_str(), &there) == 0 &&
          mine.st_ino == there.st_ino) {
        lockFile = file;
        return true;
      }
    }
    close(file);
    if (interrupt && round % 10 == 9 && interrupt()) {
      interrupted = true;
      return false;
    }
    if (std::chrono::steady_clock::now() > deadline) {
      warn("get the lock", lockPath, ETIMEDOUT);
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

void NeffCache::unlock() {
  if (lockFile < 0)
    return;
  unlink(lockPath.c_str());
  close(lockFile);
  lockFile = -1;
}

std::optional<std::vector<uint8_t>>
NeffCache::findOrLock(const std::string &key) {
  if (directory.empty())
    return std::nullopt;
  if (auto found = read(key))
    return found;
  if (!lock(key))
    return std::nullopt;
  // Another process may have made it while we waited.
  if (auto found = read(key)) {
    unlock();
    return found;
  }
  return std::nullopt;
}

void NeffCache::store(const std::string &key,
                      const std::vector<uint8_t> &neff) {
  if (lockFile < 0)
    return;
  std::string path = pathOf(key),
              temporary = path + "." + std::to_string(getpid()) + ".tmp";
  int file =
      open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  int error = file < 0 ? errno : 0;
  for (size_t done = 0; !error && done < neff.size();) {
    ssize_t count = write(file, neff.data() + done, neff.size() - done);
    if (count < 0 && errno != EINTR)
      error = errno;
    else if (count > 0)
      done += count;
  }
  if (file >= 0 && close(file) != 0 && !error)
    error = errno;
  if (!error && rename(temporary.c_str(), path.c_str()) != 0)
    error = errno;
  if (error) {
    warn("write", path, error);
    unlink(temporary.c_str());
  }
  unlock();
}
