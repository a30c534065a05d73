//===- Binding.cpp - the memory of the tensors of a run -------------------===//
#include "runtime/simulator/compiled/Binding.h"
#include <algorithm>

namespace neuron::simulator::compiled {
using namespace program;

namespace {

constexpr size_t kAlignment = 64;

size_t roundedUp(size_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

Error bufferError(const Tensor &tensor, const std::string &what) {
  return Error{"tensor '" + tensor.name + "' " + what + "; it needs " +
               std::to_string(tensor.bytes()) + " bytes"};
}

struct Range {
  const uint8_t *begin, *end;
  bool isStored;
};

bool hasOverlap(std::vector<Range> &ranges) {
  std::sort(ranges.begin(), ranges.end(),
            [](const Range &a, const Range &b) { return a.begin < b.begin; });
  const uint8_t *end = nullptr, *storedEnd = nullptr;
  for (const Range &range : ranges) {
    if (range.begin < storedEnd || (range.isStored && range.begin < end))
      return true;
    end = std::max(end, range.end);
    if (range.isStored)
      storedEnd = std::max(storedEnd, range.end);
  }
  return false;
}

} // namespace

MemoryPool::Block MemoryPool::take() {
  std::lock_guard lock(mutex);
  if (blocks.empty())
    return bytes ? Block(bytes) : Block();
  Block block = std::move(blocks.back());
  blocks.pop_back();
  return block;
}

void MemoryPool::give(Block block) {
  if (!block)
    return;
  std::lock_guard lock(mutex);
  blocks.push_back(std::move(block));
}

size_t scratchBytesOf(const Program &program) {
  size_t bytes = 0;
  for (const Tensor &tensor : program.tensors)
    if (tensor.kind == TensorKind::Scratch)
      bytes += roundedUp(static_cast<size_t>(tensor.bytes()));
  return bytes;
}

Result<Binding> bind(const Program &program, std::span<const Buffer> buffers,
                     uint8_t *scratch) {
  const auto &tensors = program.tensors;
  if (buffers.size() != tensors.size())
    return Error{std::to_string(buffers.size()) + " buffers for " +
                 std::to_string(tensors.size()) + " tensors"};
  Binding binding;
  std::vector<Range> ranges;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const Tensor &tensor = tensors[i];
    const Buffer &buffer = buffers[i];
    uint8_t *data = buffer.data;
    if (tensor.kind == TensorKind::Constant) {
      data = const_cast<uint8_t *>(tensor.data.data()); // verify: only read
    } else if (tensor.kind == TensorKind::Scratch) {
      data = scratch;
      scratch += roundedUp(static_cast<size_t>(tensor.bytes()));
    } else if (tensor.aliasedInput >= 0) {
      uint8_t *input = buffers[tensor.aliasedInput].data;
      if (data && data != input)
        return bufferError(tensor, "takes the place of an input, but is bound "
                                   "to other memory");
      data = input;
    } else {
      if (tensor.span > 0 && !data)
        return bufferError(tensor, "is not bound");
      if (buffer.bytes < tensor.bytes())
        return bufferError(tensor, "is bound to " +
                                       std::to_string(buffer.bytes) + " bytes");
      // An input that an output takes the place of is stored to.
      bool isStored = tensor.kind == TensorKind::Output;
      for (const Tensor &other : tensors)
        isStored |= other.aliasedInput == static_cast<int64_t>(i);
      if (tensor.span > 0)
        ranges.push_back({data, data + tensor.bytes(), isStored});
    }
    binding.data.push_back(data);
  }
  binding.hasUndeclaredOverlap = hasOverlap(ranges);
  return binding;
}

} // namespace neuron::simulator::compiled
