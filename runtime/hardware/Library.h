//===- Library.h - the NRT library that is used -----------------*- C++ -*-===//
//
// Our Python and C++ reach the device through this table alone, so that AWS's
// library can take the simulator's place:
//
//   NEURON_MLIR_RUNTIME unset, or "simulator"   our libnrt.so.1
//                       "hardware"              AWS's libnrt.so.1
//                       a path with a slash     that library
//
//===----------------------------------------------------------------------===//
#pragma once
#include "nrt/neuron_sim.h"
#include "nrt/nrt.h"
#include "nrt/nrt_async.h"
#include "nrt/nrt_profile.h"
#include "runtime/program/Result.h"
#include <string>

namespace neuron::hardware {

// name in the table, function
#define NEURON_NRT_FUNCTIONS(X)                                                \
  X(init, nrt_init)                                                            \
  X(close, nrt_close)                                                          \
  X(getTotalCoreCount, nrt_get_total_vnc_count)                                \
  X(getVisibleCoreCount, nrt_get_visible_vnc_count)                            \
  X(getVersion, nrt_get_version)                                               \
  X(getInstanceInfo, nrt_get_instance_info)                                    \
  X(getMemoryStats, nrt_get_vnc_memory_stats)                                  \
  X(load, nrt_load)                                                            \
  X(unload, nrt_unload)                                                        \
  X(getModelTensorInfo, nrt_get_model_tensor_info)                             \
  X(freeModelTensorInfo, nrt_free_model_tensor_info)                           \
  X(tensorAllocate, nrt_tensor_allocate)                                       \
  X(tensorAllocateEmpty, nrt_tensor_allocate_empty)                            \
  X(tensorAttachBuffer, nrt_tensor_attach_buffer)                              \
  X(tensorAllocateSlice, nrt_tensor_allocate_slice)                            \
  X(tensorFree, nrt_tensor_free)                                               \
  X(tensorRead, nrt_tensor_read)                                               \
  X(tensorWrite, nrt_tensor_write)                                             \
  X(tensorCopy, nrt_tensor_copy)                                               \
  X(tensorMemset, nrt_tensor_memset)                                           \
  X(tensorGetSize, nrt_tensor_get_size)                                        \
  X(tensorGetVa, nrt_tensor_get_va)                                            \
  X(allocateTensorSet, nrt_allocate_tensor_set)                                \
  X(destroyTensorSet, nrt_destroy_tensor_set)                                  \
  X(addTensorToTensorSet, nrt_add_tensor_to_tensor_set)                        \
  X(getTensorFromTensorSet, nrt_get_tensor_from_tensor_set)                    \
  X(execute, nrt_execute)

/// Null in a library that lacks one of them.
#define NEURON_NRT_INSPECT_FUNCTIONS(X)                                        \
  X(inspectConfigAllocate, nrt_inspect_config_allocate)                        \
  X(inspectConfigFree, nrt_inspect_config_free)                                \
  X(inspectConfigSetEnable, nrt_inspect_config_set_enable_inspect)             \
  X(inspectConfigSetOutputDir, nrt_inspect_config_set_output_dir)              \
  X(inspectConfigSetMaxEvents,                                                 \
    nrt_inspect_config_set_sys_trace_max_events_per_nc)                        \
  X(inspectConfigSetCaptureForCore,                                            \
    nrt_inspect_config_set_capture_enabled_for_nc)                             \
  X(inspectConfigSetMode, nrt_inspect_config_set_inspect_device_profile_mode)  \
  X(inspectConfigSetActivity, nrt_inspect_config_set_activity)                 \
  X(inspectConfigSetSession, nrt_inspect_config_set_session_id)                \
  X(inspectStop, nrt_inspect_stop)                                             \
  X(inspectBeginWithOptions, nrt_inspect_begin_with_options)

/// Null in libraries before 2.31: theirs have other arguments, or none.
#define NEURON_NRT_ASYNC_FUNCTIONS(X)                                          \
  X(asyncTensorWrite, nrta_tensor_write)                                       \
  X(asyncTensorRead, nrta_tensor_read)                                         \
  X(asyncTensorCopy, nrta_tensor_copy)                                         \
  X(asyncExecuteSchedule, nrta_execute_schedule)                               \
  X(asyncIsCompleted, nrta_is_completed)                                       \
  X(asyncGetSequence, nrta_get_sequence)                                       \
  X(asyncRegisterSeqCompletion, nrta_event_register_seq_id_completion)         \
  X(asyncRegisterXuCompletion, nrta_event_register_xu_completion)

/// Null in libraries that are not the simulator's.
#define NEURON_SIM_FUNCTIONS(X)                                                \
  X(simLastError, neuron_sim_last_error)                                       \
  X(simSetForm, neuron_sim_set_form)                                           \
  X(simGetModelForm, neuron_sim_get_model_form)                                \
  X(simSetInterrupt, neuron_sim_set_interrupt)                                 \
  X(simSetThreads, neuron_sim_set_threads)                                     \
  X(simPredictedTimePs, neuron_sim_predicted_time_ps)                          \
  X(simClockPs, neuron_sim_clock_ps)                                           \
  X(simTimeline, neuron_sim_timeline)                                          \
  X(simTimelineFree, neuron_sim_timeline_free)                                 \
  X(simRequestSpan, neuron_sim_request_span)                                   \
  X(simLastSpan, neuron_sim_last_span)                                         \
  X(simRequestError, neuron_sim_request_error)                                 \
  X(simSetSourceLines, neuron_sim_set_source_lines)                            \
  X(simInspectFolder, neuron_sim_inspect_folder)

struct NrtApi {
#define NEURON_NRT_POINTER(member, function) decltype(&::function) member;
  NEURON_NRT_FUNCTIONS(NEURON_NRT_POINTER)
  NEURON_NRT_ASYNC_FUNCTIONS(NEURON_NRT_POINTER)
  NEURON_NRT_INSPECT_FUNCTIONS(NEURON_NRT_POINTER)
  NEURON_SIM_FUNCTIONS(NEURON_NRT_POINTER)
#undef NEURON_NRT_POINTER
};

/// A loaded NRT library. It is never unloaded: device memory and host code may
/// be in use until the process ends.
class Library {
public:
  /// The library that the environment asks for; loaded once. A failure is
  /// final for the process, too.
  static const Result<Library> &get();
  /// As NEURON_MLIR_RUNTIME's value says; empty: the simulator.
  static Result<Library> open(const std::string &which);

  const NrtApi &api() const { return table; }
  const std::string &path() const { return file; }
  /// Whether all asynchronous functions are there.
  bool hasAsync() const { return table.asyncTensorWrite != nullptr; }
  bool isSimulator() const { return table.simLastError != nullptr; }

  /// "nrt_load failed with NRT_INVALID (2): text" with what the library
  /// tells of this thread's last failure.
  std::string describe(const char *function, NRT_STATUS status) const;

private:
  NrtApi table{};
  std::string file;
};

/// The status's name, whatever the library.
std::string nameOf(NRT_STATUS status);

} // namespace neuron::hardware
