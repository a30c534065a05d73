//===- Encoding.cpp - the bytes of a device program -----------------------===//
#include "runtime/program/Encoding.h"
#include "runtime/program/Fields.h"

namespace neuron::program {
namespace {

template <typename T>
concept Integer = std::integral<T> && !std::same_as<T, bool>;
template <typename T>
concept Enum = std::is_enum_v<T>;

//===----------------------------------------------------------------------===//
// Writer
//===----------------------------------------------------------------------===//

class Writer {
public:
  std::vector<uint8_t> out;

  void number(uint64_t value) {
    for (; value >= 0x80; value >>= 7)
      out.push_back(static_cast<uint8_t>(value) | 0x80);
    out.push_back(static_cast<uint8_t>(value));
  }

  void place(const auto &value, const char *what) { (*this)(value, what); }
  template <Integer T> void operator()(const T &value, const char *) {
    if constexpr (std::is_signed_v<T>) {
      auto wide = static_cast<int64_t>(value);
      number(static_cast<uint64_t>(wide) << 1 ^
             static_cast<uint64_t>(wide >> 63));
    } else {
      number(value);
    }
  }
  template <Enum T> void operator()(const T &value, const char *) {
    out.push_back(static_cast<uint8_t>(value));
  }
  void operator()(const bool &value, const char *) { out.push_back(value); }
  void operator()(const std::string &text, const char *) {
    number(text.size());
    out.insert(out.end(), text.begin(), text.end());
  }
  void bytes(const std::vector<uint8_t> &data, const char *) {
    number(data.size());
    out.insert(out.end(), data.begin(), data.end());
  }

  template <typename T>
  void list(const std::vector<T> &items, uint64_t, const char *what) {
    number(items.size());
    for (const T &item : items)
      element(item, what);
  }

  void body(const std::vector<Node> &nodes) {
    number(nodes.size());
    for (const Node &node : nodes)
      std::visit([&](const auto &held) { tagged(held); }, node);
  }

private:
  template <typename T> void element(const T &item, const char *what) {
    if constexpr (Integer<T> || std::same_as<T, std::string>)
      (*this)(item, what);
    else
      fields(*this, item);
  }
  template <typename T> void tagged(const T &node) {
    Tag tag = std::same_as<T, Instruction> ? Tag::Instruction
              : std::same_as<T, Loop>      ? Tag::Loop
                                           : Tag::Barrier;
    out.push_back(static_cast<uint8_t>(tag));
    fields(*this, node);
  }
};

//===----------------------------------------------------------------------===//
// Timing words
//===----------------------------------------------------------------------===//

/// Of a kernel, which holds neither bytes nor, but for its name, strings.
class TimingWriter {
public:
  explicit TimingWriter(std::vector<uint64_t> &out) : out(out) {}

  void place(const auto &, const char *) {}
  template <typename T> void operator()(const T &value, const char *) {
    out.push_back(static_cast<uint64_t>(value));
  }
  template <typename T>
  void list(const std::vector<T> &items, uint64_t, const char *what) {
    out.push_back(items.size());
    for (const T &item : items)
      if constexpr (Integer<T>)
        (*this)(item, what);
      else
        fields(*this, item);
  }
  void body(const std::vector<Node> &nodes) {
    out.push_back(nodes.size());
    for (const Node &node : nodes) {
      out.push_back(node.index());
      std::visit([&](const auto &held) { fields(*this, held); }, node);
    }
  }

private:
  std::vector<uint64_t> &out;
};

//===----------------------------------------------------------------------===//
// Reader
//===----------------------------------------------------------------------===//

/// Keeps the first failure; after it every read yields zeros and every list
/// ends, so callers need no checks of their own.
class Reader {
public:
  explicit Reader(std::span<const uint8_t> bytes) : in(bytes) {}

  bool failed() const { return !failure.empty(); }
  const std::string &message() const { return failure; }
  size_t remaining() const { return in.size() - at; }

  void fail(const std::string &what) {
    if (!failed())
      failure = "malformed device program at byte " + std::to_string(at) +
                " of " + std::to_string(in.size()) + ": " + what;
  }

  uint8_t byte(const char *what) {
    if (failed())
      return 0;
    if (at == in.size()) {
      fail(std::string("it ends inside ") + what);
      return 0;
    }
    return in[at++];
  }

  uint64_t number(const char *what) {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      uint8_t next = byte(what);
      if (failed())
        return 0;
      bool overflows = shift == 63 && next > 1;
      bool overlong = shift > 0 && next == 0;
      if (overflows || overlong)
        break;
      value |= static_cast<uint64_t>(next & 0x7f) << shift;
      if (next < 0x80)
        return value;
    }
    fail(std::string("ill-formed number for ") + what);
    return 0;
  }

