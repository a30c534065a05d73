/* neuron_sim.h - what only the simulator can say
 *
 * Optional functions of neuron-mlir's libnrt.so.1. AWS's library has none of
 * them: look them up with dlsym and do without when they are missing.
 *
 * All durations are the simulator's predictions for the device. They depend on
 * the program and the target alone, never on this computer.
 */
#ifndef NEURON_MLIR_NEURON_SIM_H
#define NEURON_MLIR_NEURON_SIM_H

#include "nrt/nrt.h"

#ifdef __cplusplus
extern "C" {
#endif

/** How models that are loaded from now on are run. The results are the same. */
typedef enum {
  NEURON_SIM_INTERPRETER = 0, /* checks for races and uninitialized reads */
  NEURON_SIM_COMPILED = 1,    /* native code */
} neuron_sim_form_t;

/** The text of this thread's last failed call: what, where, and what to do.
    Empty if none failed. Valid until this thread's next call. */
const char *neuron_sim_last_error(void);

/** Overrides NEURON_MLIR_SIMULATOR=interpreter|compiled (default: compiled).
    May be called before nrt_init. */
NRT_STATUS neuron_sim_set_form(int form);
/** The form a loaded model runs in. */
NRT_STATUS neuron_sim_get_model_form(const nrt_model_t *model, int *form);

/** Asked a few times a second by every nrt_execute, on the thread that called
    it, and never for a scheduled execution; another answer than 0 ends the
   execution with NRT_TIMEOUT. Null: none. A lock that the callback takes
   (Python's GIL) must not be held around nrt_execute and nrt_close. */
NRT_STATUS neuron_sim_set_interrupt(int (*interrupted)(void *argument),
                                    void *argument);

/** Threads that an execution may use from now on; 0: what OMP_NUM_THREADS says,
    or else all that the process may run on. The results are the same. */
NRT_STATUS neuron_sim_set_threads(uint32_t threads);

/** Predicted time of one execution. */
NRT_STATUS neuron_sim_predicted_time_ps(const nrt_model_t *model,
                                        uint64_t *picoseconds);
/** Predicted time of all executions finished on a core since nrt_init. */
NRT_STATUS neuron_sim_clock_ps(uint32_t vnc, uint64_t *picoseconds);

/** One executed instruction, or the transfer of one DMA. */
typedef struct {
  int64_t start_ps, end_ps; /* from the start of the execution */
  const char *unit;         /* "vector", "queue3" */
  const char *instruction;  /* as neuron-neff prints it */
  const char *location;
  const char *kernel;
} neuron_sim_event_t;

typedef struct {
  int64_t total_ps;
  uint64_t num_events;
  neuron_sim_event_t *events;
} neuron_sim_timeline_t;

/** The predicted timeline of one execution. The strings belong to it. */
NRT_STATUS neuron_sim_timeline(const nrt_model_t *model,
                               neuron_sim_timeline_t **timeline);
void neuron_sim_timeline_free(neuron_sim_timeline_t *timeline);

/* The simulated clock
 *
 * Every execution and transfer has a place on its core's device timeline, in
 * nanoseconds of CLOCK_REALTIME. It starts when it was submitted by this
 * computer's clock, or, if that is later, when what it needs of the core is
 * free (executions; transfers to the device; from it; on it), when the request
 * before it in its queue has ended, and when the last thing that the
 * submitting thread waited for has ended. How long it takes is a prediction
 * that does not depend on this computer: docs/runtime.md says where it comes
 * from. */

/** Of a request that has completed. The last 65,536 of each queue are kept.
    NRT_INVALID: no such request, not completed, or no longer kept;
    NRT_FAILURE: it has no place, because it failed. */
NRT_STATUS neuron_sim_request_span(uint64_t seq, uint64_t *start_ns,
                                   uint64_t *end_ns);
/** Of this thread's last synchronous execution or transfer; a batch is one.
    NRT_INVALID if there was none, or if it was an execution that failed. */
NRT_STATUS neuron_sim_last_span(uint64_t *start_ns, uint64_t *end_ns);

/** Why a request failed: at most `size` bytes, ending in a NUL; empty for one
    that succeeded. The last 1,024 texts of each queue are kept. */
NRT_STATUS neuron_sim_request_error(uint64_t seq, char *buffer, size_t size);

/* Profiles */

/** Where an operation of a model comes from. */
typedef struct {
  const char *id;   /* as the program's locations name it */
  const char *op;   /* what it is: "aten.mul.Tensor"; NULL if not known */
  const char *file; /* NULL if not known */
  uint32_t line;    /* from 1 */
} neuron_sim_source_line_t;

/** Gives a model the lines of its user's program, which no NEFF holds, for
    profiles that are written later. Replaces those given before. */
NRT_STATUS neuron_sim_set_source_lines(nrt_model_t *model,
                                       const neuron_sim_source_line_t *lines,
                                       size_t count);

/** The folder of the inspection that is on, or else of the last one: at most
    `size` bytes, ending in a NUL; empty if there was none. The folder is there
    from the begin of an inspection that is enabled. NRT_RESOURCE if it does not
    fit. */
NRT_STATUS neuron_sim_inspect_folder(char *buffer, size_t size);

#ifdef __cplusplus
}
#endif
#endif
