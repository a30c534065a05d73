//===- Neff.h - NEFF files --------------------------------------*- C++ -*-===//
//
// The public NEFF container around a device program of ours: a header of 1024
// bytes and a gzipped ustar. The layout is AWS's, the engine code is not, so
// ours are marked (kelf target, tool version, feature bits 0) for the real
// runtime to refuse, and AWS's are refused here.
//
// Bytes depend on the program and the options alone: times are zero and the
// UUID comes from the content.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "compiler/neff/Header.h"
#include "compiler/neff/Tar.h"
#include "runtime/program/Program.h"
#include "runtime/program/Result.h"
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace neuron::neff {

/// Members of ours inside the container.
inline constexpr char kProgramMember[] = "sg00/neuron_mlir_program.bin";
inline constexpr char kTensorsMember[] = "sg00/neuron_mlir_tensors.json";
inline constexpr char kLocationsMember[] =
    "debug_info/neuron_mlir_locations.json";

struct NeffOptions {
  std::string name = "file.neff"; ///< shown by tools; at most 255 bytes
};

/// Why a NEFF was refused; the runtime makes a status of it.
enum class NeffFault : uint8_t {
  None,
  Truncated,    ///< shorter than its header says
  HashMismatch, ///< the payload is not what was written
  WrongVersion, ///< of the container or of our program
  Foreign,      ///< engine code that is not ours
  Malformed,    ///< anything else
};

struct NeffFile {
  Header header;
  std::vector<Member> members; ///< in the order of the file

  const std::vector<uint8_t> *find(std::string_view name) const;
};

struct ReadOptions {
  bool checkHash = true;
  /// A few bytes can decompress to any number.
  uint64_t maxPayload = uint64_t(1) << 30;
};

Result<std::vector<uint8_t>> writeNeff(const program::Program &program,
                                       const NeffOptions &options = {});

/// Reads any NEFF of a known container version, AWS's included.
Result<NeffFile> readNeff(std::span<const uint8_t> bytes,
                          NeffFault *fault = nullptr,
                          const ReadOptions &options = {});

/// The device program of a NEFF of ours. It is well-formed, not verified.
Result<program::Program> programOf(const NeffFile &file,
                                   NeffFault *fault = nullptr);

/// A file of these members with the right header, for tools and tests that
/// change a NEFF.
Result<std::vector<uint8_t>> packNeff(std::span<const Member> members,
                                      const NeffOptions &options);

} // namespace neuron::neff
