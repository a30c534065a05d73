//===- Write.cpp - makes a NEFF -------------------------------------------===//
#include "compiler/neff/Gzip.h"
#include "compiler/neff/Members.h"
#include "compiler/neff/Neff.h"

namespace neuron::neff {

/// The payload is a whole number of these, as libarchive writes it.
static constexpr size_t kPayloadBlock = 10240;

Result<std::vector<uint8_t>> packNeff(std::span<const Member> members,
                                      const NeffOptions &options) {
  if (options.name.size() > kMaxName)
    return Error{"the name of a NEFF has at most " + std::to_string(kMaxName) +
                 " bytes; this one has " + std::to_string(options.name.size())};
  auto tar = writeTar(members);
  if (!tar)
    return tar.error();
  auto payload = compress(*tar);
  if (!payload)
    return payload.error();
  payload->resize((payload->size() + kPayloadBlock - 1) / kPayloadBlock *
                  kPayloadBlock);

  Header header;
  header.dataSize = payload->size();
  header.hash = hashOf(*payload);
  header.uuid = uuidOf(header.hash);
  header.name = options.name;
  std::vector<uint8_t> file = encodeHeader(header);
  file.insert(file.end(), payload->begin(), payload->end());
  return file;
}

Result<std::vector<uint8_t>> writeNeff(const program::Program &program,
                                       const NeffOptions &options) {
  return packNeff(membersOf(program, options.name), options);
}

} // namespace neuron::neff
