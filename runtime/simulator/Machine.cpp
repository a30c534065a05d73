//===- Machine.cpp - engines, queues and semaphores in time ---------------===//
#include "runtime/simulator/Machine.h"
#include "runtime/program/Opcodes.h"
#include "runtime/simulator/Describe.h"
#include <algorithm>

namespace neuron::simulator {
using namespace program;

namespace {

constexpr unsigned indexOf(Unit unit) { return static_cast<unsigned>(unit); }

/// Values of the parameter sharedSbufPort.
constexpr int64_t kFastModes = 1, kAlways = 2;

bool usesSbufPort(const target::Target &target, const Instruction &it) {
  if (it.isDma() || target.sharedSbufPort == 0)
    return false;
  if (it.engine == Unit::GpSimd)
    return true;
  if (it.engine != Unit::Vector)
    return false;
  return target.sharedSbufPort == kAlways ||
         (target.sharedSbufPort == kFastModes && target::isFast(target, it));
}

} // namespace

Machine::Machine(const Streams &streams, const target::Target &target)
    : streams(streams), target(target),
      ports(1 + (target.sharedPsumPort
                     ? 1
                     : target.psumBytes / target.psumBankBytes)),
      dmaEngineFree(target.dmaEngines) {
  now = target.launch;
  for (unsigned i = 0; i < kNumEngines; ++i)
    engines.push_back({Stream(streams, static_cast<Unit>(i)), now, now});
}

void Machine::enterKernel() {
  const Stream &stream = engines[0].stream;
  if (stream.atEnd())
    return;
  uint32_t kernel = stream.current().kernel;
  firstCost = streams.firstOf(kernel);
  costs.clear();
  for (const StaticInstruction &it : streams.instructionsOf(kernel)) {
    const Instruction &instruction = *it.instruction;
    InstructionCost &cost = costs.emplace_back();
    cost.sharesSbuf = usesSbufPort(target, instruction);
    if (instruction.isDma()) {
      cost.dma.emplace(target, instruction);
      continue;
    }
    cost.warm = target::costOf(target, instruction);
    if (instruction.engine == Unit::Tensor) {
      target::Work work = target::workOf(instruction);
      work.cold = true;
      cost.cold = target::costOf(target, work);
    }
  }
}

Machine::State Machine::state() const {
  Warmth warmth = engines[indexOf(Unit::Tensor)].warmth.idle(now);
  return {table, warmth.stored(), warmth.warm()};
}

void Machine::skipKernel(const State &after, int64_t duration) {
  now += duration;
  table = after.table;
  engines[indexOf(Unit::Tensor)].warmth = {after.heat, now, after.isWarm};
  for (Engine &engine : engines) {
    engine.free = now;
    engine.stream.skipKernel();
  }
}

//===----------------------------------------------------------------------===//
// What can happen next
//===----------------------------------------------------------------------===//

/// When the wait is over; nothing if not enough was signalled yet.
std::optional<int64_t> Machine::met(const Wait &wait,
                                    const Executed &it) const {
  int64_t value = wait.value.at(it.counters);
  if (value <= 0)
    return 0;
  const auto &signalled = signals[indexOf(wait.semaphore)];
  if (value > static_cast<int64_t>(signalled.size()))
    return std::nullopt;
  const Signal &signal = signalled[value - 1];
  bool toItself = wait.semaphore == it.instruction->engine;
  return signal.done + (toItself ? target.semaphoreSelf.value : signal.latency);
}

bool Machine::loadsTable(const Instruction &instruction) const {
  return instruction.opcode == Opcode::Activation &&
         target::needsTable(instruction.fn[0]) && table != instruction.fn[0];
}

template <typename Visit>
void Machine::forEachPort(const Executed &it, Visit visit) const {
  if (costOf(it).sharesSbuf)
    visit(0);
  Unit engine = it.instruction->engine;
  if (engine != Unit::Vector && engine != Unit::Scalar)
    return;
  auto touch = [&](const Operand &operand) {
    if (!operand.isInPsum())
      return;
    size_t bank = (it.offsetOf(operand) - kPsumBase) / target.psumBankBytes;
    visit(1 + (target.sharedPsumPort ? 0 : bank));
  };
  touch(it.instruction->dst);
  for (const Operand &source : it.instruction->src)
    touch(source);
}

/// When the engine's next instruction starts; nothing if that is not known yet.
std::optional<int64_t> Machine::startOf(const Engine &engine) const {
  const Executed &it = engine.stream.current();
  if (engine.stream.atEnd() || !it.instruction)
    return std::nullopt;
  int64_t start = engine.free;
  for (const Wait &wait : it.instruction->waits) {
    auto over = met(wait, it);
    if (!over)
      return std::nullopt;
    start = std::max(start, *over);
  }
  auto read = [&](const Operand &operand) {
    if (!operand.isTile())
      return;
    uint32_t begin = it.offsetOf(operand), end = begin + extentOf(operand);
    for (const Write &write : engine.recent)
      if (begin < write.end && write.begin < end)
        start = std::max(start, write.done);
  };
  for (const Operand &source : it.instruction->src)
    read(source);
  if (readsDst(*it.instruction) && it.instruction->opcode != Opcode::Matmul)
    read(it.instruction->dst);
  if (readsAcc(*it.instruction))
    read(it.instruction->acc);
  if (!it.instruction->isDma())
    forEachPort(it, [&](size_t port) {
      if (ports[port].user != it.instruction->engine)
        start = std::max(start, ports[port].until);
    });
  if (loadsTable(*it.instruction))
    start += target.activationTableLoad;
  return start;
}

std::optional<Machine::Candidate> Machine::next() const {
  std::optional<Candidate> best;
  auto offer = [&](int64_t start, Unit unit) {
    if (!best || start < best->start)
      best = {start, unit};
  };
  for (unsigned i = 0; i < kNumEngines; ++i)
    if (auto start = startOf(engines[i]))
      offer(*start, static_cast<Unit>(i));
  for (unsigned i = 0; i < kNumQueues; ++i)
    if (!queues[i].pending.empty())
      offer(std::max(queues[i].pending.front().arrival, queues[i].payloadEnd),
            queue(i));
  return best;
}

bool Machine::allAtBarrier() const {
  return std::all_of(engines.begin(), engines.end(), [](const Engine &engine) {
    return !engine.stream.atEnd() && !engine.stream.current().instruction;
  });
}

//===----------------------------------------------------------------------===//
// What happens
//===----------------------------------------------------------------------===//

void Machine::noteWrite(Engine &engine, const Executed &it, const Operand &tile,
                        int64_t done) {
  if (!tile.isTile())
    return;
  uint32_t begin = it.offsetOf(tile);
  engine.recent[engine.nextRecent] = {begin, begin + extentOf(tile), done};
  engine.nextRecent = (engine.nextRecent + 1) % engine.recent.size();
}

bool Machine::runOn(Engine &engine, int64_t start, Observer &observer) {
  const Executed &it = engine.stream.current();
  const Instruction &instruction = *it.instruction;
  const InstructionCost &costs = costOf(it);
  bool isCold = instruction.engine == Unit::Tensor &&
                engine.warmth.start(start, target.throttleWindow,
                                    costs.cold.busy, costs.warm.busy);
  const target::Cost &cost = isCold ? costs.cold : costs.warm;
  int64_t end = start + cost.latency;
  if (loadsTable(instruction))
    table = instruction.fn[0];
  engine.free = start + cost.busy;
  forEachPort(it, [&](size_t port) {
    ports[port] = {instruction.engine, engine.free};
  });
  engine.lastDone = std::max(engine.lastDone, end);
  noteWrite(engine, it, instruction.dst, end);
  noteWrite(engine, it, instruction.acc, end);
  if (instruction.signal)
    signals[indexOf(instruction.engine)].push_back(
        {engine.lastDone, target.semaphoreEngine});
  bool go = observer.ran(it, start, end);
  engine.stream.advance();
  return go;
}

bool Machine::issueFrom(Engine &engine, int64_t start, Observer &observer) {
  const Executed &it = engine.stream.current();
  const Instruction &dma = *it.instruction;
  bool isLoad = dma.readsHbm();
  engine.free = start + target::dmaIssueOf(target, dma.engine, dma.parts);
  engine.lastDone = std::max(engine.lastDone, engine.free);
  int64_t dispatch = isLoad ? target.dmaDispatchLoad : target.dmaDispatchStore;
  queues[indexOf(dma.queue) - kNumEngines].pending.push_back(
      {it, engine.free + dispatch});
  bool go = observer.issued(it, start, engine.free);
  engine.stream.advance();
  return go;
}

bool Machine::transfer(Queue &queue, int64_t start, Observer &observer) {
  Executed it = queue.pending.front().it;
  queue.pending.pop_front();
  const Instruction &dma = *it.instruction;
  const DmaCost &cost = *costOf(it).dma;
  bool isLoad = dma.readsHbm();

  hbmFree =
      std::max(hbmFree, start) + cost.bytes() * 1000000 / target.hbmBandwidth;
  int64_t payloadEnd = hbmFree;
  int64_t partition = cost.partitionTime(dma.hbm.column.at(it.counters));
  int64_t left = cost.partitions();
  for (size_t i = 0; left > 0; ++i, left -= target.dmaPartitions) {
    int64_t &free = dmaEngineFree[i % dmaEngineFree.size()];
    free = std::max(free, start) +
           partition * std::min<int64_t>(left, target.dmaPartitions);
    payloadEnd = std::max(payloadEnd, free);
  }
  int64_t fixed = isLoad ? target.dmaFixedLoad : target.dmaFixedStore;
  queue.payloadEnd = payloadEnd;
  queue.lastDone = std::max(queue.lastDone, payloadEnd + fixed);
  queue.lastNotify = isLoad ? target.semaphoreLoad : target.semaphoreStore;
  if (dma.signal)
    signals[indexOf(dma.queue)].push_back({queue.lastDone, queue.lastNotify});
  return observer.transferred(it, start, queue.lastDone);
}

bool Machine::meet(Observer &observer) {
  Executed barrier = engines[0].stream.current();
  for (const Engine &engine : engines)
    now = std::max(now, std::max(engine.free, engine.lastDone) +
                            target.semaphoreEngine);
  for (const Queue &queue : queues)
    now = std::max(now, queue.lastDone + queue.lastNotify);
  for (auto &signalled : signals)
    signalled.clear();
  for (Engine &engine : engines) {
    engine.free = now;
    engine.stream.advance();
  }
  return observer.met(barrier);
}

bool Machine::step(const Candidate &candidate, Observer &observer) {
  unsigned index = indexOf(candidate.unit);
  if (index >= kNumEngines)
    return transfer(queues[index - kNumEngines], candidate.start, observer);
  Engine &engine = engines[index];
  return engine.stream.current().instruction->isDma()
             ? issueFrom(engine, candidate.start, observer)
             : runOn(engine, candidate.start, observer);
}

Machine::End Machine::run(Observer &observer) {
  enterKernel();
  while (true) {
    bool go;
    if (auto candidate = next()) {
      go = step(*candidate, observer);
    } else if (allAtBarrier()) {
      bool leaves = engines[0].stream.current().endsKernel;
      go = meet(observer);
      if (go && leaves)
        enterKernel();
    } else {
      bool atEnd =
          std::all_of(engines.begin(), engines.end(),
                      [](auto &engine) { return engine.stream.atEnd(); });
      return atEnd ? End::Finished : End::Deadlock;
    }
    if (!go)
      return End::Stopped;
  }
}

std::string Machine::describeDeadlock() const {
  std::string text = "deadlock:";
  for (unsigned i = 0; i < kNumEngines; ++i) {
    const Executed &it = engines[i].stream.current();
    text += "\n  " + nameOf(static_cast<Unit>(i));
    if (!it.instruction) {
      text += " waits for all others at a barrier of kernel '" +
              streams.program().kernels[it.kernel].name + "'";
      continue;
    }
    text += " holds back " + describe(streams, it);
    for (const Wait &wait : it.instruction->waits)
      if (!met(wait, it))
        text += ", which waits for " + nameOf(wait.semaphore) + " to signal " +
                std::to_string(wait.value.at(it.counters)) +
                " times; it has signalled " +
                std::to_string(signals[indexOf(wait.semaphore)].size());
  }
  return text + "\nEach wait needs that many signals since the last barrier "
                "that do not themselves wait for it.";
}

} // namespace neuron::simulator
