//===- GraphBytes.cpp - an ATen graph as bytes ----------------------------===//
//
// Structured bindings name every field: a new one does not compile until it is
// written here.
//
//===----------------------------------------------------------------------===//
#include "compiler/import/GraphBytes.h"
#include <bit>
#include <string_view>
#include <unordered_map>

using namespace neuron::import;

namespace {

class Writer {
public:
  std::string out;

  void write(const Graph &graph) {
    const auto &[nodes, complexOutputs] = graph;
    write(nodes);
    for (auto [index, isConjugate] : complexOutputs) {
      number(index);
      byte(isConjugate);
    }
  }

private:
  void write(const Node &node) {
    const auto &[kind, name, target, args, results, hasValue, data,
                 unknownSchema] = node;
    byte(static_cast<uint8_t>(kind));
    byte(hasValue);
    byte(unknownSchema);
    if (kind == Node::Kind::Placeholder || kind == Node::Kind::Output)
      write(name);
    write(target);
    write(args);
    write(results);
    number(data.size());
    out.append(data.begin(), data.end());
  }

  /// The place of each text among those written.
  std::unordered_map<std::string_view, uint64_t> texts;

  void byte(uint8_t value) { out.push_back(static_cast<char>(value)); }
  void number(uint64_t value) {
    for (; value >= 0x80; value >>= 7)
      byte(static_cast<uint8_t>(value) | 0x80);
    byte(static_cast<uint8_t>(value));
  }

  void write(const std::string &text) {
    auto [known, isNew] = texts.try_emplace(text, texts.size());
    number(known->second);
    if (!isNew)
      return;
    number(text.size());
    out += text;
  }
  void write(None) {}
  void write(bool value) { byte(value); }
  void write(int64_t value) { number(static_cast<uint64_t>(value)); }
  void write(double value) { number(std::bit_cast<uint64_t>(value)); }
  void write(const std::optional<DType> &dtype) {
    byte(dtype ? 1 + static_cast<uint8_t>(*dtype) : 0);
  }
  void write(const DTypeArgument &argument) {
    const auto &[dtype, name] = argument;
    write(dtype);
    write(name);
  }
  void write(const NodeRef &ref) {
    const auto &[index] = ref;
    number(index);
  }
  void write(const Argument &argument) {
    const auto &[value] = argument;
    byte(static_cast<uint8_t>(value.index()));
    std::visit([&](const auto &held) { write(held); }, value);
  }
  void write(const TensorMeta &meta) {
    const auto &[dtype, dtypeName, device, shape, strides, storageOffset,
                 dynamic] = meta;
    write(dtype);
    write(dtypeName);
    write(device);
    write(shape);
    write(strides);
    write(storageOffset);
    write(dynamic);
  }
  template <typename T> void write(const std::vector<T> &items) {
    number(items.size());
    for (const T &item : items)
      write(item);
  }
};

} // namespace

std::string neuron::import::bytesOf(const Graph &graph) {
  Writer writer;
  writer.write(graph);
  return std::move(writer.out);
}
