//===- DeviceCost.cpp - what transfers and dispatches take ----------------===//
#include "runtime/core/DeviceCost.h"
#include <algorithm>

namespace neuron::nrt {
namespace {

using target::Target;

constexpr DispatchCost kDispatchCosts[] = {
    {"device", &Target::launch, true},
    {"execute", &Target::dispatchExecute, false},
    {"launch", &Target::dispatchLaunch, true},
    {"profile", &Target::dispatchProfile, true},
    {"framework", &Target::dispatchFramework, false},
};

uint64_t valueOf(const target::Parameter &parameter) {
  return static_cast<uint64_t>(parameter.value);
}

/// Rounded up; a table's bandwidths are in MB/s, so bytes in microseconds.
uint64_t movingPs(uint64_t bytes, uint64_t bandwidth) {
  auto picoseconds =
      (static_cast<unsigned __int128>(bytes) * 1'000'000 + bandwidth - 1) /
      bandwidth;
  return static_cast<uint64_t>(picoseconds);
}

} // namespace

std::span<const DispatchCost> dispatchCosts() { return kDispatchCosts; }

uint64_t dispatchPs(const Target &target, const DispatchCost &cost) {
  uint64_t published = valueOf(target.*cost.picoseconds);
  if (!cost.withLaunch)
    return published;
  return published - std::min(published, valueOf(target.launch));
}

uint64_t transferPs(const Target &target, Lane lane, uint64_t bytes) {
  switch (lane) {
  case Lane::Compute:
    break;
  case Lane::HostToDevice:
    return valueOf(target.hostLatency) +
           movingPs(bytes, valueOf(target.hostToDevice));
  case Lane::DeviceToHost:
    return valueOf(target.hostLatency) +
           movingPs(bytes, valueOf(target.deviceToHost));
  case Lane::OnDevice: {
    // Each byte is read from HBM and written to it.
    uint64_t engines =
        valueOf(target.dmaEngines) * valueOf(target.dmaBandwidth);
    uint64_t memory = valueOf(target.hbmBandwidth) / 2;
    return valueOf(target.dmaIssueHardware) + valueOf(target.dmaDispatchLoad) +
           valueOf(target.dmaFixedLoad) +
           movingPs(bytes, std::min(engines, memory));
  }
  }
  return 0;
}

} // namespace neuron::nrt
