//===- SegmentEmitter.h - a segment as LLVM IR ------------------*- C++ -*-===//
//
// One function a segment (RowContext.h): a loop over the partitions, in it the
// segment's loops, in them the groups of the schedule.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "runtime/simulator/compiled/EmitFunctions.h"
#include "runtime/simulator/compiled/Emitted.h"
#include "runtime/simulator/compiled/Schedule.h"
#include "llvm/IR/Module.h"
#include <functional>
#include <map>

namespace neuron::simulator::compiled {

using program::DType;
using program::Fn;

/// A register with its type. Exact: its bits are those that memory shall have;
/// if not, its NaNs have to be made the canonical one before they are seen.
/// Bytes: a bool as it was in memory, not as i1, since moves keep a byte that
/// is neither 0 nor 1.
struct Value {
  llvm::Value *reg = nullptr;
  DType dtype = DType::F32;
  bool exact = true;
  bool bytes = false;
};

class SegmentEmitter {
public:
  /// `vectorBits`: of the host's registers. `keepsSbuf`: KernelPlan.
  SegmentEmitter(llvm::Module &module, const program::Program &program,
                 const Segment &segment, const Dataflow &flow,
                 Schedule &schedule, unsigned vectorBits, bool keepsSbuf);

  llvm::Function *emit(const std::string &name);

private:
  using Key = std::pair<Index, unsigned>; ///< instruction, slot; or 0 for dst,
                                          ///< 1 for acc

  /// The lanes of a reduction.
  struct Lanes {
    Index index;
    semantics::Reduction reduction;
    DType compute;
    llvm::Value *memory = nullptr;   ///< if the lanes are there
    std::vector<llvm::Value *> regs; ///< else
  };
  /// One step of a vector loop: the first column, and which of the vectors that
  /// make up all lanes it goes to, if that is known.
  struct Step {
    llvm::Value *column;
    unsigned laneVector;
    unsigned count; ///< columns, of the width
  };

  /// A part of the segment's own block with its own loop over the partitions.
  struct Stretch {
    const Item *loop = nullptr; ///< or else
    llvm::ArrayRef<Group> groups = {};
    bool isUniform = true; ///< once is enough for all partitions
  };

  // SegmentEmitter.cpp: structure
  void prepare(const Block &block);
  void emitBlock(const Block &block);
  std::optional<std::vector<Stretch>> stretches() const;
  void emitStretches(const std::vector<Stretch> &all);
  void emitGroups(llvm::ArrayRef<Group> rest);
  void emitLoop(const Item &loop, const std::function<void()> &body);
  void emitPartitions(int64_t cost, const std::function<void()> &body);
  void emitPoll(int64_t cost);
  void emitGuarded(llvm::ArrayRef<Group> some);
  /// Instructions [first, end) of the segment, by the interpreter.
  void emitStepCalls(Index first, Index end);
  void emitReturnIf(llvm::Value *condition);
  /// for (i = begin; i < end; i += step) body(i), begin < end.
  void emitCountedLoop(llvm::Value *begin, llvm::Value *end, int64_t step,
                       const std::function<void(llvm::Value *)> &body);
  llvm::Value *contextField(size_t offset, llvm::Type *type);
  llvm::AllocaInst *emitAlloca(llvm::Type *type, const char *name);
  int64_t costOf(const Block &block) const;

  // EmitAddress.cpp
  llvm::Value *valueOf(const program::Affine &affine);
  llvm::Value *offsetIn(llvm::Value *index, const std::vector<int64_t> &sizes,
                        const std::vector<int64_t> &strides);
  /// The first element of the window in the current iteration and partition.
  llvm::Value *hbmPointer(Index dma);
  llvm::Value *sbufPointer(const Operand &tile, const Block &block);
  llvm::Value *elementPointer(llvm::Value *base, DType dtype,
                              llvm::Value *index);
  Value loadElements(llvm::Value *pointer, DType dtype, unsigned count);
  void storeElements(llvm::Value *pointer, const Value &value, unsigned count);

  // EmitGroup.cpp
  void emitGroup(const Group &group);
  void emitScalarGroup(const Group &group);
  void emitVectorGroup(const Group &group);
  void hoist(Index index);
  void emitSteps(const Group &group, std::vector<Lanes> &lanes);
  void emitColumns(const Group &group, std::vector<Lanes> &lanes,
                   llvm::Value *first, int64_t columns);
  void addBlock(Lanes &total, const Lanes &block);
  void emitLoopWithLanes(llvm::Value *begin, llvm::Value *end,
                         int64_t stepColumns, std::vector<Lanes> &lanes,
                         const std::function<void(llvm::Value *)> &body);
  Lanes makeLanes(Index index);
  void putInMemory(Lanes &lanes);
  void emitStep(const Group &group, std::vector<Lanes> &lanes,
                const Step &step);
  void finishReduction(Lanes &lanes);
  llvm::Value *reduceLanes(Lanes &lanes);
  void accumulate(Lanes &lanes, const Step &step, llvm::Value *x);
  void finishGroup();

  // EmitInstruction.cpp
  void emitMember(Index index, std::vector<Lanes> *lanes, const Step &step);
  Value operand(Index index, Slot slot, const Step &step);
  Value immediateOf(const Operand &operand);
  Value operandAs(Index index, Slot slot, DType dtype, const Step &step);
  Value apply(Fn fn, DType compute, std::initializer_list<Value> operands);
  Value hardwareCast(Value value, DType to);
  Value torchCast(Value value, DType to);
  llvm::Value *exactBits(const Value &value);
  /// A bool as i1.
  Value plain(Value value);
  Value elementwise(Index index, const Step &step);
  Value selectBits(Value condition, Value a, Value b);
  Value activationInput(Index index, const Step &step);
  Value iota(Index index, const Step &step);
  void defineDst(Index index, Value value, const Step &step);
  Value singleOperand(Index index, Slot slot);

  llvm::Module &module;
  llvm::LLVMContext &context;
  llvm::IRBuilder<> builder;
  const program::Program &program;
  const Segment &segment;
  const Dataflow &flow;
  Schedule &schedule;
  const unsigned vectorWidth;
  const bool keepsSbuf;

  llvm::Function *function = nullptr;
  llvm::Value *contextArgument = nullptr, *firstPartition = nullptr,
              *endPartition = nullptr;
  llvm::Value *partition = nullptr; ///< current
  llvm::Value *sbufRow = nullptr;   ///< of the current partition
  llvm::BasicBlock *stopped = nullptr;
  llvm::AllocaInst *countersMemory = nullptr; ///< for steps
  std::vector<llvm::Value *> counters;
  std::map<const Block *, std::vector<Group>> groups;

  // The current group.
  std::map<Key, Value> registers;        ///< of the current step
  std::map<Key, Value> hoisted;          ///< single operands, converted
  std::map<Key, llvm::Value *> pointers; ///< of row operands, by slot
  std::map<Index, Value> images;         ///< loaded in the current step
  std::vector<std::pair<Index, llvm::Value *>> divisions; ///< flags (i8 *)

  /// One-element results of all groups so far, as plain values.
  std::map<Key, Value> scalars;
};

} // namespace neuron::simulator::compiled
