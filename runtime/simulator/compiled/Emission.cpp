//===- Emission.cpp - all segments of a program as an object file ---------===//
#include "runtime/simulator/compiled/Emission.h"
#include "runtime/program/Encoding.h"
#include "runtime/simulator/compiled/HostCode.h"
#include "runtime/simulator/compiled/HostTarget.h"
#include "runtime/simulator/compiled/Liveness.h"
#include "runtime/simulator/compiled/Moves.h"
#include "runtime/simulator/compiled/SegmentEmitter.h"
#include <algorithm>
#include <map>

namespace neuron::simulator::compiled {
using namespace program;

namespace {

/// Emitted operations of a program, about; what is beyond runs in steps. Native
/// code of this size takes about a second to make.
constexpr unsigned kProgramLimit = 60000;
/// And of one segment: a function's compile time grows faster than its size.
constexpr unsigned kSegmentLimit = 4000;

/// The block as a program's nodes, without what code does not depend on.
std::vector<Node> nodesOf(const Block &block, const Segment &segment) {
  std::vector<Node> nodes;
  for (const Item &item : block.items) {
    if (item.body) {
      nodes.push_back(Loop{item.count, nodesOf(*item.body, segment)});
      continue;
    }
    Instruction it = *item.instruction;
    if (it.isDma())
      it.hbm.tensor = static_cast<uint32_t>(std::find(segment.tensors.begin(),
                                                      segment.tensors.end(),
                                                      it.hbm.tensor) -
                                            segment.tensors.begin());
    it.waits.clear();
    it.signal = false;
    it.location = 0;
    nodes.push_back(std::move(it));
  }
  return nodes;
}

/// The bytes that a segment writes and others read, as text.
std::string outsideReadsOf(const KernelPlan &kernel, const Segment &segment) {
  if (!kernel.keepsSbuf)
    return "";
  std::string text = "keeps";
  forEachItem(segment.body, [&](const Block &, const Item &item) {
    if (!item.instruction)
      return;
    bool isRead = false;
    for (const Operand *written :
         {&item.instruction->dst, &item.instruction->acc})
      for (const ByteRange &read : kernel.outsideReads)
        isRead |= written->isTile() && bytesOf(*written).overlaps(read);
    text += isRead ? '1' : '0';
  });
  return text;
}

/// Equal for segments that one function can run.
std::vector<uint8_t> signatureOf(const Plan &plan, const Program &program,
                                 const Segment &segment,
                                 const KernelPlan &kernel) {
  Program part;
  part.target = outsideReadsOf(kernel, segment);
  Tensor stub;
  for (uint32_t tensor : segment.tensors) {
    stub.dtype = program.tensors[tensor].dtype;
    // Which of them share memory.
    stub.aliasedInput = static_cast<int32_t>(
        std::find_if(segment.tensors.begin(), segment.tensors.end(),
                     [&](uint32_t other) {
                       return plan.memoryOf[other] == plan.memoryOf[tensor];
                     }) -
        segment.tensors.begin());
    part.tensors.push_back(stub);
  }
  stub = {};
  stub.span = segment.body.depth;
  part.tensors.push_back(stub);
  part.kernels.push_back({"", nodesOf(segment.body, segment)});
  return encode(part);
}

std::vector<TileWrite> writesOf(const Segment &segment) {
  std::vector<TileWrite> writes;
  forEachItem(segment.body, [&](const Block &, const Item &item) {
    if (!item.instruction)
      return;
    const Instruction &it = *item.instruction;
    for (const Operand *tile : {&it.dst, &it.acc})
      if (tile->isTile())
        writes.push_back(
            {bytesOf(*tile), it.parts,
             tile->buffers == 1 && (tile->stride == 1 || tile->elems == 1)});
  });
  return writes;
}

const KernelPlan &kernelOf(const Plan &plan, size_t segment) {
  return plan.kernels[plan.segments[segment]->kernel];
}

} // namespace

void analyseSbuf(Plan &plan) {
  for (KernelPlan &kernel : plan.kernels) {
    bool isOneSegment = kernel.phases.empty() ||
                        (kernel.phases.size() == 1 &&
                         kernel.phases[0].kind == Phase::Kind::Segment);
    if (isOneSegment)
      continue;
    std::vector<ByteRange> reads, writes;
    for (size_t i = kernel.firstSegment; i < kernel.endSegment; ++i) {
      Dataflow flow(*plan.segments[i]);
      plan.segments[i]->reads = flow.unresolved();
      plan.segments[i]->writes = writesOf(*plan.segments[i]);
      reads.insert(reads.end(), flow.unresolved().begin(),
                   flow.unresolved().end());
      writes.insert(writes.end(), flow.writes().begin(), flow.writes().end());
    }
    // What a run writes is read by segments, which know nothing of it, or by
    // another run.
    kernel.keepsSbuf = kernel.firstTensorRun != kernel.endTensorRun;
    for (size_t i = kernel.firstTensorRun; i < kernel.endTensorRun; ++i)
      for (const Executed &it : plan.tensorRuns[i].instructions)
        for (unsigned s = 0; s < kNumSlots; ++s)
          if (const Operand *tile = readBy(*it.instruction, Slot(s))) {
            reads.push_back(bytesOf(*tile));
            if (!tile->isInPsum())
              kernel.operands.push_back(bytesOf(*tile));
          }
    for (const ByteRange &read : reads)
      for (const ByteRange &write : writes)
        kernel.keepsSbuf |= read.overlaps(write);
    if (!kernel.keepsSbuf)
      continue;
    kernel.outsideReads.assign(reads.begin(), reads.end());
    // Each partition has a row of its own: instruction by instruction is right.
    for (size_t i = kernel.firstSegment; i < kernel.endSegment; ++i)
      plan.segments[i]->isMoves = isMoves(*plan.segments[i]);
    analyseLiveness(plan, kernel);
  }
}

Functions functionsOf(const Plan &plan, const Program &program) {
  Functions functions;
  std::map<std::vector<uint8_t>, size_t> known;
  for (size_t i = 0; i < plan.segments.size(); ++i) {
    if (plan.segments[i]->isMoves) {
      functions.ofSegment.push_back(Functions::kNone);
      continue;
    }
    auto [at, isNew] = known.try_emplace(
        signatureOf(plan, program, *plan.segments[i], kernelOf(plan, i)),
        functions.names.size());
    if (isNew)
      functions.names.push_back("segment_" + std::to_string(i));
    functions.ofSegment.push_back(at->second);
  }
  return functions;
}

Result<std::string> emitObject(const Plan &plan, const Program &program,
                               const Functions &functions) {
  llvm::LLVMContext context;
  llvm::Module module("neuron_program", context);
  std::vector<bool> isEmitted(functions.names.size());
  unsigned left = kProgramLimit;
  for (size_t i = 0; i < plan.segments.size(); ++i) {
    size_t function = functions.ofSegment[i];
    if (function == Functions::kNone || isEmitted[function])
      continue;
    isEmitted[function] = true;
    const Segment &segment = *plan.segments[i];
    const KernelPlan &kernel = kernelOf(plan, i);
    Dataflow flow(segment);
    flow.addOutsideReads(kernel.outsideReads);
    unsigned limit = std::min(left, kSegmentLimit);
    Schedule schedule(plan, program, segment, flow, limit);
    unsigned size = 0;
    for (Index index = 0; index < flow.size(); ++index)
      size += emittedSize(*flow[index].it);
    left -= std::min(size, limit);
    SegmentEmitter(module, program, segment, flow, schedule,
                   hostCpu().vectorBits, kernel.keepsSbuf)
        .emit(functions.names[function]);
  }
  return compileModule(module);
}

} // namespace neuron::simulator::compiled
