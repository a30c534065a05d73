//===- Gzip.cpp - gzip streams --------------------------------------------===//
#include "compiler/neff/Gzip.h"
#include <algorithm>
#include <limits>
#include <zlib.h>

namespace neuron::neff {
namespace {

constexpr int kGzipWindow = 15 + 16; // zlib: the largest window, gzip wrapping

std::string reasonOf(const z_stream &stream, int code) {
  return stream.msg ? stream.msg : zError(code);
}

struct Inflater {
  z_stream stream{};
  bool ready = inflateInit2(&stream, kGzipWindow) == Z_OK;
  ~Inflater() {
    if (ready)
      inflateEnd(&stream);
  }
};

} // namespace

bool isGzip(std::span<const uint8_t> data) {
  return data.size() >= 2 && data[0] == 0x1f && data[1] == 0x8b;
}

Result<std::vector<uint8_t>> compress(std::span<const uint8_t> data) {
  if (data.size() > std::numeric_limits<uInt>::max())
    return Error{"the NEFF's members are longer than 4 GiB"};
  z_stream stream{};
  if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, kGzipWindow, 8,
                   Z_DEFAULT_STRATEGY) != Z_OK)
    return Error{"no memory to compress the NEFF"};
  std::vector<uint8_t> out(deflateBound(&stream, data.size()));
  stream.next_in = const_cast<Bytef *>(data.data());
  stream.avail_in = static_cast<uInt>(data.size());
  stream.next_out = out.data();
  stream.avail_out = static_cast<uInt>(out.size());
  int code = deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  std::string reason = reasonOf(stream, code);
  deflateEnd(&stream);
  if (code != Z_STREAM_END)
    return Error{"cannot compress the NEFF: " + reason};
  return out;
}

Result<std::vector<uint8_t>> decompress(std::span<const uint8_t> data,
                                        uint64_t limit) {
  Inflater inflater;
  if (!inflater.ready)
    return Error{"no memory to decompress the NEFF"};
  z_stream &stream = inflater.stream;
  std::vector<uint8_t> out;
  uint8_t chunk[1 << 15];
  size_t at = 0;
  for (int code = Z_OK; code != Z_STREAM_END;) {
    if (stream.avail_in == 0) {
      size_t step = std::min<size_t>(data.size() - at, 1 << 30);
      if (step == 0)
        return Error{"the gzip stream ends early"};
      stream.next_in = const_cast<Bytef *>(data.data() + at);
      stream.avail_in = static_cast<uInt>(step);
      at += step;
    }
    stream.next_out = chunk;
    stream.avail_out = sizeof(chunk);
    code = inflate(&stream, Z_NO_FLUSH);
    if (code != Z_OK && code != Z_STREAM_END)
      return Error{"the gzip stream is corrupt: " + reasonOf(stream, code)};
    size_t made = sizeof(chunk) - stream.avail_out;
    if (made > limit - out.size())
      return Error{"the NEFF decompresses to more than " +
                   std::to_string(limit) + " bytes, the limit"};
    out.insert(out.end(), chunk, chunk + made);
  }
  auto padding = data.subspan(at - stream.avail_in);
  if (!std::all_of(padding.begin(), padding.end(),
                   [](uint8_t byte) { return byte == 0; }))
    return Error{"there are bytes after the gzip stream"};
  return out;
}

} // namespace neuron::neff
