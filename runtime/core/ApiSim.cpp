//===- ApiSim.cpp - what only the simulator can say -----------------------===//
#include "nrt/neuron_sim.h"
#include "runtime/core/Forms.h"
#include "runtime/core/Runtime.h"
#include "runtime/program/Print.h"
#include "runtime/simulator/compiled/Threads.h"
#include <cstdlib>
#include <deque>

using namespace neuron;
using namespace neuron::nrt;

namespace {

/// What a client's timeline points into.
struct HeldTimeline {
  neuron_sim_timeline_t shown = {};
  std::vector<neuron_sim_event_t> events;
  std::deque<std::string> texts; ///< a deque: addresses stay
  std::unordered_map<const void *, const char *> instructions;
};
static_assert(offsetof(HeldTimeline, shown) == 0);

const char *keep(HeldTimeline &held, std::string text) {
  return held.texts.emplace_back(std::move(text)).c_str();
}

std::unique_ptr<HeldTimeline> hold(const simulator::Timeline &timeline,
                                   const program::Program &program) {
  auto held = std::make_unique<HeldTimeline>();
  std::vector<const char *> kernels, locations;
  for (const auto &kernel : program.kernels)
    kernels.push_back(keep(*held, kernel.name));
  for (const auto &location : program.locations)
    locations.push_back(keep(*held, location));
  std::unordered_map<unsigned, const char *> units;
  auto at = [](const std::vector<const char *> &texts, size_t index) {
    return index < texts.size() ? texts[index] : "<unknown>";
  };
  for (const simulator::TimelineEvent &event : timeline.events) {
    auto &unit = units[static_cast<unsigned>(event.unit)];
    if (!unit)
      unit = keep(*held, nameOf(event.unit));
    auto &instruction = held->instructions[event.instruction];
    if (!instruction)
      instruction = keep(*held, toString(*event.instruction, program));
    held->events.push_back({event.start, event.end, unit, instruction,
                            at(locations, event.instruction->location),
                            at(kernels, event.kernel)});
  }
  held->shown.total_ps = timeline.total;
  held->shown.num_events = held->events.size();
  held->shown.events = held->events.data();
  return held;
}

} // namespace

const char *neuron_sim_last_error(void) { return lastError(); }

NRT_STATUS neuron_sim_set_form(int form) {
  return guarded(__func__, [&]() -> NRT_STATUS {
    if (form != NEURON_SIM_INTERPRETER && form != NEURON_SIM_COMPILED)
      return fail(NRT_INVALID, "unknown form " + std::to_string(form));
    runtime().chosenForm = form;
    return NRT_SUCCESS;
  });
}

NRT_STATUS neuron_sim_set_interrupt(int (*interrupted)(void *),
                                    void *argument) {
  return guarded(__func__, [&] {
    runtime().interruptArgument = argument;
    runtime().interrupt = interrupted;
    return NRT_SUCCESS;
  });
}

NRT_STATUS neuron_sim_set_threads(uint32_t threads) {
  return guarded(__func__, [&] {
    simulator::compiled::setThreadLimit(threads);
    return NRT_SUCCESS;
  });
}

NRT_STATUS neuron_sim_get_model_form(const nrt_model_t *model, int *form) {
  return call(__func__, [&](Runtime &state) {
    if (!form)
      return nullArgument("the result");
    auto found = state.models.find(model);
    if (!found)
      return badHandle("model");
    *form = static_cast<int>(found->form);
    return NRT_SUCCESS;
  });
}

NRT_STATUS neuron_sim_predicted_time_ps(const nrt_model_t *model,
                                        uint64_t *picoseconds) {
  return call(__func__, [&](Runtime &state) {
    if (!picoseconds)
      return nullArgument("the result");
    auto found = state.models.find(model);
    if (!found)
      return badHandle("model");
    auto time = found->predictedPs();
    if (!time)
      return fail(NRT_FAILURE, time.message());
    *picoseconds = *time;
    return NRT_SUCCESS;
  });
}

NRT_STATUS neuron_sim_clock_ps(uint32_t vnc, uint64_t *picoseconds) {
  return call(__func__, [&](Runtime &state) {
    if (!picoseconds)
      return nullArgument("the result");
    if (vnc >= state.cores.size())
      return fail(NRT_INVALID, "there is no core " + std::to_string(vnc));
    uint64_t sum = state.cores[vnc]->elapsedPs;
    for (const auto &model : state.models.all()) {
      if (model->core != state.cores[vnc] || model->executions == 0)
        continue;
      auto time = model->predictedPs();
      if (!time)
        return fail(NRT_FAILURE, time.message());
      sum += *time * model->executions;
    }
    *picoseconds = sum;
    return NRT_SUCCESS;
  });
}

NRT_STATUS neuron_sim_timeline(const nrt_model_t *model,
                               neuron_sim_timeline_t **timeline) {
  return call(__func__, [&](Runtime &state) {
    if (!timeline)
      return nullArgument("the result");
    auto found = state.models.find(model);
    if (!found)
      return badHandle("model");
    auto predicted =
        simulator::predictTimeline(found->program(), /*withEvents=*/true);
    if (!predicted)
      return fail(NRT_FAILURE, predicted.message());
    *timeline = &hold(*predicted, found->program()).release()->shown;
    return NRT_SUCCESS;
  });
}

void neuron_sim_timeline_free(neuron_sim_timeline_t *timeline) {
  delete reinterpret_cast<HeldTimeline *>(timeline);
}
