//===- Npy.cpp - NumPy's .npy files ---------------------------------------===//
#include "compiler/tools/Npy.h"
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>

namespace neuron::tools {
namespace {

using program::DType;

constexpr char kMagic[] = "\x93NUMPY";
constexpr size_t kMagicSize = 6;

/// In the order of NEURON_DTYPES.
constexpr const char *kDescrs[] = {"|b1", "|u1", "|i1", "<u2", "<i2", "<u4",
                                   "<i4", "<u8", "<i8", "<f2", "<u2", "<f4",
                                   "<f8", "|u1", "|u1", "|u1", "|u1", "|u1"};
static_assert(std::size(kDescrs) == program::kNumDTypes);

/// The header is a Python dictionary of three known keys.
class HeaderParser {
public:
  explicit HeaderParser(std::string_view text) : rest(text) {}

  bool parse(std::string &descr, bool &fortran, std::vector<int64_t> &shape) {
    bool sawDescr = false, sawOrder = false, sawShape = false;
    if (!take("{"))
      return false;
    while (!take("}")) {
      auto key = quoted();
      if (!key || !take(":"))
        return false;
      if (*key == "descr") {
        auto value = quoted();
        sawDescr = value.has_value();
        descr = value.value_or("");
      } else if (*key == "fortran_order") {
        fortran = take("True");
        sawOrder = fortran || take("False");
      } else if (*key == "shape") {
        sawShape = tuple(shape);
      } else {
        return false;
      }
      if (!take(",") && rest.substr(skipSpace(), 1) != "}")
        return false;
    }
    return sawDescr && sawOrder && sawShape;
  }

private:
  size_t skipSpace() {
    rest.remove_prefix(std::min(rest.find_first_not_of(" \n"), rest.size()));
    return 0;
  }
  bool take(std::string_view token) {
    skipSpace();
    if (rest.substr(0, token.size()) != token)
      return false;
    rest.remove_prefix(token.size());
    return true;
  }
  std::optional<std::string> quoted() {
    skipSpace();
    if (rest.empty() || (rest[0] != '\'' && rest[0] != '"'))
      return std::nullopt;
    size_t end = rest.find(rest[0], 1);
    if (end == std::string_view::npos)
      return std::nullopt;
    std::string text(rest.substr(1, end - 1));
    rest.remove_prefix(end + 1);
    return text;
  }
  bool tuple(std::vector<int64_t> &values) {
    if (!take("("))
      return false;
    while (!take(")")) {
      skipSpace();
      int64_t value;
      auto parsed =
          std::from_chars(rest.data(), rest.data() + rest.size(), value);
      if (parsed.ec != std::errc() || value < 0 || values.size() == 64)
        return false;
      rest.remove_prefix(size_t(parsed.ptr - rest.data()));
      values.push_back(value);
      if (!take(",") && rest.substr(skipSpace(), 1) != ")")
        return false;
    }
    return true;
  }
  std::string_view rest;
};

/// Of one element, from the digits at the end of a type string.
std::optional<int64_t> itemSize(const std::string &descr) {
  int64_t size;
  auto end = descr.data() + descr.size();
  if (descr.size() < 3)
    return std::nullopt;
  auto parsed = std::from_chars(descr.data() + 2, end, size);
  if (parsed.ec != std::errc() || parsed.ptr != end || size < 1 || size > 16)
    return std::nullopt;
  return size;
}

/// Reverses the order of the dimensions in memory.
std::vector<uint8_t> transposed(std::span<const uint8_t> data,
                                const std::vector<int64_t> &shape,
                                size_t size) {
  std::vector<uint8_t> out(data.size());
  std::vector<int64_t> index(shape.size());
  for (size_t at = 0; at < data.size(); at += size) {
    size_t offset = 0;
    for (size_t d = shape.size(); d-- > 0;)
      offset = offset * size_t(shape[d]) + size_t(index[d]);
    std::memcpy(&out[at], &data[offset * size], size);
    for (size_t d = shape.size(); d-- > 0;) {
      if (++index[d] < shape[d])
        break;
      index[d] = 0;
    }
  }
  return out;
}

} // namespace

Result<Array> parseNpy(std::span<const uint8_t> bytes) {
  if (bytes.size() < 10 || std::memcmp(bytes.data(), kMagic, kMagicSize) != 0)
    return Error{"not a .npy file"};
  bool isLong = bytes[6] >= 2; // versions 2 and 3 have a longer length
  size_t start = isLong ? 12 : 10;
  if (bytes[6] < 1 || bytes[6] > 3 || bytes.size() < start)
    return Error{"a .npy file of an unknown version"};
  size_t length = size_t(bytes[8]) | size_t(bytes[9]) << 8;
  if (isLong)
    length |= size_t(bytes[10]) << 16 | size_t(bytes[11]) << 24;
  if (length > bytes.size() - start)
    return Error{"a truncated .npy file"};

  Array array;
  bool fortran = false;
  HeaderParser header(
      {reinterpret_cast<const char *>(bytes.data()) + start, length});
  if (!header.parse(array.descr, fortran, array.shape))
    return Error{"a .npy file with a header that makes no sense"};
  auto size = itemSize(array.descr);
  if (!size || array.descr[0] == '>')
    return Error{"a .npy file of dtype '" + array.descr +
                 "', which no device tensor has"};
  int64_t count = *size;
  for (int64_t dimension : array.shape)
    if (__builtin_mul_overflow(count, dimension, &count))
      return Error{"a .npy file with a shape that is too large"};
  auto data = bytes.subspan(start + length);
  if (data.size() != size_t(count))
    return Error{"a .npy file with " + std::to_string(data.size()) +
                 " bytes of data instead of " + std::to_string(count)};
  if (fortran)
    array.data = transposed(data, array.shape, size_t(*size));
  else
    array.data.assign(data.begin(), data.end());
  return array;
}

std::vector<uint8_t> formatNpy(const Array &array) {
  std::string header =
      "{'descr': '" + array.descr + "', 'fortran_order': False, 'shape': (";
  for (size_t i = 0; i < array.shape.size(); ++i)
    header += std::to_string(array.shape[i]) +
              (i + 1 < array.shape.size() || i == 0 ? "," : "") +
              (i + 1 < array.shape.size() ? " " : "");
  header += "), }";
  // Data begin at a multiple of 64 bytes.
  while ((10 + header.size() + 1) % 64)
    header += ' ';
  header += '\n';
  std::string head(kMagic, kMagicSize);
  head += {'\1', '\0', char(header.size()), char(header.size() >> 8)};
  head += header;
  std::vector<uint8_t> out(head.begin(), head.end());
  out.insert(out.end(), array.data.begin(), array.data.end());
  return out;
}

const char *descrOf(DType dtype) {
  return kDescrs[static_cast<unsigned>(dtype)];
}

bool holds(const Array &array, DType dtype) {
  if (array.descr == descrOf(dtype))
    return true;
  // ml_dtypes' arrays are of bytes without a meaning.
  if (program::isFloat8(dtype))
    return array.descr == "|V1" || array.descr == "<V1";
  return dtype == DType::BF16 && (array.descr == "|V2" || array.descr == "<V2");
}

} // namespace neuron::tools
