//===- Forms.h - the forms of execution under test --------------*- C++ -*-===//
//
// Tests of what instructions compute run in every form of the simulator.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "runtime/simulator/Simulator.h"
#include <functional>
#include <string>
#include <vector>

namespace neuron::simulator {

struct Form {
  std::string name;
  std::function<Result<std::unique_ptr<Executable>>(
      std::shared_ptr<const program::Program>)>
      create;
};

inline std::vector<Form> allForms() {
  return {{"Interpreter",
           [](auto program) -> Result<std::unique_ptr<Executable>> {
             return createInterpreter(std::move(program));
           }},
          {"Compiled", [](auto program) {
             return createCompiled(std::move(program), "");
           }}};
}

} // namespace neuron::simulator
