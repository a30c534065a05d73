//===- Hbm.h - the tensors of one run ---------------------------*- C++ -*-===//
//
// Binds each tensor to its memory: the caller's, the program's, or scratch of
// this run. An output that takes the place of an input shares its memory.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "runtime/simulator/Shadow.h"
#include "runtime/simulator/Simulator.h"

namespace neuron::simulator {

struct HbmMemory {
  uint8_t *data =
      nullptr;            ///< of the caller or `own`; constants are not written
  Zeroed<uint8_t> own;    ///< scratch
  bool isDefined = false; ///< before the first store
  std::unique_ptr<Shadow> shadow; ///< of elements; none if nothing stores to it
};

class Hbm {
public:
  /// Fails if a buffer is missing or too small.
  static Result<Hbm> bind(const program::Streams &streams,
                          std::span<const Buffer> buffers);

  HbmMemory &of(uint32_t tensor) { return memories[memoryOf[tensor]]; }

private:
  std::vector<uint32_t> memoryOf; ///< by tensor: the tensor whose memory it has
  std::vector<HbmMemory> memories;
};

} // namespace neuron::simulator
