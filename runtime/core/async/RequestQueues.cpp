//===- RequestQueues.cpp - the queues of all cores ------------------------===//
#include "runtime/core/async/RequestQueues.h"
#include <pthread.h>

namespace neuron::nrt {
namespace {

/// Queues of each unit of a core, by nrta_xu_t, as documented.
constexpr int kQueues[NRTA_XU_TYPE_NUM] = {2, 1, 3};
constexpr int kFirst[NRTA_XU_TYPE_NUM] = {0, 2, 3};
constexpr int kQueuesOfCore = 6;

/// No depth of the transfers' queues is published; this is the most that a
/// queue of executions may have.
constexpr size_t kTransferDepth = 63;

std::atomic<bool> forked = false;

} // namespace

RequestQueues::RequestQueues(size_t cores, size_t computeDepth) {
  // Queue i has number i + 1, so that no small number is a sequence number.
  for (size_t i = 0; i < cores * kQueuesOfCore; ++i) {
    bool computes = i % kQueuesOfCore == size_t(kFirst[NRTA_XU_COMPUTE]);
    queues.push_back(std::make_unique<RequestQueue>(
        uint16_t(i + 1), computes ? computeDepth : kTransferDepth));
  }
}

RequestQueues::~RequestQueues() {
  for (auto &queue : queues)
    queue->stop();
}

int RequestQueues::numQueues(nrta_xu_t unit) {
  return unit >= 0 && unit < NRTA_XU_TYPE_NUM ? kQueues[unit] : 0;
}

RequestQueue *RequestQueues::find(int64_t core, nrta_xu_t unit,
                                  int queue) const {
  if (queue < 0 || queue >= numQueues(unit))
    return nullptr;
  if (core < 0 || core >= int64_t(queues.size()) / kQueuesOfCore)
    return nullptr;
  return queues[size_t(core * kQueuesOfCore + kFirst[unit] + queue)].get();
}

RequestQueue *RequestQueues::of(nrta_seq_t seq) const {
  uint64_t id = seq >> kCountBits;
  return id >= 1 && id <= queues.size() ? queues[id - 1].get() : nullptr;
}

bool RequestQueues::isForked() { return forked; }

void RequestQueues::claim() {
  static const int registered =
      pthread_atfork(nullptr, nullptr, [] { forked = true; });
  (void)registered;
  forked = false;
}

} // namespace neuron::nrt
