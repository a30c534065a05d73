//===- Gzip.h - gzip streams ------------------------------------*- C++ -*-===//
#pragma once
#include "runtime/program/Result.h"
#include <cstdint>
#include <span>
#include <vector>

namespace neuron::neff {

bool isGzip(std::span<const uint8_t> data);

/// Fastest level, no file name, time zero: equal input, equal bytes.
Result<std::vector<uint8_t>> compress(std::span<const uint8_t> data);

/// One gzip stream, followed by nothing but zero padding. Fails once the
/// result would be longer than `limit`.
Result<std::vector<uint8_t>> decompress(std::span<const uint8_t> data,
                                        uint64_t limit);

} // namespace neuron::neff
