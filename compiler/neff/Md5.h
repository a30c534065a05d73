//===- Md5.h - the MD5 digest -----------------------------------*- C++ -*-===//
//
// RFC 1321. The container's hash is an MD5; nothing here relies on it for
// security.
//
//===----------------------------------------------------------------------===//
#pragma once
#include <array>
#include <cstdint>
#include <span>

namespace neuron::neff {

using Md5Digest = std::array<uint8_t, 16>;

Md5Digest md5(std::span<const uint8_t> data);

} // namespace neuron::neff
