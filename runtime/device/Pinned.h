//===- Pinned.h - host memory that the device copies from -------*- C++ -*-===//
#pragma once
#include <c10/core/Allocator.h>

namespace neuron::device {

/// Memory of pin_memory(). The simulator reaches all host memory; what pinning
/// promises is that a copy with non_blocking=True returns at once.
c10::Allocator &pinnedAllocator();
bool isPinned(const void *data);

} // namespace neuron::device
