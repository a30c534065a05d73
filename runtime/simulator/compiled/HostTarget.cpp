//===- HostTarget.cpp - the CPU that host code is made for ----------------===//
#include "runtime/simulator/compiled/HostTarget.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include <algorithm>
#include <mutex>
#include <optional>
#include <vector>

namespace neuron::simulator::compiled {

namespace {

HostCpu detect() {
  HostCpu result;
  result.name = llvm::sys::getHostCPUName().str();
  auto features = llvm::sys::getHostCPUFeatures();
  std::vector<std::string> words;
  for (const auto &feature : features)
    words.push_back((feature.second ? "+" : "-") + feature.first().str());
  std::sort(words.begin(), words.end()); // it is part of a key
  for (const std::string &word : words)
    result.features += (result.features.empty() ? "" : ",") + word;
  auto has = [&](const char *name) {
    auto found = features.find(name);
    return found != features.end() && found->second;
  };
  if (has("avx512f") && has("avx512bw") && has("avx512dq") && has("avx512vl"))
    result.vectorBits = 512;
  else if (has("avx2"))
    result.vectorBits = 256;
  return result;
}

std::mutex mutex;
std::optional<HostCpu> known; ///< guarded by the mutex

} // namespace

HostCpu hostCpu() {
  std::lock_guard lock(mutex);
  if (!known)
    known = detect();
  return *known;
}

void overrideHostCpu(HostCpu cpu) {
  std::lock_guard lock(mutex);
  known = std::move(cpu);
}

Result<std::unique_ptr<llvm::TargetMachine>> makeTargetMachine() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  });
  llvm::Triple triple(llvm::sys::getProcessTriple());
  std::string message;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, message);
  if (!target)
    return Error{"LLVM cannot make code for this computer: " + message};
  HostCpu cpu = hostCpu();
  llvm::TargetOptions options;
  // Both forms agree bit for bit, so nothing may be fused or reordered.
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      triple, cpu.name, cpu.features, options, llvm::Reloc::PIC_,
      llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default, /*JIT=*/true));
  if (!machine)
    return Error{"LLVM has no target machine for " + triple.str()};
  return machine;
}

} // namespace neuron::simulator::compiled
