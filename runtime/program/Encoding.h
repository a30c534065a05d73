//===- Encoding.h - the bytes of a device program ---------------*- C++ -*-===//
//
// A device program as bytes, and back. The format is ours: the magic, the
// version, and then every field in the order of Fields.h, integers as minimal
// little-endian base-128 numbers (signed ones zigzag), lists and strings with
// their length in front. One program has one encoding: it is what the caches
// hash.
//
// A decoded program is well-formed, no more: Verify.h says whether it may run.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "runtime/program/Program.h"
#include "runtime/program/Result.h"
#include <cstdint>
#include <span>
#include <vector>

namespace neuron::program {

/// First bytes of an encoded program; the terminating zero is part of it.
inline constexpr char kMagic[] = "NEURONMLIR";

/// What a decoder accepts at most, so that a small file cannot ask for much
/// memory: instructions, loops and barriers of a program, and waits of one
/// instruction.
inline constexpr uint64_t kMaxNodes = 1 << 20;
inline constexpr uint64_t kMaxWaits = 64;

std::vector<uint8_t> encode(const Program &program);

/// A kernel without its name, its lines, and which variables of HBM it works
/// on: kernels of equal words take the same time on the same target. Not a
/// format.
void timingWords(const Kernel &kernel, std::vector<uint64_t> &words);

/// Fails on bytes that no `encode` of this version makes; never crashes,
/// whatever the bytes.
Result<Program> decode(std::span<const uint8_t> bytes);

} // namespace neuron::program
