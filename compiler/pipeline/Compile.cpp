//===- Compile.cpp - from the neuron dialect to a NEFF --------------------===//
//
// The pipeline is text, built from the options and the target's table, so that
// the stage printed in a dump is what neuron-opt runs to reproduce it.
//
//===----------------------------------------------------------------------===//
#include "compiler/pipeline/Compile.h"
#include "compiler/neff/Neff.h"
#include "compiler/pipeline/Diagnostics.h"
#include "compiler/pipeline/EmitProgram.h"
#include "compiler/pipeline/Interrupt.h"
#include "compiler/pipeline/KernelWorks.h"
#include "compiler/target/Target.h"
#include "dialects/nisa/Nisa.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "passes/Passes.h"
#include "runtime/program/Verify.h"
#include "llvm/Support/FormatVariadic.h"
#include <mutex>

using namespace mlir;
using namespace neuron;

FailureOr<std::vector<pipeline::Stage>>
pipeline::stagesFor(const Options &options, std::string &error, bool works) {
  Result<const target::Target *> target = target::find(options.target);
  if (!target) {
    error = target.message();
    return failure();
  }
  int64_t partitions = (*target)->partitions;
  int64_t bytes = (*target)->sbufUsableBytes;
  // There is one block everywhere: nothing to simplify in regions.
  std::string clean = "canonicalize{region-simplify=disabled},cse";
  return std::vector<Stage>{
      {"graph", "neuron-expand-matmul," + clean + "," +
                    llvm::formatv("neuron-raise-named-ops{{rounding={0}},",
                                  options.rounding)
                        .str() +
                    clean + ",neuron-verify-graph"},
      {"fused",
       llvm::formatv("neuron-split-sorts{{sbuf-bytes={0}},"
                     "neuron-split-reductions{{partitions={1}},"
                     "neuron-form-kernels{{sbuf-bytes={0} "
                     "partitions={1}},"
                     "neuron-rounding{{mode={2}},{3},neuron-chain-kernels,"
                     "neuron-verify-kernels",
                     bytes, partitions, options.rounding, clean)
           .str()},
      {"nisa",
       llvm::formatv("neuron-decompose-composites,{0},"
                     "neuron-materialize-outputs,"
                     "neuron-fill-partitions{{partitions={1}},"
                     "neuron-lower-kernels{{partitions={1} sbuf-bytes={2} "
                     "target={3}{4}}",
                     clean, partitions, bytes, options.target,
                     works ? " work=true" : "")
           .str()},
      {"scheduled",
       llvm::formatv("neuron-place-tiles{{sbuf-bytes={0}},neuron-synchronize",
                     bytes)
           .str()}};
}

/// Of a program of nisa instructions, which has nothing left to select.
static bool isNisa(func::FuncOp function) {
  return !function.getOps<nisa::KernelOp>().empty();
}

/// Whether its tiles have places: then its waits are also the author's.
static bool isScheduled(func::FuncOp function) {
  bool placed = false;
  function.walk(
      [&](nisa::AllocOp alloc) { placed |= alloc.getOffset().has_value(); });
  return placed;
}

static void registerPassesOnce() {
  static std::once_flag once;
  std::call_once(once, [] {
    registerNeuronPasses();
    registerTransformsPasses();
  });
}

static std::string textOf(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream, OpPrintingFlags().enableDebugInfo(false));
  return text;
}

FailureOr<CompileResult> neuron::compileModule(ModuleOp module,
                                               const Options &options,
                                               std::string &error,
                                               CompileRequest request) {
  registerPassesOnce();
  CompileResult result;
  pipeline::DiagnosticCollector collector(module.getContext(), request.remarks);
  pipeline::Interrupt interrupt(*module.getContext(), request.interrupted);
  auto fail = [&]() -> FailureOr<CompileResult> {
    if (interrupt.happened()) {
      error = "the compilation was interrupted";
      return failure();
    }
    std::string collected = collector.errors();
    if (!collected.empty())
      error = collected;
    if (error.empty())
      error = "the compiler failed without saying why; this is a defect";
    return failure();
  };
  auto function = module.lookupSymbol<func::FuncOp>("main");
  if (!function) {
    error = "the module has no function @main";
    return failure();
  }
  FailureOr<std::vector<pipeline::Stage>> stages =
      pipeline::stagesFor(options, error, request.works);
  if (failed(stages))
    return failure();
  bool nisa = isNisa(function), scheduled = nisa && isScheduled(function);
  for (const pipeline::Stage &stage : *stages) {
    if (nisa && (scheduled || stage.level != "scheduled"))
      continue;
    PassManager manager(module.getContext(), func::FuncOp::getOperationName());
    llvm::raw_string_ostream parseErrors(error);
    if (failed(parsePassPipeline(stage.passes, manager, parseErrors)))
      return fail();
    // What a stage has made is verified once, not after each of its passes.
    manager.enableVerifier(false);
    if (failed(manager.run(function)) || collector.hasErrors() ||
        interrupt.happened() || failed(verify(function)))
      return fail();
    if (request.dumps)
      result.dumps.emplace_back(stage.level, "// neuron-opt --pass-pipeline='"
                                             "builtin.module(func.func(" +
                                                 stage.passes + "))'\n" +
                                                 textOf(module));
  }
  FailureOr<program::Program> program =
      pipeline::emitProgram(function, options.target);
  if (failed(program) || interrupt.happened())
    return fail();
  if (request.works)
    result.works = pipeline::worksOf(function);
  // The loader would refuse what does not verify; here it is our own defect.
  if (Status status = program::verify(*program); !status) {
    error =
        "the compiler made a program that does not verify: " + status.message();
    return failure();
  }
  neff::NeffOptions neffOptions;
  neffOptions.name =
      options.model_name.empty() ? "file.neff" : options.model_name + ".neff";
  Result<std::vector<uint8_t>> bytes = neff::writeNeff(*program, neffOptions);
  if (!bytes) {
    error = bytes.message();
    return failure();
  }
  result.neff = std::move(*bytes);
  result.remarks = collector.remarks();
  return result;
}
