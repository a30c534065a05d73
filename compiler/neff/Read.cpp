//===- Read.cpp - reads a NEFF --------------------------------------------===//
#include "compiler/neff/Gzip.h"
#include "compiler/neff/Members.h"
#include "compiler/neff/Neff.h"
#include "runtime/program/Encoding.h"
#include <algorithm>

namespace neuron::neff {
namespace {

/// Sets the caller's fault, if it wants one, and makes the error.
class Refusal {
public:
  explicit Refusal(NeffFault *fault) : fault(fault) {
    if (fault)
      *fault = NeffFault::None;
  }
  Error operator()(NeffFault kind, std::string message) const {
    if (fault)
      *fault = kind;
    return Error{std::move(message)};
  }

private:
  NeffFault *fault;
};

std::string versionText(uint64_t major, uint64_t minor) {
  return std::to_string(major) + "." + std::to_string(minor);
}

bool equals(const std::vector<uint8_t> &bytes, const std::string &text) {
  return std::equal(bytes.begin(), bytes.end(), text.begin(), text.end(),
                    [](uint8_t byte, char letter) {
                      return byte == static_cast<uint8_t>(letter);
                    });
}

/// The version of an encoded program, 0 if there is none.
uint32_t versionOf(const std::vector<uint8_t> &bytes) {
  constexpr size_t at = sizeof(program::kMagic);
  if (bytes.size() < at + 4 ||
      !std::equal(std::begin(program::kMagic), std::end(program::kMagic),
                  bytes.begin()))
    return 0;
  return uint32_t(bytes[at]) | uint32_t(bytes[at + 1]) << 8 |
         uint32_t(bytes[at + 2]) << 16 | uint32_t(bytes[at + 3]) << 24;
}

} // namespace

const std::vector<uint8_t> *NeffFile::find(std::string_view name) const {
  for (const Member &member : members)
    if (member.name == name)
      return &member.data;
  return nullptr;
}

Result<NeffFile> readNeff(std::span<const uint8_t> bytes, NeffFault *fault,
                          const ReadOptions &options) {
  Refusal refuse(fault);
  if (bytes.size() < kHeaderSize)
    return refuse(NeffFault::Truncated,
                  "truncated NEFF: " + std::to_string(bytes.size()) +
                      " bytes, shorter than the header's 1024");
  NeffFile file;
  file.header = decodeHeader(bytes.first<kHeaderSize>());
  const Header &header = file.header;
  if (header.headerSize != kHeaderSize)
    return refuse(NeffFault::Malformed,
                  "not a NEFF: its header does not say that it has 1024 bytes");
  if (header.packageVersion != kPackageVersion)
    return refuse(NeffFault::WrongVersion,
                  "NEFF of package version " +
                      std::to_string(header.packageVersion) +
                      "; this build reads version 2");
  if (header.major > kNeffMajor)
    return refuse(NeffFault::WrongVersion,
                  "NEFF version mismatch supported: " +
                      versionText(kNeffMajor, kNeffMinor) +
                      " received: " + versionText(header.major, header.minor));
  bytes = bytes.subspan(kHeaderSize);
  if (header.dataSize > bytes.size())
    return refuse(NeffFault::Truncated,
                  "truncated NEFF: " + std::to_string(bytes.size()) +
                      " bytes of payload instead of " +
                      std::to_string(header.dataSize));
  auto payload = bytes.first(header.dataSize);
  auto hash = options.checkHash ? hashOf(payload) : header.hash;
  if (hash != header.hash)
    return refuse(NeffFault::HashMismatch,
                  "corrupt NEFF: the hash of its payload is " +
                      hex(std::span(hash).first(16)) +
                      ", but its header says " +
                      hex(std::span(header.hash).first(16)) +
                      "; delete the file and compile again");

  std::vector<uint8_t> unpacked;
  if (isGzip(payload)) {
    auto tar = decompress(payload, options.maxPayload);
    if (!tar)
      return refuse(NeffFault::Malformed, "corrupt NEFF: " + tar.message());
    unpacked = std::move(*tar);
    payload = unpacked;
  } else if (payload.size() > options.maxPayload) {
    return refuse(NeffFault::Malformed, "NEFF of more than " +
                                            std::to_string(options.maxPayload) +
                                            " bytes, the limit");
  }
  auto members = readTar(payload);
  if (!members)
    return refuse(NeffFault::Malformed, "corrupt NEFF: " + members.message());
  file.members = std::move(*members);
  return file;
}

Result<program::Program> programOf(const NeffFile &file, NeffFault *fault) {
  Refusal refuse(fault);
  const auto *bytes = file.find(kProgramMember);
  if (!bytes) {
    Origin origin = originOf(file);
    return refuse(NeffFault::Foreign,
                  "foreign NEFF: made by " + origin.tool + " for target " +
                      origin.target +
                      "; it holds no program of neuron-mlir, and the simulator "
                      "cannot run AWS's engine code. Compile the model with "
                      "neuron-mlir, or run the file on Trainium");
  }
  auto program = program::decode(*bytes);
  if (!program) {
    uint32_t version = versionOf(*bytes);
    bool otherVersion = version != 0 && !program::isReadable(version);
    return refuse(otherVersion ? NeffFault::WrongVersion : NeffFault::Malformed,
                  program.message());
  }
  if (file.header.featureBits != 0)
    return refuse(NeffFault::Foreign,
                  "foreign NEFF: its feature bits are not 0, as neuron-mlir "
                  "writes them");
  const auto *kelf = file.find("kelf-0.json");
  if (!kelf || !equals(*kelf, kelfJson(*program)))
    return refuse(NeffFault::Foreign, "foreign NEFF: its kelf-0.json is for " +
                                          originOf(file).target + ", not '" +
                                          kelfTarget(*program) + "'");
  // Clients read this table instead of the program: they must not disagree.
  const auto *tensors = file.find(kTensorsMember);
  if (!tensors || !equals(*tensors, tensorsJson(*program)))
    return refuse(NeffFault::Malformed,
                  std::string("corrupt NEFF: ") + kTensorsMember +
                      " does not describe the program's inputs and outputs");
  return program;
}

} // namespace neuron::neff
