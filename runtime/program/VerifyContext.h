//===- VerifyContext.h - what the rules of Verify share ---------*- C++ -*-===//
//
// Private to the verifier: where it is in the program, and the first failure.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "compiler/target/Target.h"
#include "runtime/program/Verify.h"

namespace neuron::program {

struct VerifyContext {
  explicit VerifyContext(const Program &program) : program(program) {}

  const Program &program;
  const target::Target *target = nullptr;

  // Where we are.
  const Kernel *kernel = nullptr;
  const Instruction *instruction = nullptr;
  size_t index = 0; ///< of the instruction in its kernel, as the dump counts
  std::vector<int64_t> counts; ///< of the enclosing loops, outermost first

  std::optional<Error> failure;

  /// Records the failure; false, so that checks chain with &&.
  bool fail(Rule rule, const std::string &what);
  bool require(bool condition, Rule rule, const char *what) {
    return condition || fail(rule, what);
  }
  bool isInLoop() const { return !counts.empty(); }
};

/// Everything about one instruction but what depends on others.
bool verifyInstruction(VerifyContext &context);
/// What the rules of PSUM and of the Tensor engine say.
bool verifyTensorEngine(VerifyContext &context);
/// The window of a DMA.
bool verifyAccess(VerifyContext &context, int64_t elems);
/// `affine` is defined wherever the instruction stands.
bool verifyAffine(VerifyContext &context, const Affine &affine,
                  const char *what);

} // namespace neuron::program
