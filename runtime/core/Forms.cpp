//===- Forms.cpp - the simulator's forms of execution
//-----------------------===//
#include "runtime/core/Forms.h"
#include "runtime/core/HostCodeCache.h"

namespace neuron::nrt {
namespace {

Result<std::unique_ptr<simulator::Executable>>
makeCompiled(std::shared_ptr<const program::Program> program,
             const Config &config) {
#ifdef NEURON_HAVE_COMPILED
  auto directory = hostCodeDirectory(config);
  if (!directory)
    return directory.error();
  return simulator::createCompiled(std::move(program), *directory);
#else
  return Error{"this build of the simulator has no compiled form; set "
               "NEURON_MLIR_SIMULATOR=interpreter"};
#endif
}

Result<std::unique_ptr<simulator::Executable>>
makeInterpreter(std::shared_ptr<const program::Program> program) {
#ifdef NEURON_HAVE_INTERPRETER
  return simulator::createInterpreter(std::move(program));
#else
  return Error{"this build of the simulator has no interpreter; set "
               "NEURON_MLIR_SIMULATOR=compiled"};
#endif
}

} // namespace

Result<std::unique_ptr<simulator::Executable>>
makeExecutable(std::shared_ptr<const program::Program> program, Form form,
               const Config &config) {
  if (form == Form::Interpreter)
    return makeInterpreter(std::move(program));
  return makeCompiled(std::move(program), config);
}

Result<simulator::Timeline> predict(const program::Program &program,
                                    bool withEvents) {
#ifdef NEURON_HAVE_TIMELINE
  return simulator::predictTimeline(program, withEvents);
#else
  return Error{"this build of the simulator has no timing model"};
#endif
}

} // namespace neuron::nrt