  void place(auto &value, const char *what) { (*this)(value, what); }
  template <Integer T> void operator()(T &value, const char *what) {
    uint64_t raw = number(what);
    if constexpr (std::is_signed_v<T>) {
      auto wide = static_cast<int64_t>(raw >> 1 ^ (0 - (raw & 1)));
      value = static_cast<T>(wide);
      if (value != wide)
        fail(std::string(what) + " is out of range");
    } else {
      value = static_cast<T>(raw);
      if (value != raw)
        fail(std::string(what) + " is out of range");
    }
  }
  template <Enum T> void operator()(T &value, const char *what) {
    static_assert(kEnumerators<T> > 0, "add it to Fields.h");
    uint8_t raw = byte(what);
    if (raw >= kEnumerators<T>)
      return fail(std::string("unknown ") + what + " " + std::to_string(raw));
    value = static_cast<T>(raw);
  }
  void operator()(bool &value, const char *what) {
    uint8_t raw = byte(what);
    if (raw > 1)
      fail(std::string(what) + " is neither true nor false");
    value = raw == 1;
  }
  void operator()(std::string &text, const char *what) {
    auto held = take(what);
    text.assign(held.begin(), held.end());
  }
  void bytes(std::vector<uint8_t> &data, const char *what) {
    auto held = take(what);
    data.assign(held.begin(), held.end());
  }

  template <typename T>
  void list(std::vector<T> &items, uint64_t limit, const char *what) {
    // Every element takes a byte at least. Nothing is reserved: memory grows
    // with the elements that are really there.
    uint64_t count = number(what);
    if (count > limit)
      return fail("too many " + std::string(what));
    if (count > remaining())
      return fail(std::string(what) + " are longer than the program");
    for (uint64_t i = 0; i < count && !failed(); ++i) {
      items.emplace_back();
      if constexpr (Integer<T> || std::same_as<T, std::string>)
        (*this)(items.back(), what);
      else
        fields(*this, items.back());
    }
  }

  void body(std::vector<Node> &nodes) {
    uint64_t count = number("a body");
    if (count > remaining())
      return fail("a body is longer than the program");
    for (uint64_t i = 0; i < count && !failed(); ++i)
      node(nodes);
  }

private:
  std::span<const uint8_t> take(const char *what) {
    uint64_t size = number(what);
    if (size > remaining()) {
      fail(std::string(what) + " is longer than the program");
      return {};
    }
    auto held = in.subspan(at, size);
    at += size;
    return held;
  }

  void node(std::vector<Node> &nodes) {
    if (++nodesRead > kMaxNodes)
      return fail("more than " + std::to_string(kMaxNodes) + " instructions");
    switch (static_cast<Tag>(byte("a node"))) {
    case Tag::Instruction:
      return fields(*this, nodes.emplace_back().emplace<Instruction>());
    case Tag::Barrier:
      return fields(*this, nodes.emplace_back().emplace<Barrier>());
    case Tag::Loop:
      if (depth == kMaxLoopDepth)
        return fail("loops nested deeper than " +
                    std::to_string(kMaxLoopDepth));
      ++depth;
      fields(*this, nodes.emplace_back().emplace<Loop>());
      --depth;
      return;
    }
    fail("unknown kind of node");
  }

  std::span<const uint8_t> in;
  size_t at = 0;
  unsigned depth = 0;
  uint64_t nodesRead = 0;
  std::string failure;
};

} // namespace

std::vector<uint8_t> encode(const Program &program) {
  Writer writer;
  for (char letter : kMagic)
    writer.out.push_back(static_cast<uint8_t>(letter));
  for (unsigned i = 0; i < 4; ++i)
    writer.out.push_back(static_cast<uint8_t>(kProgramVersion >> 8 * i));
  fields(writer, program);
  return std::move(writer.out);
}

void timingWords(const Kernel &kernel, std::vector<uint64_t> &words) {
  words.clear();
  TimingWriter writer(words);
  fields(writer, kernel);
}

Result<Program> decode(std::span<const uint8_t> bytes) {
  Reader reader(bytes);
  for (char letter : kMagic)
    if (reader.byte("the magic") != static_cast<uint8_t>(letter) &&
        !reader.failed())
      return Error{"not a device program of neuron-mlir: it does not begin "
                   "with " +
                   std::string(kMagic)};
  uint32_t version = 0;
  for (unsigned i = 0; i < 4; ++i)
    version |= static_cast<uint32_t>(reader.byte("the version")) << 8 * i;
  if (!reader.failed() && !isReadable(version))
    return Error{"device program of version " + std::to_string(version) +
                 ", but this build reads version " +
                 std::to_string(kOldestProgramVersion) + " to " +
                 std::to_string(kProgramVersion) +
                 "; compile it again with this build"};
  Program program;
  fields(reader, program);
  if (reader.remaining() > 0)
    reader.fail("there are bytes after its end");
  if (reader.failed())
    return Error{reader.message()};
  return program;
}

} // namespace neuron::program
