//===- Compile.cpp - a graph to a program on the device -------------------===//
#include "runtime/device/eager/Compile.h"
#include "compiler/pipeline/Compile.h"
#include "mlir/IR/MLIRContext.h"
#include <c10/util/Exception.h>
#include <mutex>

using namespace neuron;
using namespace neuron::device;

namespace {

/// Making a context costs as much as compiling an operation, so one serves many
/// times; what it has uniqued is never freed, so not for ever.
class Context {
public:
  static constexpr int kUses = 1000;

  mlir::MLIRContext &get() {
    if (!held || ++uses > kUses) {
      held.reset();
      held = std::make_unique<mlir::MLIRContext>(
          mlir::MLIRContext::Threading::DISABLED);
      uses = 0;
    }
    return *held;
  }

private:
  std::unique_ptr<mlir::MLIRContext> held;
  int uses = 0;
};

/// What moves more than this is made native code at once.
constexpr size_t kInterpretedBytes = size_t(256) << 10;

size_t bytesMoved(const Plan &plan) {
  size_t bytes = 0;
  for (unsigned index : plan.arguments)
    if (index < plan.inputs.size())
      bytes += plan.inputs[index].bytes;
  for (const PlanResult &result : plan.results)
    bytes += result.bytes;
  return bytes;
}

} // namespace

std::variant<Program, std::string>
device::compileGraph(const import::Graph &graph, c10::DeviceIndex device) {
  static auto *mutex = new std::mutex;
  static auto *context = new Context;
  Program program;
  std::vector<uint8_t> neff;
  std::vector<SourceLine> lines; // operations; a dispatch has no line
  {
    std::lock_guard lock(*mutex);
    import::Imported imported = import::importGraph(context->get(), graph);
    if (!imported.unsupported.empty())
      return imported.unsupported[0].reason;
    program.plan = Plan::of(graph, imported);
    if (program.plan.results.empty())
      return program;
    Result<Options> options = optionsFromEnvironment();
    TORCH_CHECK(options.ok(), options.message());
    std::string error;
    auto compiled = compileModule(*imported.module, *options, error);
    if (llvm::failed(compiled))
      return error;
    neff = std::move(compiled->neff);
    for (unsigned index : imported.locations)
      lines.push_back(
          {locationId(lines.size()), graph.nodes[index].target, "", 0});
  }
  program.model = Model::load(std::move(neff), device,
                              bytesMoved(program.plan) > kInterpretedBytes
                                  ? Model::Tier::Native
                                  : Model::Tier::Deferred,
                              /*form=*/"", std::move(lines));
  return program;
}
