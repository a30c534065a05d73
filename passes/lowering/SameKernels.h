//===- SameKernels.h - kernels that are lowered once ------------*- C++ -*-===//
//
// The layers of a network are the same kernels on other variables. What
// lowering sees of a chain of kernels is written down as numbers, without
// names, variables and locations; of chains with equal numbers the first is
// lowered, and the others are nisa.repeat of what it became.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "passes/lowering/RowKernel.h"
#include "llvm/ADT/MapVector.h"
#include <unordered_map>

namespace neuron::lowering {

/// Things, and where each stands among them.
template <typename T> struct Numbered {
  std::vector<T> all;
  llvm::DenseMap<T, unsigned> indices;

  unsigned insert(T one) {
    auto [entry, isNew] = indices.try_emplace(one, unsigned(all.size()));
    if (isNew)
      all.push_back(one);
    return entry->second;
  }
};

/// What lowering sees of a chain.
struct KernelSignature {
  /// Uniqued objects of the context by their addresses, and numbers. Variables
  /// and locations stand in it as where they appear first.
  std::vector<uintptr_t> words;
  Numbered<mlir::Value> variables;
  Numbered<mlir::Location> locations; ///< of ops, taken apart

  bool operator==(const KernelSignature &other) const {
    return words == other.words;
  }
};

/// A kernel and where its inputs and results lie.
struct PlacedKernel {
  ir::KernelOp kernel;
  KernelMemory memory;
};

/// Nothing if the kernels hold what signatures do not know.
std::optional<KernelSignature> signatureOf(llvm::ArrayRef<PlacedKernel> chain);

/// The chains that were lowered.
class SameKernels {
public:
  /// What a kernel was lowered to, of so many kernels of the chain.
  struct Emitted {
    nisa::KernelOp kernel;
    size_t stages;
  };

  /// Repeats what an equal chain was lowered to; false if none was.
  bool repeat(const KernelSignature &signature,
              llvm::ArrayRef<PlacedKernel> chain, mlir::OpBuilder &b);
  void add(KernelSignature signature, llvm::ArrayRef<Emitted> emitted);

  /// A repeat says by name what it repeats, so a kernel that shares its name
  /// with others of the function, and is repeated, gets one of its own.
  void nameApart(mlir::Block &function);

private:
  struct Hash {
    size_t operator()(const KernelSignature &signature) const {
      return llvm::hash_combine_range(signature.words);
    }
  };
  /// Which variables and locations of the signature the kernel has.
  struct Lowered {
    Emitted emitted;
    llvm::SmallVector<unsigned, 8> variables, locations;
  };
  std::unordered_map<KernelSignature, std::vector<Lowered>, Hash> known;
  llvm::MapVector<nisa::KernelOp, llvm::SmallVector<nisa::RepeatOp>> repeats;
};

} // namespace neuron::lowering
