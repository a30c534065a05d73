//===- HostCode.h - from LLVM IR to functions -------------------*- C++ -*-===//
#pragma once
#include "runtime/program/Result.h"
#include "runtime/simulator/compiled/RowContext.h"
#include <memory>
#include <string>
#include <vector>

namespace llvm {
class Module;
}

namespace neuron::simulator::compiled {

/// Optimises a module for this CPU and compiles it to the bytes of an object
/// file.
Result<std::string> compileModule(llvm::Module &module);

/// Loaded code; unloaded when the last owner is gone.
class HostCode {
public:
  /// The object must define all the names as functions.
  static Result<std::shared_ptr<HostCode>>
  load(const std::string &object, const std::vector<std::string> &names);
  ~HostCode();

  SegmentCode function(size_t index) const { return functions[index]; }

private:
  struct Library;
  HostCode() = default;
  std::unique_ptr<Library> library;
  std::vector<SegmentCode> functions;
};

} // namespace neuron::simulator::compiled
