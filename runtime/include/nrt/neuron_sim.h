/* neuron_sim.h - what only the simulator can say
 *
 * Optional functions of neuron-mlir's libnrt.so.1. AWS's library has none of
 * them: look them up with dlsym and do without when they are missing.
 *
 * All times are the simulator's predictions for the device, in picoseconds.
 * They depend on the program and the target alone, never on this computer.
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
    it; another answer than 0 ends the execution with NRT_TIMEOUT. Null: none.
    A lock that the callback takes (Python's GIL) must not be held around
    nrt_execute and nrt_close. */
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

#ifdef __cplusplus
}
#endif
#endif
