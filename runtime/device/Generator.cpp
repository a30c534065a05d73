//===- Generator.cpp - random numbers of the device -----------------------===//
#include "runtime/device/Generator.h"
#include "runtime/device/Runtime.h"
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/ops/randint.h>
#include <c10/util/Exception.h>
#include <limits>
#include <vector>

using namespace neuron;
using namespace neuron::device;

namespace {

struct Generator final : c10::GeneratorImpl {
  Generator(c10::DeviceIndex device, at::Generator host)
      : GeneratorImpl(c10::Device(kNeuron, device),
                      c10::DispatchKeySet(c10::DispatchKey::PrivateUse1)),
        host(std::move(host)) {}

  static c10::DeviceType device_type() { return kNeuron; }

  void set_current_seed(uint64_t seed) override { host.set_current_seed(seed); }
  void set_offset(uint64_t) override {
    TORCH_CHECK_NOT_IMPLEMENTED(
        false, "a neuron generator has no offset; use get_state and set_state");
  }
  uint64_t get_offset() const override {
    TORCH_CHECK_NOT_IMPLEMENTED(
        false, "a neuron generator has no offset; use get_state and set_state");
  }
  uint64_t current_seed() const override { return host.current_seed(); }
  uint64_t seed() override { return host.seed(); }
  void set_state(const c10::TensorImpl &state) override {
    host.unsafeGetGeneratorImpl()->set_state(state);
  }
  c10::intrusive_ptr<c10::TensorImpl> get_state() const override {
    return host.unsafeGetGeneratorImpl()->get_state();
  }
  // A state that is shared, not copied: for the graphs of checkpointing.
  void graphsafe_set_state(
      const c10::intrusive_ptr<c10::GeneratorImpl> &state) override {
    auto *other = dynamic_cast<Generator *>(state.get());
    TORCH_CHECK(other, "expected the state of a neuron generator");
    host = other->host;
  }
  c10::intrusive_ptr<c10::GeneratorImpl> graphsafe_get_state() const override {
    return c10::make_intrusive<Generator>(device_.index(), host);
  }
  Generator *clone_impl() const override {
    return new Generator(device_.index(), host.clone());
  }

  at::Generator host;
};

} // namespace

at::Generator device::newGenerator(c10::DeviceIndex device) {
  return at::make_generator<Generator>(
      device < 0 ? currentDevice() : device,
      at::detail::createCPUGenerator(c10::default_rng_seed_val));
}

const at::Generator &device::defaultGenerator(c10::DeviceIndex device) {
  static auto *generators = [] {
    auto *made = new std::vector<at::Generator>;
    for (c10::DeviceIndex i = 0; i < deviceCount(); ++i)
      made->push_back(newGenerator(i));
    return made;
  }();
  return generators->at(device < 0 ? currentDevice() : device);
}

at::Generator
device::hostGenerator(const std::optional<at::Generator> &generator,
                      c10::DeviceIndex device) {
  const at::Generator &chosen =
      generator && generator->defined() ? *generator : defaultGenerator(device);
  if (auto *ours = dynamic_cast<Generator *>(chosen.unsafeGetGeneratorImpl()))
    return ours->host;
  TORCH_CHECK(false, "Expected a 'neuron' generator, got one for '",
              chosen.device(), "'");
}

at::Tensor device::drawKeys(int64_t count,
                            const std::optional<at::Generator> &hostGenerator) {
  return at::randint(std::numeric_limits<int64_t>::max(), {count},
                     hostGenerator, c10::kLong);
}
