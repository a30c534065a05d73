//===- Model.cpp - a NEFF on the device -----------------------------------===//
#include "runtime/device/Model.h"
#include <c10/util/Exception.h>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <thread>

using namespace neuron;
using namespace neuron::device;

namespace {

/// What the environment leaves to us: "" or the one form.
const std::string &forcedForm() {
  static const std::string form = [] {
    const char *value = std::getenv("NEURON_MLIR_SIMULATOR");
    return std::string(value ? value : "");
  }();
  return form;
}

/// One thread that makes native code while the program goes on.
class Background {
public:
  static Background &get() {
    static Background *background = new Background;
    return *background;
  }
  void add(std::function<void()> work) {
    {
      std::lock_guard lock(mutex);
      if (!started) {
        started = true;
        std::thread([this] { run(); }).detach();
      }
      queue.push_back(std::move(work));
    }
    ready.notify_one();
  }

private:
  void run() {
    std::unique_lock lock(mutex);
    while (true) {
      ready.wait(lock, [&] { return !queue.empty(); });
      std::function<void()> work = std::move(queue.front());
      queue.pop_front();
      lock.unlock();
      work();
      work = nullptr;
      lock.lock();
    }
  }
  std::mutex mutex;
  std::condition_variable ready;
  std::deque<std::function<void()>> queue;
  bool started = false;
};

/// A model that runs as often as this is worth 10 to 20 ms of compilation.
constexpr int kRunsBeforeNative = 4;

} // namespace

NRT_STATUS device::loadInForm(const void *neff, size_t size,
                              c10::DeviceIndex device, const std::string &form,
                              nrt_model_t **model) {
  static auto *mutex = new std::mutex;
  std::lock_guard lock(*mutex);
  if (api().simSetForm)
    api().simSetForm((form.empty() ? forcedForm() : form) == "interpreter"
                         ? NEURON_SIM_INTERPRETER
                         : NEURON_SIM_COMPILED);
  return api().load(neff, size, device, 1, model);
}

void device::giveLines(nrt_model_t *model,
                       const std::vector<SourceLine> &lines) {
  if (lines.empty() || !api().simSetSourceLines)
    return;
  std::vector<neuron_sim_source_line_t> given;
  for (const SourceLine &line : lines)
    given.push_back(
        {line.id.c_str(), line.op.c_str(), line.file.c_str(), line.line});
  // It fails for a handle that is none, or for null pointers.
  api().simSetSourceLines(model, given.data(), given.size());
}

std::shared_ptr<Model> Model::load(std::vector<uint8_t> neff,
                                   c10::DeviceIndex device, Tier tier,
                                   const std::string &form,
                                   std::vector<SourceLine> lines) {
  const std::string &forced = form.empty() ? forcedForm() : form;
  std::shared_ptr<Model> model(new Model(std::move(neff), device));
  bool native = forced == "compiled" ||
                (forced.empty() && (tier == Tier::Native || !api().simSetForm));
  nrt_model_t *handle = nullptr;
  check("nrt_load", loadInForm(model->neff.data(), model->neff.size(), device,
                               native ? "compiled" : "interpreter", &handle));
  giveLines(handle, lines);
  model->current = handle;
  model->runsLeft = !native && forced.empty() ? kRunsBeforeNative : -1;
  if (model->runsLeft < 0)
    model->neff = {};
  else
    model->lines = std::move(lines);
  return model;
}

Model::~Model() {
  if (isInBadFork())
    return;
  for (nrt_model_t *handle : {current.load(), interpreted})
    if (handle)
      api().unload(handle);
}

void Model::makeNative() noexcept {
  nrt_model_t *handle = nullptr;
  // If it fails the interpreter goes on; the results are the same.
  if (loadInForm(neff.data(), neff.size(), device, "compiled", &handle) !=
      NRT_SUCCESS)
    return;
  giveLines(handle, lines);
  interpreted = current.exchange(handle);
  neff = {};
  lines = {};
}

nrt_model_t *Model::handle() {
  if (runsLeft > 0 && runsLeft.fetch_sub(1) == 1)
    Background::get().add([self = shared_from_this()] { self->makeNative(); });
  return current;
}
