//===- HostCode.cpp - from LLVM IR to functions ---------------------------===//
#include "runtime/simulator/compiled/HostCode.h"
#include "runtime/simulator/compiled/HostTarget.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include <atomic>

namespace neuron::simulator::compiled {

namespace {

Error describe(const char *what, llvm::Error error) {
  return Error{std::string("host code of the compiled simulator: ") + what +
               ": " + llvm::toString(std::move(error))};
}

/// A few cheap passes: the emitter has already made vectors and loops.
void optimise(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);

  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/false));
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(
      llvm::LICMPass(llvm::LICMOptions()), /*UseMemorySSA=*/true));
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(llvm::SimplifyCFGPass());
  llvm::ModulePassManager all;
  all.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(passes)));
  all.run(module, modules);
}

/// The session that all host code of the process lives in.
Result<llvm::orc::LLJIT *> session() {
  // Never destroyed: code may run until the process ends.
  static auto *jit = [] {
    auto machine = makeTargetMachine(); // initialises LLVM's target
    auto made = llvm::orc::LLJITBuilder().create();
    return new llvm::Expected<std::unique_ptr<llvm::orc::LLJIT>>(
        std::move(made));
  }();
  if (!*jit) {
    static const std::string message = llvm::toString(jit->takeError());
    return Error{"LLVM cannot load code into this process: " + message};
  }
  return jit->get().get();
}

} // namespace

Result<std::string> compileModule(llvm::Module &module) {
  auto machine = makeTargetMachine();
  if (!machine)
    return machine.error();
  module.setTargetTriple((*machine)->getTargetTriple());
  module.setDataLayout((*machine)->createDataLayout());
  HostCpu cpu = hostCpu();
  std::string width = std::to_string(cpu.vectorBits);
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", cpu.name);
    function.addFnAttr("target-features", cpu.features);
    // Without these, LLVM keeps to 256 bits on some CPUs that have 512.
    function.addFnAttr("prefer-vector-width", width);
    function.addFnAttr("min-legal-vector-width", width);
  }
  optimise(module, **machine);
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager emission;
  if ((*machine)->addPassesToEmitFile(emission, stream, nullptr,
                                      llvm::CodeGenFileType::ObjectFile))
    return Error{"LLVM cannot write object files for this computer"};
  emission.run(module);
  return std::string(bytes.begin(), bytes.end());
}

struct HostCode::Library {
  llvm::orc::LLJIT *jit;
  llvm::orc::JITDylib *dylib;
};

Result<std::shared_ptr<HostCode>>
HostCode::load(const std::string &object,
               const std::vector<std::string> &names) {
  auto jit = session();
  if (!jit)
    return jit.error();
  static std::atomic<uint64_t> counter = 0;
  auto dylib = (*jit)->createJITDylib("neuron." + std::to_string(counter++));
  if (!dylib)
    return describe("a new library", dylib.takeError());
  std::shared_ptr<HostCode> code(new HostCode());
  code->library.reset(new Library{*jit, &*dylib});
  auto buffer = llvm::MemoryBuffer::getMemBufferCopy(object, "host_code");
  if (llvm::Error error = (*jit)->addObjectFile(*dylib, std::move(buffer)))
    return describe("loading", std::move(error));
  for (const std::string &name : names) {
    auto address = (*jit)->lookup(*dylib, name);
    if (!address)
      return describe("linking", address.takeError());
    code->functions.push_back(address->toPtr<SegmentCode>());
  }
  return code;
}

HostCode::~HostCode() {
  if (library)
    llvm::consumeError(
        library->jit->getExecutionSession().removeJITDylib(*library->dylib));
}

} // namespace neuron::simulator::compiled
