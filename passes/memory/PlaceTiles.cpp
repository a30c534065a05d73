//===- PlaceTiles.cpp - SBUF and PSUM placement ---------------------------===//
//
// First fit over lifetimes. A tile lives from the first to the last op of its
// block that touches it, itself or inside a loop. Tiles of an inner block are
// placed beside all that live around that loop. Tiles in a loop are reused by
// the next iteration, and the schedule orders the accesses; those of several
// buffers live for the whole loop. SBUF and PSUM are placed each by itself; in
// PSUM every buffer of a tile starts on a bank.
//
// Two tiles that share bytes make an engine wait for another one, in the next
// iteration of the loop. So bytes are shared only where SBUF is short of them.
//
//===----------------------------------------------------------------------===//
#include "passes/memory/PlaceTiles.h"
#include "passes/memory/Passes.h"
#include "llvm/ADT/DenseMap.h"

namespace neuron::memory {
#define GEN_PASS_DEF_PLACETILES
#include "passes/memory/Passes.h.inc"
} // namespace neuron::memory

using namespace mlir;
using namespace neuron;

namespace {

constexpr int64_t kSbufAlignment = 8; ///< the widest element

struct Placed {
  int64_t offset, bytes;
};

class Placer {
public:
  Placer(nisa::MemorySpace space, bool commit, bool shares)
      : space(space), alignment(space == nisa::MemorySpace::PSUM
                                    ? target::defaultTarget().psumBankBytes
                                    : kSbufAlignment),
        commit(commit), shares(shares) {}

  int64_t run(nisa::KernelOp kernel) {
    placeBlock(kernel.getBody().front());
    return peak;
  }

private:
  int64_t bytesOf(nisa::AllocOp alloc) const {
    auto type = cast<MemRefType>(alloc.getTile().getType());
    int64_t element = program::bytesOf(*nisa::dtypeOf(type.getElementType()));
    int64_t one =
        llvm::alignTo(nisa::freeElements(alloc.getTile()) * element, alignment);
    return one * alloc.getBuffers();
  }

  void placeBlock(Block &block) {
    DenseMap<Operation *, size_t> index;
    size_t count = 0;
    for (Operation &op : block)
      index[&op] = count++;
    // First and last op of this block that touch a tile allocated in it.
    SmallVector<SmallVector<nisa::AllocOp>> starts(count), ends(count);
    for (auto alloc : block.getOps<nisa::AllocOp>()) {
      if (!nisa::isIn(alloc.getTile(), space))
        continue;
      size_t first = count, last = 0;
      for (Operation *user : usersOf(alloc)) {
        size_t at = index[block.findAncestorOpInBlock(*user)];
        first = std::min(first, at);
        last = std::max(last, at);
      }
      if (first > last)
        continue; // nobody touches it
      // Another iteration uses the other buffers: they are nobody else's.
      if (!shares || alloc.getBuffers() > 1)
        first = 0, last = count - 1;
      starts[first].push_back(alloc);
      ends[last].push_back(alloc);
    }
    size_t at = 0;
    for (Operation &op : block) {
      for (nisa::AllocOp alloc : starts[at])
        offsetOf[alloc] = place(alloc);
      if (auto loop = dyn_cast<nisa::LoopOp>(op))
        placeBlock(loop.getBody().front());
      for (nisa::AllocOp alloc : ends[at])
        taken.erase(llvm::lower_bound(taken, offsetOf[alloc], isBefore));
      ++at;
    }
  }

  static bool isBefore(const Placed &placed, int64_t offset) {
    return placed.offset < offset;
  }

  /// In the first gap that is wide enough; returns the offset.
  int64_t place(nisa::AllocOp alloc) {
    int64_t bytes = bytesOf(alloc), offset = 0;
    for (const Placed &other : taken) {
      if (offset + bytes <= other.offset)
        break;
      offset = std::max(offset, other.offset + other.bytes);
    }
    peak = std::max(peak, offset + bytes);
    if (commit) {
      Builder b(alloc.getContext());
      alloc.setOffsetAttr(b.getI64IntegerAttr(offset));
      if (alloc.getBuffers() > 1)
        alloc.setPitchAttr(b.getI64IntegerAttr(bytes / alloc.getBuffers()));
    }
    taken.insert(llvm::lower_bound(taken, offset, isBefore), {offset, bytes});
    return offset;
  }

  /// Instructions on the tile or a part of it.
  static SmallVector<Operation *> usersOf(nisa::AllocOp alloc) {
    SmallVector<Operation *> users;
    for (Operation *user : alloc.getTile().getUsers()) {
      if (auto subtile = dyn_cast<nisa::SubtileOp>(user))
        llvm::append_range(users, subtile.getView().getUsers());
      else
        users.push_back(user);
    }
    return users;
  }

  nisa::MemorySpace space;
  int64_t alignment;
  bool commit, shares;
  SmallVector<Placed> taken; ///< by what lives now, in order
  DenseMap<Operation *, int64_t> offsetOf;
  int64_t peak = 0;
};

struct PlaceTiles final : neuron::memory::impl::PlaceTilesBase<PlaceTiles> {
  using Base::Base;

  void runOnOperation() override {
    getOperation().walk([&](nisa::KernelOp kernel) {
      memory::Peak peak = memory::placeTiles(kernel, sbufBytes);
      if (peak.sbuf > sbufBytes) {
        kernel.emitOpError("M1: tiles need ")
            << peak.sbuf << " bytes a partition, SBUF has "
            << int64_t(sbufBytes);
        signalPassFailure();
      }
      if (peak.psum > psumBytes) {
        kernel.emitOpError("M2: tiles need ")
            << peak.psum << " bytes a partition in whole banks, PSUM has "
            << int64_t(psumBytes);
        signalPassFailure();
      }
    });
  }
};

} // namespace

int64_t memory::peakBytes(nisa::KernelOp kernel) {
  return Placer(nisa::MemorySpace::SBUF, /*commit=*/false, /*shares=*/true)
      .run(kernel);
}

int64_t memory::peakPsumBytes(nisa::KernelOp kernel) {
  return Placer(nisa::MemorySpace::PSUM, /*commit=*/false, /*shares=*/true)
      .run(kernel);
}

memory::Peak memory::placeTiles(nisa::KernelOp kernel, int64_t sbufBytes) {
  auto place = [&](nisa::MemorySpace space, bool commit, bool shares) {
    return Placer(space, commit, shares).run(kernel);
  };
  using nisa::MemorySpace;
  bool shares = place(MemorySpace::SBUF, false, false) > sbufBytes;
  return {place(MemorySpace::SBUF, true, shares),
          place(MemorySpace::PSUM, true, true)};
}
