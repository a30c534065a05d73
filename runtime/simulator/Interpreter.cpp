//===- Interpreter.cpp - the reference interpreter ------------------------===//
//
// Runs the engines' streams in the order of the machine's events, and checks
// what hardware would not tell: reads of what nothing wrote, races, deadlocks.
// That accesses stay inside SBUF and their tensors, verify has proved.
//
//===----------------------------------------------------------------------===//
#include "runtime/program/Opcodes.h"
#include "runtime/simulator/Describe.h"
#include "runtime/simulator/Execute.h"
#include "runtime/simulator/Hbm.h"
#include "runtime/simulator/HbmWindow.h"
#include "runtime/simulator/Indexed.h"
#include "runtime/simulator/Machine.h"
#include "runtime/simulator/PlainRow.h"

namespace neuron::simulator {
using namespace program;

namespace {

/// How many elements are processed between two questions to the caller.
constexpr int64_t kWorkBetweenPolls = 1 << 20;

/// One execution.
class Run final : public Machine::Observer {
public:
  Run(const Streams &streams, const target::Target &target, Hbm hbm,
      const Interrupted &interrupted)
      : streams(streams), interrupted(interrupted), order(streams),
        hbm(std::move(hbm)), sbuf(target), sbufShadow(addressesOf(target)),
        machine(streams, target) {}

  Outcome run() {
    semantics::FloatingPointScope scope;
    if (machine.run(*this) == Machine::End::Deadlock)
      return {Fault::Deadlock, machine.describeDeadlock()};
    return outcome;
  }

  bool ran(const Executed &it, int64_t, int64_t) override;
  bool issued(const Executed &it, int64_t, int64_t) override;
  bool transferred(const Executed &it, int64_t, int64_t) override;
  bool met(const Executed &barrier) override;

private:
  bool fail(Fault fault, std::string message) {
    // After a read of undefined data only a race says more.
    if (undefinedRead && fault != Fault::Race)
      outcome = *undefinedRead;
    else
      outcome = {fault, std::move(message)};
    return false;
  }
  /// What is read before it is written may be a race: it is one if the write
  /// comes before the next barrier.
  void noteUndefinedRead(std::string message) {
    if (!undefinedRead)
      undefinedRead = Outcome{Fault::Uninitialized, std::move(message)};
  }
  bool failRace(const Executed &it, bool writes, const std::string &where,
                const Shadow::Conflict &conflict);
  bool mayGoOn(int64_t elements);

  bool readTile(const Executed &it, const Operand &tile, unsigned parts,
                Stamp now);
  bool writeTile(const Executed &it, const Operand &tile, Stamp now);
  void checkAccumulates(const Executed &it, size_t begin, size_t end);
  bool accessHbm(const Executed &it, const HbmWindow &window, Stamp now);
  template <typename Visit>
  bool forEachRun(const Executed &it, const HbmWindow &window, int64_t row,
                  Visit visit);
  bool checkIndices(const Executed &it, Stamp now);
  void move(const Executed &it, const HbmWindow &window);

