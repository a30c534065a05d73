//===- Residency.cpp - what a kernel holds on chip ------------------------===//
#include "passes/fusion/Residency.h"
#include "dialects/neuron/Neuron.h"

using namespace mlir;
using namespace neuron::ir;
using namespace neuron::fusion;

unsigned neuron::fusion::passesOf(Operation *op) {
  if (isa<RmsNormOp>(op))
    return 1;
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
  if (held.size() < last)
    held.resize(last, 0);
  if (!operand.rowInvariant)
    for (unsigned pass = life.last; pass < last; ++pass)
      held[pass] += operand.rowBytes;
  life.last = last;
}

void Residency::add(Operation *op, ArrayRef<Operand> operands) {
  unsigned start = 0;
  for (const Operand &operand : operands)
    if (operand.computed)
      start = std::max(start, pass(operand.value));
  unsigned end = start + passesOf(op);
  // A named op reads its operand again in its last pass, a reduction does not.
  unsigned lastRead = isa<NamedOpInterface>(op) ? end : start;
  for (const Operand &operand : operands)
    extend(operand, start, lastRead);
  change(op->getResult(0)) = {end, end};
}

void Residency::use(Operation *op, const Operand &operand) {
  unsigned end = pass(op->getResult(0));
  unsigned last = isa<ReductionOpInterface>(op) && end ? end - 1 : end;
  extend(operand, last, last);
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
