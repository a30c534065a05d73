//===- Machine.h - engines, queues and semaphores in time -------*- C++ -*-===//
//
// A deterministic discrete-event model of a NeuronCore in integer picoseconds.
//
// An engine starts its next instruction when the one before it leaves the
// engine free, when its waits are met, and when what it reads of the engine's
// own results has arrived. A DMA takes issue time of its engine, reaches its
// queue after the dispatch time, and then its partitions share the DMA engines
// with all other transfers in the order in which they reach them; the transfers
// of a queue follow each other. A barrier ends when the last unit has finished.
//
// The Tensor engine runs at a fraction of its rate until it has been busy for a
// while (Warmth.h). Its accumulation onto PSUM needs no wait for what it adds
// to.
//
// Ports: Vector and GpSimd keep each other out of SBUF, and Vector and Scalar
// out of PSUM, as the target says (sharedSbufPort, sharedPsumPort).
//
// Not modelled: instruction fetch, HBM pages, what other cores of the chip do
// (each has its share of the HBM bandwidth).
//
// Events are processed in the order of their start, so what an observer sees is
// an order that the program's semaphores allow.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "compiler/target/Cost.h"
#include "runtime/program/Streams.h"
#include "runtime/simulator/DmaCost.h"
#include "runtime/simulator/Warmth.h"
#include <compare>
#include <deque>
#include <optional>

namespace neuron::simulator {

class Machine {
public:
  /// Told of every event. False stops the machine.
  class Observer {
  public:
    virtual ~Observer() = default;
    /// An engine runs an instruction that is no DMA.
    virtual bool ran(const program::Executed &it, int64_t start,
                     int64_t end) = 0;
    /// An engine issues a DMA.
    virtual bool issued(const program::Executed &it, int64_t start,
                        int64_t end) = 0;
    /// A queue transfers a DMA that was issued before.
    virtual bool transferred(const program::Executed &it, int64_t start,
                             int64_t end) = 0;
    /// All units have met at a barrier.
    virtual bool met(const program::Executed &barrier) = 0;
  };

  enum class End : uint8_t { Finished, Stopped, Deadlock };

  /// What the next kernel's times depend on, beside the kernel: at its start
  /// all engines, queues and ports are free.
  struct State {
    std::optional<program::Fn> table; ///< that the Scalar engine holds
    int64_t heat = 0;                 ///< of the Tensor engine
    bool isWarm = false;
    auto operator<=>(const State &) const = default;
  };

  Machine(const program::Streams &streams, const target::Target &target);

  End run(Observer &observer);

  /// Of a start or of the end of a kernel, where `run` stopped or would go on.
  State state() const;
  /// Goes on behind the next kernel, as if it had taken `duration` and led
  /// there.
  void skipKernel(const State &after, int64_t duration);

  /// From the launch to the last barrier; after a run that finished, to the
  /// end.
  int64_t total() const { return now; }
  /// After a deadlock: which unit waits for what.
  std::string describeDeadlock() const;

private:
  struct Write {
    uint32_t begin = 0, end = 0; ///< bytes of a partition
    int64_t done = 0;
  };
  struct Engine {
    program::Stream stream;
    int64_t free = 0;              ///< when it may start another instruction
    int64_t lastDone = 0;          ///< when all that it started has finished
    std::array<Write, 8> recent{}; ///< results that may still be under way
    unsigned nextRecent = 0;
    Warmth warmth{}; ///< Tensor only
  };
  struct Transfer {
    program::Executed it;
    int64_t arrival;
  };
  struct Queue {
    std::deque<Transfer> pending;
    int64_t payloadEnd = 0, lastDone = 0;
    int64_t lastNotify = 0; ///< latency of the last transfer's semaphore
  };
  struct Signal {
    int64_t done, latency;
  };
  /// What one engine at a time may use.
  struct Port {
    program::Unit user = program::Unit::Sync;
    int64_t until = 0;
  };
  struct InstructionCost {
    target::Cost warm{}; ///< of no meaning for a DMA
    target::Cost cold{}; ///< for Tensor at its throttled rate
    std::optional<DmaCost> dma{};
    bool sharesSbuf = false; ///< the instruction uses the port of SBUF
  };
  /// What can happen next.
  struct Candidate {
    int64_t start;
    program::Unit unit;
  };

  std::optional<int64_t> startOf(const Engine &engine) const;
  std::optional<int64_t> met(const program::Wait &wait,
                             const program::Executed &it) const;
  bool loadsTable(const program::Instruction &instruction) const;
  /// Calls visit with the index of each port that the instruction uses.
  template <typename Visit>
  void forEachPort(const program::Executed &it, Visit visit) const;
  std::optional<Candidate> next() const;
  bool allAtBarrier() const;
  /// Makes the costs of the kernel at which all engines are, if there is any.
  void enterKernel();
  const InstructionCost &costOf(const program::Executed &it) const {
    return costs[it.number - firstCost];
  }

  bool step(const Candidate &candidate, Observer &observer);
  bool runOn(Engine &engine, int64_t start, Observer &observer);
  bool issueFrom(Engine &engine, int64_t start, Observer &observer);
  bool transfer(Queue &queue, int64_t start, Observer &observer);
  bool meet(Observer &observer);
  void noteWrite(Engine &engine, const program::Executed &it,
                 const program::Operand &tile, int64_t done);

  const program::Streams &streams;
  const target::Target &target;
  std::vector<InstructionCost> costs; ///< of the kernel that runs
  uint32_t firstCost = 0;             ///< number of its first instruction

  std::vector<Engine> engines;
  std::array<Queue, program::kNumQueues> queues;
  std::array<std::vector<Signal>, program::kNumUnits>
      signals; ///< since the last barrier
  /// Of SBUF, then of each bank of PSUM or one for all of them.
  std::vector<Port> ports;
  std::vector<int64_t> dmaEngineFree;
  int64_t hbmFree = 0;
  std::optional<program::Fn> table; ///< that the Scalar engine holds
  int64_t now = 0;                  ///< of the last barrier
};

} // namespace neuron::simulator
