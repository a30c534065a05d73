//===- Header.h - the NEFF header -------------------------------*- C++ -*-===//
#pragma once
#include "compiler/neff/Md5.h"
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace neuron::neff {

inline constexpr size_t kHeaderSize = 1024;
inline constexpr size_t kMaxName = 255;
inline constexpr uint64_t kPackageVersion = 2; ///< the one whose hash is MD5
inline constexpr uint64_t kNeffMajor = 2, kNeffMinor = 0;

struct Header {
  uint64_t packageVersion = kPackageVersion;
  uint64_t headerSize = kHeaderSize;
  uint64_t dataSize = 0;
  uint64_t major = kNeffMajor, minor = kNeffMinor;
  std::string buildVersion;
  uint32_t numTpb = 1;
  std::array<uint8_t, 32> hash{};
  std::array<uint8_t, 16> uuid{};
  std::string name;
  uint32_t requestedTpbCount = 1;
  std::array<uint8_t, 64> tpbPerNode{1};
  uint64_t featureBits = 0;
  uint32_t lncSize = 1;
};

/// The 1024 bytes. Name and build version are cut to their fields.
std::vector<uint8_t> encodeHeader(const Header &header);
/// Of the first 1024 bytes of a file, which must be there.
Header decodeHeader(std::span<const uint8_t, kHeaderSize> bytes);

/// The header's hash of a payload, padding included: its MD5 with the bytes of
/// each 32-bit word reversed.
std::array<uint8_t, 32> hashOf(std::span<const uint8_t> payload);

/// A UUID of version 8 (RFC 9562: vendor's own) made from a hash.
std::array<uint8_t, 16> uuidOf(const std::array<uint8_t, 32> &hash);

std::string hex(std::span<const uint8_t> bytes);
/// 8-4-4-4-12.
std::string uuidText(const std::array<uint8_t, 16> &uuid);

} // namespace neuron::neff
