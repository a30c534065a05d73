//===- RaceOracleTest.cpp - races by plain reachability -------------------===//
//
// Random programs with random waits. The oracle unrolls them into a graph of
// events and asks for every two accesses that conflict whether a path orders
// them. The interpreter must find a race in exactly the programs where it finds
// an unordered pair.
//
//===----------------------------------------------------------------------===//
#include "runtime/program/Builder.h"
#include "runtime/program/Streams.h"
#include "runtime/program/Verify.h"
#include "runtime/simulator/Simulator.h"
#include <bitset>
#include <gtest/gtest.h>
#include <map>
#include <random>

using namespace neuron;
using namespace neuron::program;
using namespace neuron::simulator;

namespace {

constexpr unsigned kSlots = 3, kMaxEvents = 256;
constexpr DType f32 = DType::F32;

/// Place kSlots is the one in PSUM, which only Vector, Scalar and Tensor reach.
Operand slot(unsigned index) {
  return index == kSlots ? psumTile(f32, 0, 4) : tile(f32, index * 64, 4);
}
unsigned placeOf(const Operand &operand) {
  return operand.isInPsum() ? kSlots : operand.offset / 64;
}

/// Sync feeds queue 0, Scalar queue 1, GpSimd queue 2.
constexpr Unit kFeeders[] = {Unit::Sync, Unit::Scalar, Unit::GpSimd};

class Generator {
public:
  explicit Generator(unsigned seed) : random(seed) {}

  Program make() {
    Builder b;
    b.tensor("x", TensorKind::Input, f32, {kSlots, 4});
    b.tensor("y", TensorKind::Output, f32, {kSlots, 4});
    b.kernel("k");
    for (unsigned i = 0; i <= kSlots; ++i)
      b.memset(Unit::Vector, 1, slot(i), immediate(0.0f));
    b.barrier();
    b.loop(1 + below(6));
    for (unsigned left = 2 + below(4); left > 0; --left)
      add(b);
    b.end();
    addWaits(std::get<Loop>(b.program.kernels[0].body.back()).body);
    return b.program;
  }

private:
  unsigned below(unsigned limit) { return random() % limit; }

  void add(Builder &b) {
    unsigned to = below(kSlots), from = (to + 1 + below(kSlots - 1)) % kSlots;
    unsigned port = below(3);
    HbmAccess row = b.window(0, kSlots, 4, affine(below(kSlots)));
    Instruction *it = nullptr;
    switch (below(7)) {
    case 0:
      it = &b.memset(below(2) ? Unit::Vector : Unit::GpSimd, 1, slot(to),
                     immediate(1.0f));
      break;
    case 1:
      it = &b.copy(below(2) ? Unit::Vector : Unit::Scalar, 1, slot(to),
                   slot(from));
      break;
    case 4:
      it = &b.copy(below(2) ? Unit::Vector : Unit::Scalar, 1, slot(to),
                   slot(kSlots));
      break;
    case 5:
      it = &b.memset(Unit::Vector, 1, slot(kSlots), immediate(2.0f));
      break;
    case 6:
      it = &b.matmul(1, slot(kSlots), slot(from), slot(to));
      break;
    case 2:
      it = &b.load(kFeeders[port], queue(port), 1, slot(to), row);
      break;
    default:
      row.tensor = 1;
      it = &b.store(kFeeders[port], queue(port), 1, row, slot(from));
      break;
    }
    it->signal = below(8) != 0;
  }

  void addWaits(std::vector<Node> &body) {
    std::map<Unit, int> signals; // in one iteration
    for (Node &node : body)
      if (auto &it = std::get<Instruction>(node); it.signal)
        ++signals[it.unit()];
    std::map<Unit, int> before;
    for (Node &node : body) {
      auto &it = std::get<Instruction>(node);
      for (auto [unit, count] : signals)
        if (below(4) != 0) {
          // Mostly what came before in the text; sometimes more or less.
          int base = before[unit] + int(below(4) == 0) - int(below(4) == 0);
          it.waits.push_back(waitFor(unit, base, {count}));
        }
      if (it.signal)
        ++before[it.unit()];
    }
  }

