//===- DeviceBindings.cpp - the device 'neuron' for Python ----------------===//
#include "python/bindings/DeviceBindings.h"
#include "python/bindings/Interrupt.h"
#include "runtime/device/Allocator.h"
#include "runtime/device/Generator.h"
#include "runtime/device/Inspect.h"
#include "runtime/device/Launch.h"
#include "runtime/device/Register.h"
#include "runtime/device/Stream.h"
#include "runtime/device/eager/Eager.h"
#include <pybind11/stl.h>
#include <torch/csrc/Generator.h>
#include <torch/csrc/utils/pybind.h>

namespace py = pybind11;
using namespace neuron;
using namespace neuron::device;
using c10::CachingAllocator::StatArray;
using c10::CachingAllocator::StatType;

/// Where its files are; of code that was imported by way of a link, that way.
static std::string pathOf(const char *package) {
  py::object module = py::module_::import(package);
  return module.attr("__path__")[py::int_(0)].cast<std::string>() + "/";
}

/// The innermost line of Python that is not PyTorch's or this package's own.
static Place findPlace() {
  // PyTorch has released the GIL; threads without Python have no line.
  if (!PyGILState_GetThisThreadState())
    return {};
  py::gil_scoped_acquire gil;
  static auto *names = new std::unordered_map<PyObject *, const char *>;
  static const std::array<std::string, 2> packages = {pathOf("torch"),
                                                      pathOf("torch_neuronx")};
  PyFrameObject *frame = PyEval_GetFrame();
  Py_XINCREF(frame);
  Place place;
  while (frame) {
    PyCodeObject *code = PyFrame_GetCode(frame);
    auto [known, isNew] = names->try_emplace(code->co_filename, nullptr);
    if (isNew) {
      const char *file = PyUnicode_AsUTF8(code->co_filename);
      if (file &&
          std::none_of(packages.begin(), packages.end(),
                       [&](const std::string &package) {
                         return std::string_view(file).starts_with(package);
                       }))
        known->second = file;
      Py_INCREF(code->co_filename); // the key and the text stay
    }
    Py_DECREF(code);
    if (known->second) {
      place = {known->second, PyFrame_GetLineNumber(frame)};
      Py_DECREF(frame);
      return place;
    }
    PyFrameObject *caller = PyFrame_GetBack(frame);
    Py_DECREF(frame);
    frame = caller;
  }
  PyErr_Clear();
  return place;
}

static py::dict statOf(const StatArray &array) {
  const auto &stat = array[size_t(StatType::AGGREGATE)];
  py::dict values;
  values["current"] = stat.current;
  values["peak"] = stat.peak;
  values["allocated"] = stat.allocated;
  values["freed"] = stat.freed;
  return values;
}

static py::dict memoryStats(c10::DeviceIndex device) {
  auto stats = Allocator::get().getDeviceStats(device);
  py::dict values;
  values["allocated_bytes"] = statOf(stats.allocated_bytes);
  values["reserved_bytes"] = statOf(stats.reserved_bytes);
  values["active_bytes"] = statOf(stats.active_bytes);
  values["requested_bytes"] = statOf(stats.requested_bytes);
  values["segments"] = statOf(stats.segment);
  auto count = statOf(stats.allocation);
  values["num_tensor_frees"] = count["freed"];
  values["allocation_requests"] = count["allocated"];
  values["num_alloc_retries"] = stats.num_alloc_retries;
  values["num_ooms"] = stats.num_ooms;
  values["num_device_alloc"] = stats.num_device_alloc;
  values["num_device_free"] = stats.num_device_free;
  return values;
}

static py::list memoryHeld(c10::DeviceIndex device) {
  py::list list;
  for (const Allocator::Held &held : Allocator::get().held(device)) {
    py::dict item;
    item["address"] = held.address;
    item["segment"] = held.segment;
    item["size"] = held.size;
    item["requested"] = held.requested;
    item["owner"] = std::string(held.owner);
    list.append(item);
  }
  return list;
}

void neuron::python::bindDevice(py::module_ &m) {
  using WithoutGil = py::call_guard<py::gil_scoped_release>;
  m.def("register_device", [] {
    static bool once = (registerDevice(), true);
    (void)once;
    setPlaceFinder(&findPlace);
    setInterruptCheck(&isInterrupted, &raiseInterrupt);
  });
  m.def("init_device", [] {
    Result<const hardware::Library *> result = initialize();
    TORCH_CHECK(result.ok(), result.message());
    installInterrupt(**result);
  });
  m.def("is_initialized", &isInitialized);
  m.def("is_in_bad_fork", &isInBadFork);
  m.def("device_count", [] { return int(deviceCount()); });
  m.def("current_device", [] { return int(currentDevice()); });
  m.def("set_device", [](int index) { setCurrentDevice(index); });
  m.def(
      "synchronize_device", [](int index) { synchronizeDevice(index); },
      WithoutGil());
  m.def("drain", &drain, WithoutGil());
  m.def("empty_cache", [] { Allocator::get().emptyCache(); }, WithoutGil());
  m.def("memory_stats", &memoryStats);
  m.def("memory_held", &memoryHeld,
        "One dict for each block of device memory, taken or free (requested "
        "is 0).");
  m.def("memory_info",
        [](int index) { return Allocator::get().getMemoryInfo(index); });
  m.def("reset_peak_memory_stats",
        [](int index) { Allocator::get().resetPeakStats(index); });
  m.def("reset_accumulated_memory_stats",
        [](int index) { Allocator::get().resetAccumulatedStats(index); });
  m.def("default_generator", [](int index) {
    return py::reinterpret_steal<py::object>(
        THPGenerator_Wrap(defaultGenerator(index)));
  });
  m.def("executed_ops", [] {
    Executed ops = executed();
    return std::pair(ops.onDevice, ops.onCpu);
  });
  m.def("inspection_folder", &inspectionFolder,
        "Where the runtime's last inspection wrote; empty if there was none.");
  m.def("clear_executed_ops", &clearExecuted);
  m.def("eager_statistics", [] {
    EagerStatistics statistics = eagerStatistics();
    py::dict values;
    values["hits"] = statistics.hits;
    values["misses"] = statistics.misses;
    values["traced"] = statistics.traced;
    values["fallbacks"] = statistics.fallbacks;
    values["launches"] = launches();
    return values;
  });
  m.def(
      "stream_clock_ns",
      [](int device, int64_t stream) {
        return streamOf(device, stream).clock();
      },
      "Simulated time at which what the stream did so far ended.");
}
