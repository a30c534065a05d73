//===- Hbm.cpp - the tensors of one run -----------------------------------===//
#include "runtime/simulator/Hbm.h"

namespace neuron::simulator {
using namespace program;

namespace {

Error bufferError(const Tensor &tensor, const std::string &what) {
  return Error{"tensor '" + tensor.name + "' " + what + "; it needs " +
               std::to_string(tensor.bytes()) + " bytes"};
}

} // namespace

Result<Hbm> Hbm::bind(const Streams &streams, std::span<const Buffer> buffers) {
  const auto &tensors = streams.program().tensors;
  if (buffers.size() != tensors.size())
    return Error{std::to_string(buffers.size()) + " buffers for " +
                 std::to_string(tensors.size()) + " tensors"};
  Hbm hbm;
  for (uint32_t i = 0; i < tensors.size(); ++i) {
    const Tensor &tensor = tensors[i];
    const Buffer &buffer = buffers[i];
    HbmMemory memory;
    bool isAlias = tensor.aliasedInput != -1;
    hbm.memoryOf.push_back(isAlias ? tensor.aliasedInput : i);
    switch (tensor.kind) {
    case TensorKind::Constant:
      memory.data = const_cast<uint8_t *>(tensor.data.data());
      break;
    case TensorKind::Scratch:
      memory.own = Zeroed<uint8_t>(tensor.bytes());
      memory.data = memory.own.data();
      break;
    case TensorKind::Input:
    case TensorKind::Output:
      if (isAlias &&
          (!buffer.data || buffer.data == buffers[tensor.aliasedInput].data))
        break;
      if (isAlias)
        return bufferError(tensor, "takes the place of an input, but is bound "
                                   "to other memory");
      if (tensor.span > 0 && !buffer.data)
        return bufferError(tensor, "is not bound");
      if (buffer.bytes < tensor.bytes())
        return bufferError(tensor, "is bound to " +
                                       std::to_string(buffer.bytes) + " bytes");
      memory.data = buffer.data;
      break;
    }
    memory.isDefined =
        tensor.kind == TensorKind::Input || tensor.kind == TensorKind::Constant;
    hbm.memories.push_back(std::move(memory));
  }
  for (const StaticInstruction &it : streams.instructions()) {
    if (!it.instruction->writesHbm())
      continue;
    uint32_t tensor = it.instruction->hbm.tensor;
    HbmMemory &memory = hbm.of(tensor);
    if (!memory.shadow)
      memory.shadow = std::make_unique<Shadow>(tensors[tensor].span);
  }
  return hbm;
}

} // namespace neuron::simulator