  std::mt19937 random;
};

struct Event {
  std::vector<unsigned> reads, writes; ///< slots; 100 + row of y
  std::vector<unsigned> next;
};

class Oracle {
public:
  explicit Oracle(const Program &program) {
    Streams streams(program);
    for (unsigned i = 0; i < kNumEngines; ++i)
      unroll(streams, static_cast<Unit>(i));
    for (const Waiting &waiting : waits) {
      const auto &raised = signals[waiting.semaphore];
      // The machine reports what can never be.
      if (waiting.value <= int64_t(raised.size()))
        events[raised[waiting.value - 1]].next.push_back(waiting.event);
    }
  }

  bool hasRace() {
    std::vector<std::bitset<kMaxEvents>> reach(events.size());
    for (unsigned i = 0; i < events.size(); ++i)
      visit(i, reach[i]);
    for (unsigned i = 0; i < events.size(); ++i)
      for (unsigned j = 0; j < i; ++j)
        if (conflict(events[i], events[j]) && !reach[i][j] && !reach[j][i])
          return true;
    return false;
  }

private:
  struct Waiting {
    Unit semaphore;
    int64_t value;
    unsigned event;
  };

  unsigned append(std::optional<unsigned> &last) {
    events.emplace_back();
    unsigned event = unsigned(events.size() - 1);
    if (last)
      events[*last].next.push_back(event);
    last = event;
    return event;
  }

  void unroll(const Streams &streams, Unit engine) {
    std::optional<unsigned> last;
    bool started = false; // behind the first barrier
    for (Stream stream(streams, engine); !stream.atEnd(); stream.advance()) {
      const Executed &now = stream.current();
      if (!now.instruction) {
        started = true;
        continue;
      }
      if (!started)
        continue;
      const Instruction &it = *now.instruction;
      unsigned event = append(last);
      for (const Wait &wait : it.waits)
        if (int64_t value = wait.value.at(now.counters); value > 0)
          waits.push_back({wait.semaphore, value, event});
      if (it.isDma()) {
        unsigned issue = event;
        event = append(lastOfQueue[it.queue]);
        events[issue].next.push_back(event);
      }
      if (it.signal)
        signals[it.unit()].push_back(event);
      access(events[event], it);
    }
  }

  void access(Event &event, const Instruction &it) {
    if (it.dst.isTile())
      event.writes.push_back(placeOf(it.dst));
    for (const Operand &source : it.src)
      if (source.isTile())
        event.reads.push_back(placeOf(source));
    if (it.opcode == Opcode::DmaStore)
      event.writes.push_back(100 + unsigned(it.hbm.row.base));
  }

  void visit(unsigned event, std::bitset<kMaxEvents> &seen) {
    for (unsigned next : events[event].next)
      if (!seen[next]) {
        seen.set(next);
        visit(next, seen);
      }
  }

  static bool conflict(const Event &a, const Event &b) {
    auto meets = [](const auto &one, const auto &other) {
      for (unsigned x : one)
        for (unsigned y : other)
          if (x == y)
            return true;
      return false;
    };
    return meets(a.writes, b.writes) || meets(a.writes, b.reads) ||
           meets(a.reads, b.writes);
  }

  std::vector<Event> events;
  std::vector<Waiting> waits;
  std::map<Unit, std::vector<unsigned>> signals;
  std::map<Unit, std::optional<unsigned>> lastOfQueue;
};

TEST(RaceOracle, AgreesWithReachability) {
  unsigned races = 0, clean = 0, inPsum = 0;
  for (unsigned seed = 0; seed < 4000; ++seed) {
    Program program = Generator(seed).make();
    if (!verify(program).ok())
      continue;
    std::vector<float> x(kSlots * 4), y(kSlots * 4);
    std::vector<Buffer> buffers{{reinterpret_cast<uint8_t *>(x.data()), 48},
                                {reinterpret_cast<uint8_t *>(y.data()), 48}};
    Outcome outcome =
        createInterpreter(std::make_shared<Program>(program))->run(buffers);
    if (outcome.fault == Fault::Deadlock)
      continue;
    bool expected = Oracle(program).hasRace();
    ASSERT_EQ(int(outcome.fault), int(expected ? Fault::Race : Fault::None))
        << "seed " << seed << ": " << outcome.message;
    ++(expected ? races : clean);
    inPsum += outcome.message.find("of PSUM") != std::string::npos;
  }
  // Both kinds must be there in numbers.
  EXPECT_GT(races, 500u);
  EXPECT_GT(clean, 500u);
  EXPECT_GT(inPsum, 100u);
}

} // namespace
