//===- Simulator.h - the embedded device simulator --------------*- C++ -*-===//
//
// Two forms of execution with bit-identical results: the reference interpreter
// runs the derived engine streams and checks everything hardware would not
// tell; the compiled form runs native code made by LLVM. The timeline comes
// from the program alone, so it is the same for both.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "runtime/program/Program.h"
#include "runtime/program/Result.h"
#include <functional>
#include <memory>
#include <span>

namespace neuron::simulator {

/// One HBM variable, in the order of Program::tensors. Constants and scratch
/// are bound by the executable itself and are null here; so are tensors of no
/// elements.
struct Buffer {
  uint8_t *data = nullptr;
  int64_t bytes = 0;
};

/// Why an execution failed; the runtime maps it to an NRT status.
enum class Fault : uint8_t {
  None,
  BadInput,      ///< integer division by zero, and the like: what eager raises
  Race,          ///< two accesses that no semaphore orders
  Uninitialized, ///< read of SBUF or scratch that nothing wrote
  OutOfRange,    ///< an operand outside the instruction's documented range
  OutOfBounds,
  Deadlock,
  Timeout,
  Internal,
};

struct Outcome {
  Fault fault = Fault::None;
  std::string message; ///< which instruction, which location id, what to do
};

/// Asked several times a second during a run; true ends it with Fault::Timeout.
using Interrupted = std::function<bool()>;

class Executable {
public:
  virtual ~Executable() = default;
  /// Runs the program once. Thread-safe: concurrent calls share no state.
  virtual Outcome run(std::span<const Buffer> tensors,
                      const Interrupted &interrupted = {}) = 0;
};

/// `program` must have passed program::verify.
std::unique_ptr<Executable>
createInterpreter(std::shared_ptr<const program::Program> program);

/// Compiles on creation, or takes host code from the cache directory (empty:
/// no cache). Host code is keyed by the SHA-256 of the encoded program, the
/// CPU's features and the simulator's build.
Result<std::unique_ptr<Executable>>
createCompiled(std::shared_ptr<const program::Program> program,
               const std::string &cacheDirectory);

/// One executed instruction on the simulated clock. All times are predictions
/// of the simulator, in picoseconds from the start of the execution.
struct TimelineEvent {
  const program::Instruction *instruction;
  program::Unit unit; ///< engine, or queue for the transfer of a DMA
  int64_t start, end;
  uint32_t kernel;
};

struct Timeline {
  int64_t total =
      0; ///< one execution, fixed launch cost on the device included
  std::vector<TimelineEvent> events; ///< empty unless asked for
};

/// Whether a kernel that recurs is simulated once. The result is the same.
enum class Reuse : uint8_t { No, Yes };

/// Deterministic: depends on the program and the target's parameters only.
Result<Timeline> predictTimeline(const program::Program &program,
                                 bool withEvents, Reuse reuse = Reuse::Yes);

} // namespace neuron::simulator
