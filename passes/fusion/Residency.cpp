//===- Residency.cpp - what a kernel holds on chip ------------------------===//
#include "passes/fusion/Residency.h"
#include "dialects/neuron/Neuron.h"

using namespace mlir;
using namespace neuron::ir;
using namespace neuron::fusion;

unsigned neuron::fusion::passesOf(Operation *op) {
  if (isa<RmsNormOp>(op))
    return 1;
  if (isa<ScanOp, SortOp, ArgsortOp>(op))
    return 0;
  if (isa<NamedOpInterface>(op))
    return 2;
  if (isa<ReductionOpInterface>(op))
    return 1;
  return 0;
}

Residency::Lifetime &Residency::change(Value value) {
  auto it = lifetimes.find(value);
  if (saved)
    saved->old.push_back({value, it == lifetimes.end()
                                     ? std::nullopt
                                     : std::optional(it->second)});
  return it == lifetimes.end() ? lifetimes[value] : it->second;
}

void Residency::hold(const Operand &operand, unsigned first, unsigned last,
                     int sign) {
  if (held.size() < last)
    held.resize(last, 0);
  if (!operand.rowInvariant)
    for (unsigned pass = first; pass < last; ++pass)
      held[pass] += sign * operand.rowBytes;
}

void Residency::extend(const Operand &operand, unsigned first, unsigned last) {
  bool isNew = !lifetimes.contains(operand.value);
  if (!isNew && lifetimes.lookup(operand.value).last >= last)
    return;
  Lifetime &life = change(operand.value);
  if (isNew) {
    life = {first, first};
    if (operand.rowInvariant)
      invariant += operand.rowBytes;
  }
  if (last <= life.last)
    return;
  hold(operand, life.last, last, 1);
  life.last = last;
}

/// Reads the operands of an op; returns the pass after which it has its result.
unsigned Residency::read(Operation *op, ArrayRef<Operand> operands) {
  unsigned start = 0;
  for (const Operand &operand : operands)
    if (operand.computed)
      start = std::max(start, pass(operand.value));
  unsigned end = start + passesOf(op);
  // A named op reads its operand again in its last pass, a reduction does not.
  unsigned lastRead = isa<NamedOpInterface>(op) ? end : start;
  for (const Operand &operand : operands)
    extend(operand, start, lastRead);
  return end;
}

void Residency::add(Operation *op, ArrayRef<Operand> operands) {
  unsigned end = read(op, operands);
  change(op->getResult(0)) = {end, end};
}

bool Residency::delay(Operation *op, ArrayRef<Operand> operands,
                      const Operand &result) {
  unsigned end = read(op, operands);
  Lifetime &life = change(result.value);
  if (end <= life.first)
    return false;
  hold(result, life.first, life.last, -1);
  life = {end, std::max(end, life.last)};
  hold(result, life.first, life.last, 1);
  return true;
}

int64_t Residency::bytes() const {
  int64_t most = 0;
  for (int64_t bytes : held)
    most = std::max(most, bytes);
  return most ? most + invariant : 0;
}

void Residency::begin() { saved = Saved{held, invariant, {}}; }

void Residency::commit() { saved.reset(); }

void Residency::rollback() {
  held = std::move(saved->held);
  invariant = saved->invariant;
  for (auto &[value, old] : llvm::reverse(saved->old)) {
    if (old)
      lifetimes[value] = *old;
    else
      lifetimes.erase(value);
  }
  saved.reset();
}
