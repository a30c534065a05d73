//===- Runtime.h - the state of the process's runtime -----------*- C++ -*-===//
#pragma once
#include "runtime/core/Config.h"
#include "runtime/core/Handles.h"
#include "runtime/core/Log.h"
#include "runtime/core/Memory.h"
#include "runtime/core/Model.h"
#include "runtime/core/async/RequestQueues.h"
#include <exception>
#include <new>
#include <shared_mutex>
#include <string>
#include <unordered_map>

namespace neuron::nrt {

/// Name to tensor. A tensor freed by its client lives on in its sets.
class TensorSet {
public:
  void add(std::string name, std::shared_ptr<Tensor> tensor) {
    std::lock_guard lock(mutex);
    tensors.insert_or_assign(std::move(name), std::move(tensor));
  }
  std::shared_ptr<Tensor> find(const std::string &name) const {
    std::lock_guard lock(mutex);
    auto at = tensors.find(name);
    return at == tensors.end() ? nullptr : at->second;
  }

private:
  mutable std::mutex mutex;
  std::unordered_map<std::string, std::shared_ptr<Tensor>> tensors;
};

enum class State { Uninitialized, Ready, Closed };

struct Runtime {
  /// Held shared by every call, and alone by nrt_init and nrt_close: closing
  /// waits for what is running.
  std::shared_mutex lifecycle;
  State state = State::Uninitialized;
  Config config;
  std::vector<std::shared_ptr<Core>> cores;
  std::unique_ptr<RequestQueues> queues; ///< while Ready
  Handles<Tensor, HandleKind::Tensor> tensors;
  Handles<TensorSet, HandleKind::TensorSet> sets;
  Handles<Model, HandleKind::Model> models;
  /// By neuron_sim_set_form; negative: as the environment says.
  std::atomic<int> chosenForm = -1;

  /// By neuron_sim_set_interrupt.
  std::atomic<int (*)(void *)> interrupt = nullptr;
  std::atomic<void *> interruptArgument = nullptr;

  Form form() const {
    int chosen = chosenForm;
    return chosen < 0 ? config.form : static_cast<Form>(chosen);
  }
};

Runtime &runtime();

/// Records the text for neuron_sim_last_error, logs it, and returns `status`.
NRT_STATUS fail(NRT_STATUS status, std::string message);
/// The same, without the log.
NRT_STATUS failQuietly(NRT_STATUS status, std::string message);
const char *lastError();
/// Of the API call that this thread is in.
const char *currentFunction();
void enter(const char *function);

/// Whether the runtime is in the state that most calls need.
inline NRT_STATUS checkReady(const Runtime &runtime) {
  if (runtime.state == State::Ready)
    return NRT_SUCCESS;
  if (runtime.state == State::Closed)
    return fail(NRT_CLOSED, "the runtime is closed; call nrt_init again");
  return fail(NRT_UNINITIALIZED, "call nrt_init first");
}

/// The body of a call that needs no state; nothing is thrown into C.
template <typename Body>
NRT_STATUS guarded(const char *function, Body body) noexcept {
  enter(function);
  try {
    return body();
  } catch (const std::bad_alloc &) {
    return fail(NRT_FAIL_HOST_MEM_ALLOC, "no host memory");
  } catch (const std::exception &error) {
    return fail(NRT_FAILURE, std::string("internal error: ") + error.what());
  }
}

/// The body of a call between nrt_init and nrt_close.
template <typename Body>
NRT_STATUS call(const char *function, Body body) noexcept {
  return guarded(function, [&]() -> NRT_STATUS {
    Runtime &state = runtime();
    std::shared_lock lock(state.lifecycle);
    if (NRT_STATUS status = checkReady(state); status != NRT_SUCCESS)
      return status;
    return body(state);
  });
}

inline NRT_STATUS badHandle(const char *what) {
  return fail(NRT_INVALID_HANDLE,
              std::string("that is no ") + what + ", or it was freed");
}
inline NRT_STATUS nullArgument(const char *what) {
  return fail(NRT_INVALID, std::string(what) + " is null");
}

} // namespace neuron::nrt
