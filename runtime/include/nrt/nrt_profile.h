/* nrt_profile.h - device profiles, and inspection of whole processes
 *
 * Written from public documentation and from clients of the interface. Device
 * profiles (.ntff) of the simulator are predictions in a format of its own,
 * which runtime/profile/device_profile.proto describes; system traces and
 * samples (.pb) are described by runtime/profile/system_profile.proto. All of
 * them say that they come from a simulation.
 */
#ifndef NEURON_MLIR_NRT_PROFILE_H
#define NEURON_MLIR_NRT_PROFILE_H

#include "nrt/nrt.h"

#ifdef __cplusplus
extern "C" {
#endif

/*===----------------------------------------------------------------------===*/
/* One model                                                                  */
/*===----------------------------------------------------------------------===*/

/** Profiles the model's executions until nrt_profile_stop. The file is emptied.
    NRT_FAILURE while an inspection captures device profiles, or if a profile
    for the file is on. */
NRT_STATUS nrt_profile_start(nrt_model_t *model, const char *filename);
/** Writes the file. NRT_INVALID if no profile was started for it. */
NRT_STATUS nrt_profile_stop(const char *filename);

/*===----------------------------------------------------------------------===*/
/* The latest model of a core                                                 */
/*===----------------------------------------------------------------------===*/

typedef struct nrt_profile_continuous_options nrt_profile_continuous_options_t;

/** The folder is ./output unless another is set. */
NRT_STATUS nrt_profile_continuous_options_allocate(
    nrt_profile_continuous_options_t **options);
NRT_STATUS
nrt_profile_continuous_options_free(nrt_profile_continuous_options_t *options);
NRT_STATUS nrt_profile_continuous_options_set_output_dir(
    nrt_profile_continuous_options_t *options, const char *output_dir);

/** Remembers the executions of every model. NRT_FAILURE while an inspection
    captures device profiles, and if it is on already. */
NRT_STATUS
nrt_profile_continuous_start(nrt_profile_continuous_options_t *options);
/** Writes the pair of files of the model that the core executed last. Goes on.
    NRT_FAILURE if it executed none since the start. */
NRT_STATUS
nrt_profile_continuous_save(uint32_t vnc,
                            nrt_profile_continuous_options_t *options);
NRT_STATUS nrt_profile_continuous_stop(void);

/*===----------------------------------------------------------------------===*/
/* The process                                                                */
/*===----------------------------------------------------------------------===*/

typedef struct nrt_inspect_config nrt_inspect_config_t;

/* How device profiles are divided into files. AWS's numbers are not public. */
typedef enum {
  NRT_INSPECT_DEVICE_PROFILE_MODE_MODEL = 0,   /* one a model and core */
  NRT_INSPECT_DEVICE_PROFILE_MODE_SESSION = 1, /* one a core */
} nrt_inspect_device_profile_mode_t;

/** With these defaults: session 1, folder ./output, all activities, cores and
    types of events, inspection off, also on failure. */
NRT_STATUS nrt_inspect_config_allocate(nrt_inspect_config_t **options);
NRT_STATUS nrt_inspect_config_set_defaults(nrt_inspect_config_t *options);
NRT_STATUS nrt_inspect_config_free(nrt_inspect_config_t *options);
NRT_STATUS nrt_inspect_config_set_session_id(nrt_inspect_config_t *options,
                                             int session_id);
/** NRT_INVALID for none. */
NRT_STATUS nrt_inspect_config_set_output_dir(nrt_inspect_config_t *options,
                                             const char *output_dir);
NRT_STATUS nrt_inspect_config_set_sys_trace_max_events_per_nc(
    nrt_inspect_config_t *options, uint64_t sys_trace_max_events_per_nc);
NRT_STATUS
nrt_inspect_config_set_capture_enabled_for_nc(nrt_inspect_config_t *options,
                                              uint32_t nc_idx, bool enabled);
/** A name that nrt_sys_trace_get_event_types lists, else NRT_INVALID. */
NRT_STATUS nrt_inspect_config_set_capture_enabled_for_event_type_string(
    nrt_inspect_config_t *options, const char *event_type, bool enabled);
NRT_STATUS nrt_inspect_config_set_enable_inspect(nrt_inspect_config_t *options,
                                                 bool enable_inspect);
/** Writes what there is when an execution fails, and goes on. */
NRT_STATUS
nrt_inspect_config_set_enable_inspect_on_fail(nrt_inspect_config_t *options,
                                              bool enable_inspect_on_fail);
NRT_STATUS nrt_inspect_config_set_inspect_device_profile_mode(
    nrt_inspect_config_t *options, nrt_inspect_device_profile_mode_t mode);

/** system_profile, device_profile, host_memory, cpu_util. */
NRT_STATUS
nrt_inspect_config_get_all_activity_types(const char ***activity_types,
                                          size_t *count);
NRT_STATUS
nrt_inspect_config_get_enabled_activity_types(nrt_inspect_config_t *options,
                                              const char ***activity_types,
                                              size_t *count);
void nrt_inspect_config_free_activity_types(const char **activity_types,
                                            size_t count);
/** One of the four, or "all"; else NRT_INVALID. */
NRT_STATUS nrt_inspect_config_set_activity(nrt_inspect_config_t *options,
                                           const char *activity_type,
                                           bool enabled);

/** As NEURON_RT_INSPECT_* say; without NEURON_RT_INSPECT_ENABLE the folder is
    written all the same, for the call asks for it. NRT_FAILURE if an inspection
    is on, for example one that nrt_init began because of that variable. */
NRT_STATUS nrt_inspect_begin(void);
/** As the options say, whatever the environment; null: the defaults. Options
    that do not enable inspection begin none: success, and nothing is written.
 */
NRT_STATUS nrt_inspect_begin_with_options(nrt_inspect_config_t *options);
/** Writes OUTPUT_DIR/INSTANCE_pid_PID/TIME/; nrt_close does so too. NRT_FAILURE
    if no inspection is on. */
NRT_STATUS nrt_inspect_stop(void);

#ifdef __cplusplus
}
#endif
#endif
