//===- Register.cpp - tells PyTorch about the device ----------------------===//
#include "runtime/device/Register.h"
#include "runtime/device/Allocator.h"

using namespace neuron;
using namespace neuron::device;

void device::registerDevice() {
  c10::SetAllocator(kNeuron, &Allocator::get());
  registerGuard();
  registerHooks();
  registerMemoryOps();
  registerComposites();
  registerEager();
  registerAutocast();
  registerProfiler();
}
