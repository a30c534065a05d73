//===- Transfer.h - moving bytes to, from and on a device -------*- C++ -*-===//
#pragma once
#include "runtime/core/Runtime.h"
#include "runtime/profile/Recorder.h"

namespace neuron::nrt {

/// A checked copy, or a fill. Holds the storage of its tensors.
struct Transfer {
  /// What the system trace calls it; none for copies and fills, which have no
  /// name there.
  std::optional<profile::EventType> event;
  std::string tensor; ///< for the system trace, if that is on

  uint8_t *to = nullptr;
  const uint8_t *from = nullptr; ///< null: a fill
  int value = 0;
  uint64_t size = 0;
  std::shared_ptr<Storage> held[2];

  std::shared_ptr<Core> core; ///< null if no device takes part
  Lane lane = Lane::OnDevice;

  /// Moves the bytes, and gives the transfer its place on the core's timeline:
  /// an instant if no device takes part.
  Span carryOut(uint64_t earliest) const;

private:
  void move() const;
};

NRT_STATUS prepareWrite(Runtime &state, const nrt_tensor_t *tensor,
                        const void *buffer, uint64_t offset, uint64_t size,
                        Transfer &result);
NRT_STATUS prepareRead(Runtime &state, const nrt_tensor_t *tensor, void *buffer,
                       uint64_t offset, uint64_t size, Transfer &result);
NRT_STATUS prepareCopy(Runtime &state, const nrt_tensor_t *source,
                       uint64_t sourceOffset, const nrt_tensor_t *destination,
                       uint64_t offset, uint64_t size, Transfer &result);
NRT_STATUS prepareFill(Runtime &state, const nrt_tensor_t *tensor,
                       uint64_t offset, int value, uint64_t size,
                       Transfer &result);

} // namespace neuron::nrt
