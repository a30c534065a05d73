//===- Forms.cpp - the simulator's forms of execution ---------------------===//
#include "runtime/core/Forms.h"
#include "runtime/core/HostCodeCache.h"

namespace neuron::nrt {

Result<std::unique_ptr<simulator::Executable>>
makeExecutable(std::shared_ptr<const program::Program> program, Form form,
               const Config &config) {
  if (form == Form::Interpreter)
    return simulator::createInterpreter(std::move(program));
  auto directory = hostCodeDirectory(config);
  if (!directory)
    return directory.error();
  return simulator::createCompiled(std::move(program), *directory);
}

} // namespace neuron::nrt
