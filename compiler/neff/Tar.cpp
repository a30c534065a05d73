//===- Tar.cpp - ustar archives in memory ---------------------------------===//
#include "compiler/neff/Tar.h"
#include <algorithm>
#include <cstring>
#include <optional>
#include <set>

namespace neuron::neff {
namespace {

constexpr size_t kBlock = 512;
constexpr size_t kMaxMembers = 100000;

/// Where the fields of a ustar header lie.
struct Field {
  size_t offset, size;
};
constexpr Field kName{0, 100}, kMode{100, 8}, kUid{108, 8}, kGid{116, 8},
    kSize{124, 12}, kTime{136, 12}, kChecksum{148, 8}, kType{156, 1},
    kMagic{257, 6}, kVersion{263, 2}, kOwner{265, 32}, kGroup{297, 32},
    kDevMajor{329, 8}, kDevMinor{337, 8}, kPrefix{345, 155};

using Header = std::array<uint8_t, kBlock>;

void putText(Header &header, Field field, std::string_view text) {
  std::memcpy(header.data() + field.offset, text.data(), text.size());
}

void putOctal(Header &header, Field field, uint64_t value, size_t digits) {
  for (size_t i = digits; i-- > 0; value >>= 3)
    header[field.offset + i] = static_cast<uint8_t>('0' + (value & 7));
  header[field.offset + digits] = ' ';
}

std::string textOf(std::span<const uint8_t> block, Field field) {
  auto *start = reinterpret_cast<const char *>(block.data()) + field.offset;
  return {start, strnlen(start, field.size)};
}

std::optional<uint64_t> octalOf(std::span<const uint8_t> block, Field field) {
  size_t at = field.offset, end = field.offset + field.size;
  while (at < end && block[at] == ' ')
    ++at;
  uint64_t value = 0;
  size_t first = at;
  for (; at < end && block[at] >= '0' && block[at] <= '7'; ++at)
    value = value << 3 | (block[at] - '0');
  bool ended = at == end || block[at] == ' ' || block[at] == 0;
  if (at == first || !ended)
    return std::nullopt;
  return value;
}

/// The sum of a header's bytes, its checksum field read as spaces.
uint64_t checksumOf(std::span<const uint8_t> block) {
  uint64_t sum = 0;
  for (size_t i = 0; i < kBlock; ++i) {
    bool inChecksum = i - kChecksum.offset < kChecksum.size;
    sum += inChecksum ? ' ' : block[i];
  }
  return sum;
}

Result<Header> headerOf(const Member &member) {
  std::string name = member.name, prefix;
  if (name.size() > kName.size) {
    size_t slash = name.find('/', name.size() - kName.size - 1);
    if (slash == std::string::npos || slash > kPrefix.size)
      return Error{"member name is too long for a tar: " + name};
    prefix = name.substr(0, slash);
    name = name.substr(slash + 1);
  }
  Header header{};
  putText(header, kName, name);
  putText(header, kPrefix, prefix);
  putOctal(header, kMode, 0664, 6);
  putOctal(header, kUid, 1000, 6);
  putOctal(header, kGid, 1000, 6);
  putOctal(header, kSize, member.data.size(), 11);
  putOctal(header, kTime, 0, 11);
  putText(header, kType, "0");
  putText(header, kMagic, "ustar");
  putText(header, kVersion, "00");
  putText(header, kOwner, "nobody");
  putText(header, kGroup, "nobody");
  putOctal(header, kDevMajor, 0, 6);
  putOctal(header, kDevMinor, 0, 6);
  putOctal(header, kChecksum, checksumOf(header), 6);
  // The checksum alone ends with a zero before the space.
  header[kChecksum.offset + 6] = 0;
  header[kChecksum.offset + 7] = ' ';
  return header;
}

size_t roundUp(size_t size) { return (size + kBlock - 1) / kBlock * kBlock; }

bool isZero(std::span<const uint8_t> block) {
  return std::all_of(block.begin(), block.end(),
                     [](uint8_t byte) { return byte == 0; });
}

} // namespace

bool isSafeName(const std::string &name) {
  if (name.empty() || name.find('\\') != std::string::npos ||
      name.find('\0') != std::string::npos)
    return false;
  for (size_t start = 0; start <= name.size();) {
    size_t end = std::min(name.find('/', start), name.size());
    std::string_view part = std::string_view(name).substr(start, end - start);
    if (part.empty() || part == "." || part == "..")
      return false;
    start = end + 1;
  }
  return true;
}

Result<std::vector<uint8_t>> writeTar(std::span<const Member> members) {
  std::vector<uint8_t> out;
  for (const Member &member : members) {
    if (!isSafeName(member.name))
      return Error{"unsafe member name '" + member.name + "'"};
    auto header = headerOf(member);
    if (!header)
      return header.error();
    out.insert(out.end(), header->begin(), header->end());
    out.insert(out.end(), member.data.begin(), member.data.end());
    out.resize(roundUp(out.size()));
  }
  out.resize(out.size() + 2 * kBlock); // two zero blocks end an archive
  return out;
}

Result<std::vector<Member>> readTar(std::span<const uint8_t> data) {
  std::vector<Member> members;
  std::set<std::string> names;
  auto broken = [&](size_t at, const std::string &what) {
    return Error{"the tar is corrupt at byte " + std::to_string(at) + ": " +
                 what};
  };
  for (size_t at = 0; at < data.size();) {
    if (data.size() - at < kBlock)
      return broken(at, "it ends inside a header");
    auto block = data.subspan(at, kBlock);
    if (isZero(block))
      return members;
    if (octalOf(block, kChecksum) != checksumOf(block))
      return broken(at, "the header's checksum is wrong");
    if (textOf(block, kMagic).substr(0, 5) != "ustar")
      return broken(at, "it is not a ustar archive");
    auto size = octalOf(block, kSize);
    if (!size)
      return broken(at, "the size is no number");
    at += kBlock;
    if (*size > data.size() - at)
      return broken(at, "a member is longer than the archive");

    std::string name = textOf(block, kName), prefix = textOf(block, kPrefix);
    if (!prefix.empty())
      name = prefix + "/" + name;
    uint8_t type = block[kType.offset];
    bool isFile = type == '0' || type == 0, isDirectory = type == '5';
    if (!isFile && !isDirectory)
      return broken(at, "'" + name + "' is neither file nor directory");
    if (isFile) {
      if (!isSafeName(name))
        return broken(at, "unsafe member name '" + name + "'");
      if (!names.insert(name).second)
        return broken(at, "two members are named '" + name + "'");
      if (members.size() == kMaxMembers)
        return broken(at, "it has too many members");
      auto content = data.subspan(at, *size);
      members.push_back({name, {content.begin(), content.end()}});
    }
    at = std::min(at + roundUp(*size), data.size());
  }
  return broken(data.size(), "its end marker is missing");
}

} // namespace neuron::neff
