//===- Runtime.cpp - the NRT library behind the device 'neuron' -----------===//
#include "runtime/device/Runtime.h"
#include <atomic>
#include <c10/util/Exception.h>
#include <mutex>
#include <pthread.h>
#include <torch/version.h>

using namespace neuron;
using namespace neuron::device;
using hardware::Library;

namespace {

struct State {
  std::mutex mutex;
  std::atomic<const Library *> ready = nullptr;
  std::atomic<bool (*)()> isInterrupted = nullptr;
  std::atomic<void (*)()> raiseInterrupt = nullptr;
};

/// Leaked: threads may use it until the process ends.
State &state() {
  static State *state = new State;
  return *state;
}

std::atomic<bool> badFork = false;
thread_local c10::DeviceIndex current = 0;

constexpr char kForked[] =
    "Cannot re-initialize Neuron runtime in forked subprocess. To use Neuron "
    "with multiprocessing, use the 'spawn' start method";

} // namespace

Result<const Library *> device::initialize() {
  if (badFork)
    return Error{kForked};
  if (const Library *ready = state().ready)
    return ready;
  std::lock_guard lock(state().mutex);
  if (const Library *ready = state().ready)
    return ready;
  const Result<Library> &library = Library::get();
  if (!library)
    return Error{library.message()};
  NRT_STATUS status = library->api().init(NRT_FRAMEWORK_TYPE_PYTORCH,
                                          TORCH_VERSION, NEURON_MLIR_VERSION);
  if (status != NRT_SUCCESS)
    return Error{library->describe("nrt_init", status)};
  pthread_atfork(nullptr, nullptr, [] { badFork = true; });
  state().ready = &*library;
  return &*library;
}

const Library &device::library() {
  if (const Library *ready = state().ready; ready && !badFork)
    return *ready;
  Result<const Library *> result = initialize();
  TORCH_CHECK(bool(result), result.message());
  return **result;
}

bool device::isInitialized() { return state().ready && !badFork; }
bool device::isInBadFork() { return badFork; }

c10::DeviceIndex device::deviceCount() noexcept {
  // In a forked child the count is still a fact; only use is forbidden.
  static const c10::DeviceIndex count = [] {
    try {
      const Result<Library> &library = Library::get();
      uint32_t cores = 0;
      if (!library || library->api().getVisibleCoreCount(&cores) != NRT_SUCCESS)
        return 0;
      return int(cores);
    } catch (...) {
      return 0;
    }
  }();
  return count;
}

c10::DeviceIndex device::currentDevice() noexcept { return current; }

void device::setCurrentDevice(c10::DeviceIndex index) {
  TORCH_CHECK_VALUE(index >= 0 && index < deviceCount(),
                    "Invalid device id: ", int(index), "; this process has ",
                    int(deviceCount()), " neuron device(s)");
  current = index;
}

c10::DeviceIndex device::resolve(c10::Device device) {
  TORCH_CHECK(device.type() == kNeuron, "expected a neuron device, got ",
              device);
  if (!device.has_index())
    return current;
  TORCH_CHECK_VALUE(device.index() < deviceCount(),
                    "Invalid device id: ", int(device.index()),
                    "; this process has ", int(deviceCount()),
                    " neuron device(s)");
  return device.index();
}

void device::check(const char *function, NRT_STATUS status) {
  TORCH_CHECK(status == NRT_SUCCESS, library().describe(function, status));
}

void device::setInterruptCheck(bool (*check)(), void (*raise)()) {
  state().raiseInterrupt = raise;
  state().isInterrupted = check;
}

void device::throwIfInterrupted() {
  if (bool (*check)() = state().isInterrupted.load(); check && check())
    state().raiseInterrupt.load()();
}
