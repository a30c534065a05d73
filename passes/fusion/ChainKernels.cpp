//===- ChainKernels.cpp - marks kernels that run on another's rows --------===//
//
// Passes.td says what for. A kernel is chained to at most one, and at most one
// to it. Whether the tiles of a chain fit SBUF together is found when they are
// emitted; if they do not, the kernels run one after the other.
//
//===----------------------------------------------------------------------===//
#include "mlir/IR/Remarks.h"
#include "passes/fusion/Chain.h"
#include "passes/fusion/Passes.h"

namespace neuron::fusion {
#define GEN_PASS_DEF_CHAINKERNELS
#include "passes/fusion/Passes.h.inc"
} // namespace neuron::fusion

using namespace mlir;
using namespace neuron::ir;
using namespace neuron::fusion;

namespace {

struct ChainKernelsPass final
    : neuron::fusion::impl::ChainKernelsBase<ChainKernelsPass> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<KernelOp> kernels(getOperation().getOps<KernelOp>());
    // The first kernel of the chain that ends in a kernel, if there is one.
    DenseMap<Operation *, Operation *> firstOf;
    DenseSet<Operation *> hasSuccessor;
    for (KernelOp consumer : kernels) {
      firstOf[consumer] = consumer;
      KernelOp producer = chainProducer(consumer);
      if (!producer || hasSuccessor.contains(producer))
        continue;
      SmallVector<Operation *> chain = chainEndingIn(producer, firstOf);
      if (!canMove(chain, consumer) || readsEarlier(chain, consumer))
        continue;
      moveBefore(chain, consumer);
      consumer->setAttr(kChainedAttr, UnitAttr::get(&getContext()));
      hasSuccessor.insert(producer);
      firstOf[consumer] = firstOf.lookup(producer);
      remark::passed(consumer.getLoc(),
                     remark::RemarkOpts::name("Chained").category("fusion"))
          << ("kernel " + consumer.getSym() + " takes its rows from kernel " +
              producer.getSym() + " on chip")
                 .str();
    }
  }

  /// The kernels of a chain, which stand one behind the other.
  static SmallVector<Operation *>
  chainEndingIn(Operation *last,
                const DenseMap<Operation *, Operation *> &firstOf) {
    SmallVector<Operation *> chain;
    for (Operation *op = firstOf.lookup(last);; op = op->getNextNode()) {
      chain.push_back(op);
      if (op == last)
        return chain;
    }
  }

  /// Nothing between reads what the chain makes.
  static bool canMove(ArrayRef<Operation *> chain, Operation *consumer) {
    DenseSet<Operation *> moved(chain.begin(), chain.end());
    SmallVector<Operation *> readers(chain);
    while (!readers.empty()) {
      for (Operation *user : readers.pop_back_val()->getUsers()) {
        if (moved.contains(user) || !user->isBeforeInBlock(consumer))
          continue;
        // Reshapes go along.
        if (!isa<ReshapeOp>(user))
          return false;
        readers.push_back(user);
      }
    }
    return true;
  }

  /// Whether the consumer reads what a kernel before the last of the chain
  /// writes to HBM, in the same loop.
  static bool readsEarlier(ArrayRef<Operation *> chain, Operation *consumer) {
    for (Value input : consumer->getOperands()) {
      Operation *maker = behindReshapes(input).getDefiningOp();
      if (maker != chain.back() && llvm::is_contained(chain, maker))
        return true;
    }
    return false;
  }

  static void moveBefore(ArrayRef<Operation *> chain, Operation *consumer) {
    SmallVector<Operation *> reshapes;
    for (Operation *op : chain)
      collectReshapes(op, consumer, chain.back(), reshapes);
    for (Operation *op : chain)
      op->moveBefore(consumer);
    // Behind the whole chain; those inside it lie before its end already.
    for (Operation *op : reshapes)
      op->moveBefore(consumer);
  }

  static void collectReshapes(Operation *op, Operation *consumer,
                              Operation *last,
                              SmallVectorImpl<Operation *> &reshapes) {
    for (Operation *user : op->getUsers())
      if (isa<ReshapeOp>(user) && user->isBeforeInBlock(consumer) &&
          last->isBeforeInBlock(user) && !llvm::is_contained(reshapes, user)) {
        reshapes.push_back(user);
        collectReshapes(user, consumer, last, reshapes);
      }
  }
};

} // namespace
