/* nrt_status.h - status codes of the NRT API
 *
 * Written for neuron-mlir from public documentation of the interface. The
 * values are those of AWS's runtime, so that either library can serve a
 * client.
 */
#ifndef NEURON_MLIR_NRT_STATUS_H
#define NEURON_MLIR_NRT_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

/* name, value, what it means */
#define NEURON_NRT_STATUSES(X)                                                 \
  X(NRT_SUCCESS, 0, "success")                                                 \
  X(NRT_FAILURE, 1, "unspecific failure")                                      \
  X(NRT_INVALID, 2, "invalid NEFF, tensor name, size or argument")             \
  X(NRT_INVALID_HANDLE, 3, "stale or wrong handle")                            \
  X(NRT_RESOURCE, 4, "no resource, for example device memory")                 \
  X(NRT_TIMEOUT, 5, "timed out")                                               \
  X(NRT_HW_ERROR, 6, "hardware failure")                                       \
  X(NRT_QUEUE_FULL, 7, "execution queue full")                                 \
  X(NRT_LOAD_NOT_ENOUGH_NC, 9, "not enough cores for the NEFF")                \
  X(NRT_UNSUPPORTED_NEFF_VERSION, 10, "NEFF of another version")               \
  X(NRT_FAIL_HOST_MEM_ALLOC, 11, "no host memory")                             \
  X(NRT_UNINITIALIZED, 13, "call before nrt_init")                             \
  X(NRT_CLOSED, 14, "call after nrt_close")                                    \
  X(NRT_QUEUE_EMPTY, 15, "nothing in the queue")                               \
  X(NRT_EXEC_UNIT_UNRECOVERABLE, 101, "unit dead until the next nrt_init")     \
  X(NRT_EXEC_BAD_INPUT, 1002, "invalid input to an execution")                 \
  X(NRT_EXEC_COMPLETED_WITH_NUM_ERR, 1003, "completed, made NaN")              \
  X(NRT_EXEC_COMPLETED_WITH_ERR, 1004, "completed with errors")                \
  X(NRT_EXEC_NC_BUSY, 1005, "core locked by another model or process")         \
  X(NRT_EXEC_OOB, 1006, "indirect access out of bounds")                       \
  X(NRT_COLL_PENDING, 1100, "collective pending")                              \
  X(NRT_EXEC_HW_ERR_COLLECTIVES, 1200, "collective stuck")                     \
  X(NRT_EXEC_HW_ERR_HBM_UE, 1201, "HBM uncorrectable error")                   \
  X(NRT_EXEC_HW_ERR_NC_UE, 1202, "on-chip memory parity error")                \
  X(NRT_EXEC_HW_ERR_DMA_ABORT, 1203, "DMA aborted")                            \
  X(NRT_EXEC_SW_NQ_OVERFLOW, 1204, "notification queue overflow")              \
  X(NRT_EXEC_HW_ERR_REPAIRABLE_HBM_UE, 1205, "repairable HBM error")           \
  X(NRT_NETWORK_PROXY_FAILURE, 1206, "network proxy failure")

typedef enum {
#define NEURON_NRT_STATUS_ENUM(name, value, meaning) name = value,
  NEURON_NRT_STATUSES(NEURON_NRT_STATUS_ENUM)
#undef NEURON_NRT_STATUS_ENUM
} NRT_STATUS;

/** The enumerator's name. Clients may bring their own function of this name. */
const char *nrt_get_status_as_str(NRT_STATUS status);

#ifdef __cplusplus
}
#endif
#endif
