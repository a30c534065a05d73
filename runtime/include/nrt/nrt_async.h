/* nrt_async.h - explicitly asynchronous transfers and executions
 *
 * The third version of the interface (runtime 2.31 and later), written from
 * public documentation and release notes. Earlier libraries have functions of
 * these names with other arguments: ask nrt_get_version first.
 *
 * A schedule call returns at once. It puts a request into a queue of an
 * execution unit (XU) of a core:
 *
 *   NRTA_XU_TENSOR_OP    2 queues: transfers
 *   NRTA_XU_COMPUTE      1 queue: executions
 *   NRTA_XU_COLLECTIVES  3 queues; the simulator has no collectives
 *
 * The requests of a queue run in order, one after the other. Queues have no
 * order among each other: wait for what a request needs. A full queue answers
 * NRT_QUEUE_FULL; try again when a request has completed. At most 8 executions
 * are scheduled and not completed (NEURON_RT_XU_COMPUTE_MAX_QUEUED_REQUESTS:
 * 1 to 63), and at most 63 transfers.
 *
 * *ret gets the request's status before anyone can see that it has completed;
 * it must live until then. So must the caller's buffers. Models, tensors and
 * sets may be freed, and sets changed, as soon as the call has returned. A
 * request that fails completes like any other.
 *
 * NRT_EXEC_UNIT_UNRECOVERABLE is final for a unit: what is queued there and
 * what is scheduled later fails with it until nrt_close and nrt_init.
 *
 * nrt_close ends what runs, completes what is queued with NRT_CLOSED, and
 * returns when no request is left. A process that was forked after nrt_init
 * has no threads to run requests: there these functions fail until nrt_close
 * and nrt_init.
 */
#ifndef NEURON_MLIR_NRT_ASYNC_H
#define NEURON_MLIR_NRT_ASYNC_H

#include "nrt/nrt.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  NRTA_XU_TENSOR_OP = 0,
  NRTA_XU_COMPUTE = 1,
  NRTA_XU_COLLECTIVES = 2,
  NRTA_XU_TYPE_NUM = 3,
} nrta_xu_t;

/* Bits 63 to 48 name the queue, bits 47 to 0 count its requests from 1. Only
   numbers of one queue can be compared. */
typedef uint64_t nrta_seq_t;
#define NRTA_SEQ_GET_SEQ_NUM(seq) ((seq) & ((UINT64_C(1) << 48) - 1))

/** `size` bytes from `buffer` to `offset` of the tensor, by a queue of core
    `lnc`, which must be the tensor's if it is on a device. */
NRT_STATUS nrta_tensor_write(nrt_tensor_t *tensor, const void *buffer,
                             uint64_t offset, uint64_t size, int lnc, int queue,
                             NRT_STATUS *ret, nrta_seq_t *seq);
NRT_STATUS nrta_tensor_read(void *buffer, nrt_tensor_t *tensor, uint64_t offset,
                            uint64_t size, int lnc, int queue, NRT_STATUS *ret,
                            nrta_seq_t *seq);
/** By a queue of the core that one of the tensors is on. */
NRT_STATUS nrta_tensor_copy(nrt_tensor_t *source, uint64_t source_offset,
                            nrt_tensor_t *destination, uint64_t offset,
                            uint64_t size, int queue, NRT_STATUS *ret,
                            nrta_seq_t *seq);
/** Binds the sets' tensors now: a missing one fails this call. */
NRT_STATUS nrta_execute_schedule(nrt_model_t *model,
                                 const nrt_tensor_set_t *inputs,
                                 nrt_tensor_set_t *outputs, int queue,
                                 NRT_STATUS *ret, nrta_seq_t *seq);

/** NRT_INVALID for a number that no request has. */
NRT_STATUS nrta_is_completed(nrta_seq_t seq, bool *is_completed);
/** The last request of the queue that has completed; its count is 0 if none
    has. */
NRT_STATUS nrta_get_sequence(uint32_t lnc, nrta_xu_t xu, int queue,
                             nrta_seq_t *seq);

/** Adds 1 to the eventfd when the request completes, or now if it has. Another
    call for the request replaces the descriptor; -1 takes it back. The runtime
    uses a duplicate: the caller may close its own at any time. */
NRT_STATUS nrta_event_register_seq_id_completion(nrta_seq_t seq, int efd);
/** Adds 1 to the eventfd at each completion in the queue from now on. Another
    call for the queue replaces the descriptor; a negative one takes it back. */
NRT_STATUS nrta_event_register_xu_completion(int lnc, nrta_xu_t xu, int queue,
                                             int efd);

#ifdef __cplusplus
}
#endif
#endif
