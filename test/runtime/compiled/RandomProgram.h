//===- RandomProgram.h - device programs for differential tests -*- C++ -*-===//
//
// Random but valid programs: instructions of all kinds on tiles that share and
// reuse few bytes of SBUF and PSUM, in loops, with barriers between all of
// them, so that there are no races. SBUF and PSUM are initialised first.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "runtime/program/Builder.h"
#include <random>

namespace neuron::program {

struct RandomProgramOptions {
  bool storesAllOfSbuf = true; ///< at the end, so that every byte counts
  unsigned instructions = 12;
  /// Float functions and types only, as most kernels are.
  bool onlyFloat = false;
  /// Mostly loads, transposes, copies and products of each other's results.
  bool mostlyMoves = false;
};

class RandomProgram {
public:
  RandomProgram(unsigned seed, RandomProgramOptions options);
  Program make();

private:
  size_t below(size_t limit) { return random() % limit; }
  bool oneIn(size_t n) { return below(n) == 0; }
  template <typename T> const T &any(const std::vector<T> &list) {
    return list[below(list.size())];
  }

  DType anyDType();
  Operand anyTile(DType dtype, uint32_t elems);
  Operand anyScalar();
  Operand anyImmediate(DType dtype);
  Fn anyFunction(bool onEngine, unsigned arity, DType compute);
  HbmAccess anyWindow(uint32_t tensor, int64_t elems, bool stores);
  void addInstruction(std::vector<Node> &body, unsigned depth);
  Instruction anyInstruction(unsigned depth);
  Instruction anyTensorInstruction();
  Instruction anyMove();
  Operand anyRecent(DType dtype, uint32_t elems);
  bool append(std::vector<Node> &body, Instruction it);
  void addIndexed(std::vector<Node> &body);
  void addNodes(std::vector<Node> &body, unsigned depth, unsigned count);

  std::mt19937 random;
  RandomProgramOptions options;
  Builder b;
  std::vector<uint32_t> inputs, loadable, stored;
  std::vector<int64_t> counts; ///< of the loops around
  std::vector<Operand> recent; ///< what moves have written
  uint16_t parts;
  int64_t elems; ///< of most tiles
};

} // namespace neuron::program
