//===- Proto.h - writes protocol buffers ------------------------*- C++ -*-===//
//
// The part of the encoding that profiles need: numbers, texts, messages, packed
// lists. Fields that have their default value are left out, as proto3 does.
// The schemas are *.proto beside this file; test/python/test_profile_files.py
// reads what is written here with Google's library.
//
//===----------------------------------------------------------------------===//
#pragma once
#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace neuron::profile {

class ProtoWriter {
public:
  void number(uint32_t field, uint64_t value) {
    if (value == 0)
      return;
    key(field, 0);
    varint(value);
  }
  void text(uint32_t field, std::string_view value) {
    if (!value.empty())
      bytes(field, value);
  }
  /// An element of a repeated field, or a message: also if empty.
  void bytes(uint32_t field, std::string_view value) {
    key(field, 2);
    varint(value.size());
    out += value;
  }
  void message(uint32_t field, const ProtoWriter &value) {
    bytes(field, value.out);
  }
  template <typename T> void packed(uint32_t field, const T &values) {
    ProtoWriter list;
    for (auto value : values)
      list.varint(value);
    text(field, list.out);
  }
  void packedReals(uint32_t field, std::span<const double> values) {
    std::string list;
    for (double value : values) {
      uint64_t bits = std::bit_cast<uint64_t>(value);
      for (unsigned i = 0; i < 8; ++i)
        list += char(bits >> (8 * i));
    }
    text(field, list);
  }

  const std::string &data() const { return out; }
  std::string take() { return std::move(out); }

private:
  void key(uint32_t field, uint32_t wireType) {
    varint(uint64_t(field) << 3 | wireType);
  }
  void varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7)
      out += char(value | 0x80);
    out += char(value);
  }

  std::string out;
};

} // namespace neuron::profile
