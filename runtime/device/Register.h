//===- Register.h - tells PyTorch about the device --------------*- C++ -*-===//
#pragma once

namespace neuron::device {

/// Allocator, guard, hooks, operators and autocast of PrivateUse1. Initializes
/// no device. Once per process.
void registerDevice();

// The parts.
void registerGuard();
void registerHooks();
void registerMemoryOps();
void registerEager();
void registerComposites();
void registerAutocast();
void registerProfiler();

} // namespace neuron::device
