//===- EventJson.h - events as nrt_sys_trace_fetch_events gives them ------===//
#pragma once
#include "runtime/profile/Session.h"

namespace neuron::profile {

/// Starts, stops and instants in the order of their time. With `syncPoint`,
/// each core begins with the host's clock and the device's.
std::string toJson(const std::vector<Session::Taken> &cores, bool syncPoint);

} // namespace neuron::profile
