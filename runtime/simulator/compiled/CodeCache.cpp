//===- CodeCache.cpp - host code on disk ----------------------------------===//
#include "runtime/simulator/compiled/CodeCache.h"
#include "runtime/program/Encoding.h"
#include "runtime/simulator/compiled/BuildId.h"
#include "runtime/simulator/compiled/HostTarget.h"
#include "runtime/simulator/compiled/RowContext.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/SHA256.h"
#include <cstdio>
#include <fcntl.h>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

namespace neuron::simulator::compiled {

namespace {

constexpr char kHeader[] = "neuron-mlir host code 1\n";
constexpr size_t kHashBytes = 32;

std::string hashOf(const std::string &bytes) {
  llvm::SHA256 hash;
  hash.update(llvm::StringRef(bytes));
  auto result = hash.final();
  return std::string(result.begin(), result.end());
}

bool writeAll(int file, const char *data, size_t size) {
  while (size > 0) {
    ssize_t written = write(file, data, size);
    if (written <= 0)
      return false;
    data += written, size -= static_cast<size_t>(written);
  }
  return true;
}

} // namespace

std::string codeKey(const program::Program &program) {
  llvm::SHA256 hash;
  std::vector<uint8_t> bytes = program::encode(program);
  hash.update(llvm::ArrayRef<uint8_t>(bytes));
  HostCpu cpu = hostCpu();
  for (const std::string &part :
       {cpu.name, cpu.features, std::to_string(cpu.vectorBits),
        std::string(LLVM_VERSION_STRING), std::to_string(kCodeVersion),
        buildId()}) {
    hash.update(llvm::StringRef(part));
    hash.update(llvm::StringRef("\0", 1));
  }
  return llvm::toHex(hash.final(), /*LowerCase=*/true);
}

std::string CodeCache::pathOf(const std::string &key) const {
  return directory + "/" + key + ".o";
}

std::optional<std::string> CodeCache::find(const std::string &key) const {
  if (directory.empty())
    return std::nullopt;
  std::ifstream file(pathOf(key), std::ios::binary);
  if (!file)
    return std::nullopt;
  std::string bytes((std::istreambuf_iterator<char>(file)),
                    std::istreambuf_iterator<char>());
  constexpr size_t kStart = sizeof(kHeader) - 1 + kHashBytes;
  if (bytes.size() < kStart || bytes.compare(0, sizeof(kHeader) - 1, kHeader))
    return std::nullopt;
  std::string contents = bytes.substr(kStart);
  if (bytes.compare(sizeof(kHeader) - 1, kHashBytes, hashOf(contents)) != 0)
    return std::nullopt;
  return contents;
}

void CodeCache::store(const std::string &key,
                      const std::string &contents) const {
  if (directory.empty())
    return;
  mkdir(directory.c_str(), 0700); // one that exists is as good
  std::string temporary = directory + "/tmp.XXXXXX";
  int file = mkstemp(temporary.data());
  if (file < 0)
    return;
  std::string hash = hashOf(contents);
  bool ok = writeAll(file, kHeader, sizeof(kHeader) - 1) &&
            writeAll(file, hash.data(), hash.size()) &&
            writeAll(file, contents.data(), contents.size());
  ok &= close(file) == 0;
  if (!ok || rename(temporary.c_str(), pathOf(key).c_str()) != 0)
    unlink(temporary.c_str());
}

} // namespace neuron::simulator::compiled
