//===- Header.cpp - the NEFF header ---------------------------------------===//
#include "compiler/neff/Header.h"
#include <cstring>

namespace neuron::neff {
namespace {

/// Names each field with its place, once, for writing and reading.
template <typename Archive, typename AnyHeader>
void fields(Archive &a, AnyHeader &header) {
  a.integer(0, header.packageVersion);
  a.integer(8, header.headerSize);
  a.integer(16, header.dataSize);
  a.integer(24, header.major);
  a.integer(32, header.minor);
  a.text(40, 128, header.buildVersion);
  a.integer(168, header.numTpb);
  a.bytes(172, header.hash);
  a.bytes(204, header.uuid);
  a.text(220, 256, header.name);
  a.integer(476, header.requestedTpbCount);
  a.bytes(480, header.tpbPerNode);
  a.integer(544, header.featureBits);
  a.integer(552, header.lncSize);
}

struct Writer {
  std::vector<uint8_t> out = std::vector<uint8_t>(kHeaderSize);

  template <typename T> void integer(size_t at, T value) {
    for (size_t i = 0; i < sizeof(T); ++i)
      out[at + i] = static_cast<uint8_t>(value >> 8 * i);
  }
  void text(size_t at, size_t size, const std::string &value) {
    std::memcpy(&out[at], value.data(), std::min(value.size(), size - 1));
  }
  template <size_t N>
  void bytes(size_t at, const std::array<uint8_t, N> &value) {
    std::memcpy(&out[at], value.data(), N);
  }
};

struct Reader {
  const uint8_t *in;

  template <typename T> void integer(size_t at, T &value) {
    value = 0;
    for (size_t i = 0; i < sizeof(T); ++i)
      value |= static_cast<T>(in[at + i]) << 8 * i;
  }
  void text(size_t at, size_t size, std::string &value) {
    auto *start = reinterpret_cast<const char *>(in + at);
    value.assign(start, strnlen(start, size));
  }
  template <size_t N> void bytes(size_t at, std::array<uint8_t, N> &value) {
    std::memcpy(value.data(), in + at, N);
  }
};

} // namespace

std::vector<uint8_t> encodeHeader(const Header &header) {
  Writer writer;
  fields(writer, header);
  return std::move(writer.out);
}

Header decodeHeader(std::span<const uint8_t, kHeaderSize> bytes) {
  Header header;
  Reader reader{bytes.data()};
  fields(reader, header);
  return header;
}

std::array<uint8_t, 32> hashOf(std::span<const uint8_t> payload) {
  Md5Digest digest = md5(payload);
  std::array<uint8_t, 32> hash{};
  for (size_t i = 0; i < digest.size(); ++i)
    hash[i] = digest[i ^ 3];
  return hash;
}

std::array<uint8_t, 16> uuidOf(const std::array<uint8_t, 32> &hash) {
  std::array<uint8_t, 16> uuid;
  std::memcpy(uuid.data(), hash.data(), uuid.size());
  uuid[6] = (uuid[6] & 0x0f) | 0x80; // version 8
  uuid[8] = (uuid[8] & 0x3f) | 0x80; // the RFC's variant
  return uuid;
}

std::string hex(std::span<const uint8_t> bytes) {
  std::string text;
  for (uint8_t byte : bytes) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

std::string uuidText(const std::array<uint8_t, 16> &uuid) {
  std::string text = hex(uuid);
  for (size_t dash : {20, 16, 12, 8})
    text.insert(dash, "-");
  return text;
}

} // namespace neuron::neff