  const Streams &streams;
  const Interrupted &interrupted;
  Order order;
  Hbm hbm;
  Sbuf sbuf;
  Shadow sbufShadow;
  Executor executor;
  Machine machine;
  int64_t work = 0; ///< since the caller was asked
  Outcome outcome;
  std::optional<Outcome> undefinedRead; ///< since the last barrier
};

/// Calls visit(begin, end) for the bytes of a partition that the tile covers,
/// until it returns false.
template <typename Visit>
bool forEachByteRange(const Executed &it, const Operand &tile, Visit visit) {
  size_t begin = it.offsetOf(tile), bytes = bytesOf(tile.dtype);
  if (tile.stride <= 1)
    return visit(begin, begin + extentOf(tile));
  for (uint32_t i = 0; i < tile.elems; ++i)
    if (size_t element = begin + size_t(i) * tile.stride * bytes;
        !visit(element, element + bytes))
      return false;
  return true;
}

bool Run::failRace(const Executed &it, bool writes, const std::string &where,
                   const Shadow::Conflict &conflict) {
  Unit unit = static_cast<Unit>(conflict.earlier.unit());
  return fail(
      Fault::Race,
      "race on " + where + ": " + describe(streams, it) +
          (writes ? " writes" : " reads") + " on " +
          nameOf(it.instruction->unit()) + " what " +
          describe(streams, order.instructionOf(conflict.earlier)) +
          (conflict.earlierWrites ? " writes" : " reads") + " on " +
          nameOf(unit) +
          ", and no semaphore orders the two. One must wait for a signal that "
          "the unit of the other gives when or after the other is done.");
}

/// "byte 12 of SBUF partitions".
std::string describeByte(size_t address, const char *what) {
  bool isPsum = address >= kPsumBase;
  return "byte " + std::to_string(address - (isPsum ? kPsumBase : 0)) + " of " +
         (isPsum ? "PSUM " : "SBUF ") + what;
}

/// Hardware adds to what a matmul left in PSUM, and to nothing else.
void Run::checkAccumulates(const Executed &it, size_t begin, size_t end) {
  for (size_t byte = begin; byte < end && !undefinedRead; ++byte) {
    Stamp writer = sbufShadow.lastWrite(byte);
    if (!writer) // found by readTile
      return;
    uint32_t number = order.instructionOf(writer);
    if (streams.instructions()[number].instruction->opcode != Opcode::Matmul)
      noteUndefinedRead(describe(streams, it) + " accumulates onto " +
                        describeByte(byte, "partitions") + ", which " +
                        describe(streams, number) +
                        " wrote. Only what a matmul wrote may be accumulated "
                        "onto.");
  }
}

bool Run::readTile(const Executed &it, const Operand &tile, unsigned parts,
                   Stamp now) {
  if (!tile.isTile())
    return true;
  return forEachByteRange(it, tile, [&](size_t begin, size_t end) {
    if (auto conflict = sbufShadow.read(begin, end, now, order))
      return failRace(it, false, describeByte(conflict->cell, "partitions"),
                      *conflict);
    for (size_t byte = begin; byte < end; ++byte)
      if (unsigned defined = sbuf.definedParts(byte);
          defined < parts && !undefinedRead)
        noteUndefinedRead(describe(streams, it) + " reads " +
                          describeByte(byte, "partition ") +
                          std::to_string(defined) +
                          ", which nothing wrote since the kernel began. Write "
                          "all partitions and elements of a tile before they "
                          "are read.");
    return true;
  });
}

bool Run::writeTile(const Executed &it, const Operand &tile, Stamp now) {
  if (!tile.isTile())
    return true;
  return forEachByteRange(it, tile, [&](size_t begin, size_t end) {
    if (auto conflict = sbufShadow.write(begin, end, now, order))
      return failRace(it, true, describeByte(conflict->cell, "partitions"),
                      *conflict);
    sbuf.define(begin, end, dstPartsOf(*it.instruction));
    return true;
  });
}

/// What row `row` of a DMA touches in HBM.
template <typename Visit>
bool Run::forEachRun(const Executed &it, const HbmWindow &window, int64_t row,
                     Visit visit) {
  if (!it.instruction->isIndexed())
    return window.forEachRun(row, visit);
  return forEachIndexedRun(window, it, row, sbuf.row(row), visit);
}

bool Run::checkIndices(const Executed &it, Stamp now) {
  if (!readTile(it, it.instruction->indices(), it.instruction->parts, now))
    return false;
  for (unsigned p = 0; p < it.instruction->parts; ++p)
    if (auto index = firstBadIndex(it, sbuf.row(p)))
      return fail(Fault::BadInput,
                  describeBadIndex(streams, it.number, *index));
  return true;
}

/// The check of a DMA's side in HBM. Elements are visited one run at a time.
bool Run::accessHbm(const Executed &it, const HbmWindow &window, Stamp now) {
  const Instruction &dma = *it.instruction;
  const Tensor &tensor = streams.program().tensors[dma.hbm.tensor];
  HbmMemory &memory = hbm.of(dma.hbm.tensor);
  bool writes = dma.writesHbm();
  bool reads = !writes || dma.accumulate == Accumulate::Yes;
  auto where = [&](size_t element) {
    return "element " + std::to_string(element) + " of tensor '" + tensor.name +
           "' in HBM";
  };
  auto check = [&](size_t begin, size_t end) {
    auto conflict = writes ? memory.shadow->write(begin, end, now, order)
                           : memory.shadow->read(begin, end, now, order);
    if (conflict)
      return failRace(it, writes, where(conflict->cell), *conflict);
    return true;
  };
  auto checkDefined = [&](size_t begin, size_t end) {
    auto hole = memory.shadow ? memory.shadow->firstUnwritten(begin, end)
                              : std::optional<size_t>(begin);
    if (hole && !undefinedRead)
      noteUndefinedRead(describe(streams, it) + " reads " + where(*hole) +
                        ", which nothing stored. Store it before it is "
                        "loaded.");
  };
  for (int64_t row = 0; row < dma.parts; ++row)
    if (!forEachRun(it, window, row, [&](const HbmRun &run) {
          bool isDense = run.stride == 1 || run.count == 1;
          int64_t pieces = isDense ? 1 : run.count;
          int64_t width = isDense ? run.count : 1;
          for (int64_t i = 0; i < pieces; ++i) {
            size_t begin = run.offset + i * run.stride, end = begin + width;
            if (memory.shadow && !check(begin, end))
              return false;
            if (reads && !memory.isDefined)
              checkDefined(begin, end);
          }
          return true;
        }))
      return false;
  return true;
}

void Run::move(const Executed &it, const HbmWindow &window) {
  const Instruction &dma = *it.instruction;
  auto moveRow = dma.isIndexed() ? moveIndexedRow : movePlainRow;
  for (unsigned p = 0; p < dma.parts; ++p)
    moveRow(it, window, p, sbuf.row(p), hbm.of(dma.hbm.tensor).data);
}

bool Run::mayGoOn(int64_t elements) {
  // An event alone costs about as much as the arithmetic of some elements.
  work += 32 + elements;
  if (work < kWorkBetweenPolls)
    return true;
  work = 0;
  if (interrupted && interrupted())
    return fail(Fault::Timeout, "the execution was stopped from outside");
  return true;
}

bool Run::ran(const Executed &it, int64_t, int64_t) {
  const Instruction &instruction = *it.instruction;
  Stamp now = order.run(it);
  for (const Operand &source : instruction.src)
    if (!readTile(it, source, instruction.parts, now))
      return false;
  if (readsAcc(instruction) &&
      !readTile(it, instruction.acc, instruction.parts, now))
    return false;
  if (readsDst(instruction)) {
    const Operand &dst = instruction.dst;
    if (!readTile(it, dst, dstPartsOf(instruction), now))
      return false;
    size_t begin = it.offsetOf(dst);
    if (instruction.opcode == Opcode::Matmul)
      checkAccumulates(it, begin, begin + extentOf(dst));
  }
  if (!writeTile(it, instruction.dst, now) ||
      !writeTile(it, instruction.acc, now))
    return false;
  executor.run(it, sbuf);
  if (executor.hasDividedByZero())
    return fail(Fault::BadInput, "ZeroDivisionError\n" + describe(streams, it) +
                                     " divides an integer by zero.");
  order.finish(it);
  return mayGoOn(workOf(instruction));
}

bool Run::issued(const Executed &it, int64_t, int64_t) {
  order.issue(it);
  return mayGoOn(0);
}

bool Run::transferred(const Executed &it, int64_t, int64_t) {
  const Instruction &dma = *it.instruction;
  Stamp now = order.transfer(it);
  HbmWindow window(dma.hbm, it, elementsOf(dma));
  if (dma.isIndexed() && !checkIndices(it, now))
    return false;
  if (!accessHbm(it, window, now) ||
      !(dma.readsHbm() ? writeTile(it, dma.dst, now)
                       : readTile(it, dma.src[0], dma.parts, now)))
    return false;
  move(it, window);
  order.finish(it);
  return mayGoOn(elementsOf(dma) * dma.parts);
}

bool Run::met(const Executed &barrier) {
  if (undefinedRead)
    return fail(undefinedRead->fault, undefinedRead->message);
  order.barrier();
  if (barrier.endsKernel)
    sbuf.undefine();
  return mayGoOn(0);
}

class Interpreter final : public Executable {
public:
  explicit Interpreter(std::shared_ptr<const Program> program)
      : program(std::move(program)), streams(*this->program) {}

  Outcome run(std::span<const Buffer> buffers,
              const Interrupted &interrupted) override try {
    auto target = target::find(program->target);
    if (!target.ok())
      return {Fault::Internal, target.message()};
    auto hbm = Hbm::bind(streams, buffers);
    if (!hbm.ok())
      return {Fault::OutOfBounds, hbm.message()};
    auto run =
        std::make_unique<Run>(streams, **target, std::move(*hbm), interrupted);
    return run->run();
  } catch (const std::bad_alloc &) {
    return {Fault::Internal, "the simulator is out of host memory; it needs "
                             "several bytes for each element that the program "
                             "stores"};
  }

private:
  std::shared_ptr<const Program> program;
  Streams streams;
};

} // namespace

std::unique_ptr<Executable>
createInterpreter(std::shared_ptr<const Program> program) {
  return std::make_unique<Interpreter>(std::move(program));
}

} // namespace neuron::simulator
