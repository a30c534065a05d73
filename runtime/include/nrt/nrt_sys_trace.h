/* nrt_sys_trace.h - the system trace: what the runtime did, and when
 *
 * Written from public documentation and from clients of the interface. Between
 * start and stop each core has a ring of events; the oldest are dropped when
 * it is full. Fetching takes events out, as JSON:
 *
 *   {"events": [
 *     {"event_type": "nc_exec_running", "phase": "start", "tracking_id": 17,
 *      "timestamp_ns": ..., "nc_idx": 0, "thread_id": ..., "process_id": ...,
 *      "data": {"nc_timestamp_ns": ..., "exec_id": 5, ...}},
 *     {"event_type": "nc_exec_running", "phase": "stop", ...}, ...],
 *    "data_version": 2}
 *
 * docs/profiling.md lists the types and their data. Work on tensors of the host
 * alone belongs to no core and is not recorded.
 */
#ifndef NEURON_MLIR_NRT_SYS_TRACE_H
#define NEURON_MLIR_NRT_SYS_TRACE_H

#include "nrt/nrt.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct nrt_sys_trace_config nrt_sys_trace_config_t;
typedef struct nrt_sys_trace_fetch_options nrt_sys_trace_fetch_options_t;

/** All cores, all types, 1,000,000 events a core. */
NRT_STATUS nrt_sys_trace_config_allocate(nrt_sys_trace_config_t **options);
void nrt_sys_trace_config_set_defaults(nrt_sys_trace_config_t *options);
void nrt_sys_trace_config_free(nrt_sys_trace_config_t *options);
/** Events that a core's ring holds; a start and its stop are two. */
void nrt_sys_trace_config_set_max_events_per_nc(nrt_sys_trace_config_t *options,
                                                uint64_t max_events_per_nc);
void nrt_sys_trace_config_set_capture_enabled_for_nc(
    nrt_sys_trace_config_t *options, uint32_t nc_idx, bool enabled);
/** NRT_INVALID for a name that nrt_sys_trace_get_event_types does not list. */
NRT_STATUS nrt_sys_trace_config_set_capture_enabled_for_event_type(
    nrt_sys_trace_config_t *options, const char *event_type, bool enabled);

/** An array of strings from malloc: nrt_sys_trace_free_event_types, or free
    for each and for the array. */
NRT_STATUS nrt_sys_trace_get_event_types(const char ***event_types,
                                         size_t *count);
NRT_STATUS nrt_sys_trace_config_get_enabled_event_types(
    nrt_sys_trace_config_t *options, const char ***event_types, size_t *count);
void nrt_sys_trace_free_event_types(const char **event_types, size_t count);

/** Copies the options; null: the defaults. NRT_FAILURE if a trace is on. */
NRT_STATUS nrt_sys_trace_start(nrt_sys_trace_config_t *options);
/** Events that were not fetched are lost. NRT_FAILURE if no trace is on. */
NRT_STATUS nrt_sys_trace_stop(void);

/** All events of all cores. */
NRT_STATUS
nrt_sys_trace_fetch_options_allocate(nrt_sys_trace_fetch_options_t **options);
void nrt_sys_trace_fetch_options_set_defaults(
    nrt_sys_trace_fetch_options_t *options);
void nrt_sys_trace_fetch_options_free(nrt_sys_trace_fetch_options_t *options);
void nrt_sys_trace_fetch_options_set_max_events_per_nc(
    nrt_sys_trace_fetch_options_t *options, uint64_t max_events_per_nc);
void nrt_sys_trace_fetch_options_set_nc_idx(
    nrt_sys_trace_fetch_options_t *options, uint64_t nc_idx);

/** Takes the oldest events. *written_size is the text's length without its NUL;
    options may be null. */
NRT_STATUS
nrt_sys_trace_fetch_events(char **buffer, size_t *written_size,
                           const nrt_sys_trace_fetch_options_t *options);
void nrt_sys_trace_buffer_free(char *buffer);

#ifdef __cplusplus
}
#endif
#endif
