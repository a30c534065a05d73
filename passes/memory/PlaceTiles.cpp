//===- PlaceTiles.cpp - SBUF placement
//-----------------------------------------===//
//
// First fit over lifetimes. A tile lives from the first to the last op of its
// block that touches it, itself or inside a loop. Tiles of an inner block are
// placed beside all that live around that loop. Tiles in a loop are reused by
// the next iteration, and the schedule orders the accesses; those of several
// buffers live for the whole loop.
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

constexpr int64_t kAlignment = 8; ///< the widest element

struct Placed {
  int64_t offset, bytes;
};

class Placer {
public:
  Placer(bool commit) : commit(commit) {}

  int64_t run(nisa::KernelOp kernel) {
    placeBlock(kernel.getBody().front(), {});
    return peak;
  }

private:
  static int64_t bytesOf(nisa::AllocOp alloc) {
    auto type = cast<MemRefType>(alloc.getTile().getType());
    int64_t element = program::bytesOf(*nisa::dtypeOf(type.getElementType()));
    int64_t one = llvm::alignTo(nisa::freeElements(alloc.getTile()) * element,
                                kAlignment);
    return one * alloc.getBuffers();
  }

  void placeBlock(Block &block, SmallVector<Placed> around) {
    DenseMap<Operation *, size_t> index;
    size_t count = 0;
    for (Operation &op : block)
      index[&op] = count++;
    // First and last op of this block that touch a tile allocated in it.
    DenseMap<Operation *, std::pair<size_t, size_t>> lives;
    SmallVector<SmallVector<nisa::AllocOp>> starts(count), ends(count);
    for (auto alloc : block.getOps<nisa::AllocOp>()) {
      size_t first = count, last = 0;
      for (Operation *user : alloc.getTile().getUsers()) {
        size_t at = index[block.findAncestorOpInBlock(*user)];
        first = std::min(first, at);
        last = std::max(last, at);
      }
      if (first > last)
        continue; // nobody touches it
      // Another iteration uses the other buffers: they are nobody else's.
      if (alloc.getBuffers() > 1)
        first = 0, last = count - 1;
      starts[first].push_back(alloc);
      ends[last].push_back(alloc);
    }
    DenseMap<Operation *, Placed> live;
    size_t at = 0;
    for (Operation &op : block) {
      for (nisa::AllocOp alloc : starts[at])
        live[alloc] = place(alloc, around, live);
      if (auto loop = dyn_cast<nisa::LoopOp>(op)) {
        SmallVector<Placed> inner = around;
        for (auto &entry : live)
          inner.push_back(entry.second);
        placeBlock(loop.getBody().front(), std::move(inner));
      }
      for (nisa::AllocOp alloc : ends[at])
        live.erase(alloc);
      ++at;
    }
  }

  Placed place(nisa::AllocOp alloc, ArrayRef<Placed> around,
               const DenseMap<Operation *, Placed> &live) {
    SmallVector<Placed> taken(around);
    for (auto &entry : live)
      taken.push_back(entry.second);
    llvm::sort(taken, [](const Placed &a, const Placed &b) {
      return a.offset < b.offset;
    });
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
    return {offset, bytes};
  }

  bool commit;
  int64_t peak = 0;
};

struct PlaceTiles final : neuron::memory::impl::PlaceTilesBase<PlaceTiles> {
  using Base::Base;

  void runOnOperation() override {
    getOperation().walk([&](nisa::KernelOp kernel) {
      int64_t peak = memory::placeTiles(kernel);
      if (peak > sbufBytes) {
        kernel.emitOpError("M1: tiles need ")
            << peak << " bytes a partition, SBUF has " << int64_t(sbufBytes);
        signalPassFailure();
      }
    });
  }
};

} // namespace

int64_t memory::peakBytes(nisa::KernelOp kernel) {
  return Placer(false).run(kernel);
}

int64_t memory::placeTiles(nisa::KernelOp kernel) {
  return Placer(true).run(kernel);
}
