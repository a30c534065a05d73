/* nrt.h - the Neuron runtime's C API
 *
 * The synchronous part of the public NRT interface: what neuron-mlir's
 * libnrt.so.1 implements over its simulator, and what it uses of AWS's
 * library on Trainium. Written from public documentation of names, values,
 * layouts and behaviour; the layouts are checked below.
 *
 * Order of calls: nrt_init, then anything, then nrt_close; nrt_init again is
 * fine. Before nrt_init only nrt_get_{total,visible}_{nc,vnc}_count,
 * nrt_get_version and nrt_get_instance_info may be called: other calls return
 * NRT_UNINITIALIZED, and NRT_CLOSED after nrt_close.
 *
 * A core index (`vnc`) counts the visible cores of this process from 0.
 */
#ifndef NEURON_MLIR_NRT_H
#define NEURON_MLIR_NRT_H

#include "nrt/nrt_status.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NRT_MAJOR_VERSION 2
#define NRT_MINOR_VERSION 0
#define NRT_TENSOR_NAME_MAX 256

#ifdef __cplusplus
extern "C" {
#endif

/*===----------------------------------------------------------------------===*/
/* Types                                                                      */
/*===----------------------------------------------------------------------===*/

typedef struct nrt_model nrt_model_t;
typedef struct nrt_tensor nrt_tensor_t;
typedef void nrt_tensor_set_t;

typedef enum {
  NRT_TENSOR_PLACEMENT_DEVICE = 0,
  NRT_TENSOR_PLACEMENT_HOST = 1,
  NRT_TENSOR_PLACEMENT_VIRTUAL = 2, /* removed from AWS's runtime in 2.32 */
} nrt_tensor_placement_t;

typedef enum {
  NRT_FRAMEWORK_TYPE_INVALID = 0,
  NRT_FRAMEWORK_TYPE_NO_FW = 1,
  NRT_FRAMEWORK_TYPE_TENSORFLOW = 2,
  NRT_FRAMEWORK_TYPE_PYTORCH = 3,
  NRT_FRAMEWORK_TYPE_MXNET = 4,
  NRT_FRAMEWORK_TYPE_PRECHECK = 5,
} nrt_framework_type_t;

typedef enum {
  NRT_TENSOR_USAGE_INPUT = 0,
  NRT_TENSOR_USAGE_OUTPUT = 1,
} nrt_tensor_usage_t;

/* The codes of runtime 2.30 and later; earlier headers numbered otherwise. */
typedef enum {
  NRT_DTYPE_UNKNOWN = 0x0, /* also for what has no code: float64, float8_e*fnuz,
                              float8_e8m0fnu */
  NRT_DTYPE_UINT64 = 0x1,
  NRT_DTYPE_INT8 = 0x2,
  NRT_DTYPE_UINT8 = 0x3, /* also for bool */
  NRT_DTYPE_INT16 = 0x4,
  NRT_DTYPE_UINT16 = 0x5,
  NRT_DTYPE_BFLOAT16 = 0x6,
  NRT_DTYPE_FLOAT16 = 0x7,
  NRT_DTYPE_INT32 = 0x8,
  NRT_DTYPE_UINT32 = 0x9,
  NRT_DTYPE_FLOAT32 = 0xA,
  NRT_DTYPE_FP32R = 0xB,
  NRT_DTYPE_INT64 = 0xC,
  NRT_DTYPE_FP8_E3 = 0xD,
  NRT_DTYPE_FP8_E4 = 0xE, /* float8_e4m3fn */
  NRT_DTYPE_FP8_E5 = 0xF, /* float8_e5m2 */
} nrt_dtype_t;

typedef enum {
  NRT_INSTANCE_FAMILY_UNKNOWN = 0,
  NRT_INSTANCE_FAMILY_INF1 = 1,
  NRT_INSTANCE_FAMILY_TRN1 = 2,
  NRT_INSTANCE_FAMILY_TRN1N = 3,
  NRT_INSTANCE_FAMILY_INF2 = 4,
  NRT_INSTANCE_FAMILY_TRN2 = 5,
  NRT_INSTANCE_FAMILY_TRN2N = 6,
  NRT_INSTANCE_FAMILY_INF2E = 7,
  NRT_INSTANCE_FAMILY_TRN2P = 8,
  NRT_INSTANCE_FAMILY_TRN2U = 9,
  NRT_INSTANCE_FAMILY_TRN2E = 10,
  NRT_INSTANCE_FAMILY_TRN2EU = 11,
  NRT_INSTANCE_FAMILY_TRN2AC = 12,
  NRT_INSTANCE_FAMILY_TRN2UAC = 13,
  NRT_INSTANCE_FAMILY_TRN3 = 14,
  NRT_INSTANCE_FAMILY_TRN3PDS98 = 15,
} nrt_instance_family_t;

typedef enum {
  NRT_INSTANCE_SIZE_1XL = 0,
  NRT_INSTANCE_SIZE_2XL = 1,
  NRT_INSTANCE_SIZE_4XL = 2,
  NRT_INSTANCE_SIZE_6XL = 3,
  NRT_INSTANCE_SIZE_8XL = 4,
  NRT_INSTANCE_SIZE_24XL = 5,
  NRT_INSTANCE_SIZE_32XL = 6,
  NRT_INSTANCE_SIZE_48XL = 7,
  NRT_INSTANCE_SIZE_3XL = 8,
  NRT_INSTANCE_SIZE_UNKNOWN = 9,
} nrt_instance_size_t;

/* Grew from its first 8 bytes: pass the size you know. */
typedef struct {
  uint32_t family; /* nrt_instance_family_t */
  uint32_t size;   /* nrt_instance_size_t */
  char arch_name[16];
  char device_revision[8];
} nrt_instance_info_t;

typedef struct {
  uint64_t rt_major;
  uint64_t rt_minor;
  uint64_t rt_patch;
  uint64_t rt_maintenance;
  char rt_detail[128];
  char git_hash[64];
} nrt_version_t;

typedef struct {
  char name[NRT_TENSOR_NAME_MAX];
  nrt_tensor_usage_t usage;
  size_t size; /* bytes */
  nrt_dtype_t dtype;
  uint32_t *shape;
  uint32_t ndim;
} nrt_tensor_info_t;

typedef struct {
  uint64_t tensor_count;
  nrt_tensor_info_t tensor_array[];
} nrt_tensor_info_array_t;

typedef struct {
  uint64_t offset;
  uint64_t size;
  void *buffer;
} nrt_tensor_batch_op_t;

typedef struct {
  const nrt_tensor_t *tensor;
  const nrt_tensor_batch_op_t *ops;
  uint32_t num_ops;
} nrt_tensor_batch_t;

typedef struct {
  uint64_t physical_address;
  size_t size;
  int hbm_index;
} nrt_tensor_device_allocation_info_t;

/* The next two may grow: callers pass the size they know and are told ours. */
typedef struct {
  size_t bytes_used;
  size_t bytes_limit;
} nrt_vnc_memory_stats_t;

typedef struct {
  uint32_t vnc;
} nrt_model_info_t;

/*===----------------------------------------------------------------------===*/
/* Start, end, and what there is                                              */
/*===----------------------------------------------------------------------===*/

NRT_STATUS nrt_init(nrt_framework_type_t framework, const char *fw_version,
                    const char *fal_version);
void nrt_close(void);

NRT_STATUS nrt_get_total_nc_count(uint32_t *nc_count);
NRT_STATUS nrt_get_total_vnc_count(uint32_t *vnc_count);
NRT_STATUS nrt_get_visible_nc_count(uint32_t *nc_count);
NRT_STATUS nrt_get_visible_vnc_count(uint32_t *vnc_count);

/** Copies at most `size` bytes. */
NRT_STATUS nrt_get_version(nrt_version_t *version, size_t size);
/** Copies at most `length` bytes. */
NRT_STATUS nrt_get_instance_info(nrt_instance_info_t *info, size_t length);
NRT_STATUS nrt_get_vnc_memory_stats(uint32_t vnc, nrt_vnc_memory_stats_t *stats,
                                    size_t size_in, size_t *size_out);

/*===----------------------------------------------------------------------===*/
/* Models                                                                     */
/*===----------------------------------------------------------------------===*/

/** The bytes may be freed afterwards. vnc: -1 lets the runtime choose.
    vnc_count: -1 or 1. */
NRT_STATUS nrt_load(const void *neff_bytes, size_t size, int32_t vnc,
                    int32_t vnc_count, nrt_model_t **model);
NRT_STATUS nrt_load_collectives(const void *neff_bytes, size_t size,
                                int32_t vnc, int32_t vnc_count,
                                uint32_t ctx_device_id,
                                uint32_t ctx_device_count, nrt_model_t **model);
NRT_STATUS nrt_unload(nrt_model_t *model);

NRT_STATUS nrt_get_model_nc_count(const nrt_model_t *model, uint32_t *count);
NRT_STATUS nrt_get_model_vnc_count(const nrt_model_t *model, uint32_t *count);
NRT_STATUS nrt_get_model_instance_count(nrt_model_t *model, uint32_t *count);
NRT_STATUS nrt_get_model_info(const nrt_model_t *model, nrt_model_info_t *info,
                              size_t size_in, size_t *size_out);

/** Inputs and outputs; free with nrt_free_model_tensor_info. */
NRT_STATUS nrt_get_model_tensor_info(nrt_model_t *model,
                                     nrt_tensor_info_array_t **info);
NRT_STATUS nrt_free_model_tensor_info(nrt_tensor_info_array_t *info);

/*===----------------------------------------------------------------------===*/
/* Tensors                                                                    */
/*===----------------------------------------------------------------------===*/

/** `name` may be null. */
NRT_STATUS nrt_tensor_allocate(nrt_tensor_placement_t placement, int vnc,
                               size_t size, const char *name,
                               nrt_tensor_t **tensor);
/** A tensor of no storage, for nrt_tensor_attach_buffer. */
NRT_STATUS nrt_tensor_allocate_empty(const char *name, nrt_tensor_t **tensor);
/** The caller keeps the buffer and lets it live as long as the tensor. */
NRT_STATUS nrt_tensor_attach_buffer(nrt_tensor_t *tensor, void *buffer,
                                    size_t size);
/** Shares the source's storage and keeps it alive. */
NRT_STATUS nrt_tensor_allocate_slice(const nrt_tensor_t *source, size_t offset,
                                     size_t size, const char *name,
                                     nrt_tensor_t **slice);
/** Sets *tensor to null. */
void nrt_tensor_free(nrt_tensor_t **tensor);

NRT_STATUS nrt_tensor_read(const nrt_tensor_t *tensor, void *buffer,
                           size_t offset, size_t size);
NRT_STATUS nrt_tensor_write(nrt_tensor_t *tensor, const void *buffer,
                            size_t offset, size_t size);
NRT_STATUS nrt_tensor_read_batch(const nrt_tensor_batch_t *batches,
                                 uint64_t num_batches, bool unsafe);
NRT_STATUS nrt_tensor_write_batch(const nrt_tensor_batch_t *batches,
                                  uint64_t num_batches, bool unsafe);
NRT_STATUS nrt_tensor_copy(const nrt_tensor_t *source, size_t source_offset,
                           nrt_tensor_t *destination, size_t offset,
                           size_t size);
NRT_STATUS nrt_tensor_memset(nrt_tensor_t *tensor, uint64_t offset, int value,
                             size_t size);

/** 0 for an invalid handle. */
size_t nrt_tensor_get_size(const nrt_tensor_t *tensor);
/** An address that the CPU can use; null for an invalid handle or a tensor
    without storage. */
void *nrt_tensor_get_va(const nrt_tensor_t *tensor);
NRT_STATUS nrt_tensor_get_device_allocation_info(
    const nrt_tensor_t *tensor, nrt_tensor_device_allocation_info_t *info);
NRT_STATUS nrt_tensor_get_lnc_index(const nrt_tensor_t *tensor, int *lnc);
NRT_STATUS nrt_memcpy_to_device(void *destination, const void *source,
                                size_t size);

/*===----------------------------------------------------------------------===*/
/* Tensor sets and execution                                                  */
/*===----------------------------------------------------------------------===*/

NRT_STATUS nrt_allocate_tensor_set(nrt_tensor_set_t **result);
/** Leaves the tensors alone; sets *set to null. */
void nrt_destroy_tensor_set(nrt_tensor_set_t **set);
/** Adds, or replaces what has that name. */
NRT_STATUS nrt_add_tensor_to_tensor_set(nrt_tensor_set_t *set, const char *name,
                                        nrt_tensor_t *tensor);
/** NRT_FAILURE, and *tensor untouched, if the set has no such name. */
NRT_STATUS nrt_get_tensor_from_tensor_set(nrt_tensor_set_t *set,
                                          const char *name,
                                          nrt_tensor_t **tensor);

/** Blocks. A tensor may be in both sets. */
NRT_STATUS nrt_execute(nrt_model_t *model, const nrt_tensor_set_t *inputs,
                       nrt_tensor_set_t *outputs);

#ifdef __cplusplus
}
#endif

/*===----------------------------------------------------------------------===*/
/* Layouts                                                                    */
/*===----------------------------------------------------------------------===*/

#ifdef __cplusplus
#define NEURON_NRT_CHECK(condition) static_assert(condition, "NRT layout")
#else
#define NEURON_NRT_CHECK(condition) _Static_assert(condition, "NRT layout")
#endif
NEURON_NRT_CHECK(sizeof(NRT_STATUS) == 4);
NEURON_NRT_CHECK(sizeof(nrt_instance_info_t) == 32);
NEURON_NRT_CHECK(offsetof(nrt_instance_info_t, size) == 4);
NEURON_NRT_CHECK(offsetof(nrt_instance_info_t, arch_name) == 8);
NEURON_NRT_CHECK(offsetof(nrt_instance_info_t, device_revision) == 24);
NEURON_NRT_CHECK(sizeof(nrt_version_t) == 224);
NEURON_NRT_CHECK(offsetof(nrt_version_t, rt_minor) == 8);
NEURON_NRT_CHECK(offsetof(nrt_version_t, rt_patch) == 16);
NEURON_NRT_CHECK(offsetof(nrt_version_t, rt_maintenance) == 24);
NEURON_NRT_CHECK(offsetof(nrt_version_t, rt_detail) == 32);
NEURON_NRT_CHECK(offsetof(nrt_version_t, git_hash) == 160);
NEURON_NRT_CHECK(sizeof(nrt_tensor_info_t) == 296);
NEURON_NRT_CHECK(offsetof(nrt_tensor_info_t, usage) == 256);
NEURON_NRT_CHECK(offsetof(nrt_tensor_info_t, size) == 264);
NEURON_NRT_CHECK(offsetof(nrt_tensor_info_t, dtype) == 272);
NEURON_NRT_CHECK(offsetof(nrt_tensor_info_t, shape) == 280);
NEURON_NRT_CHECK(offsetof(nrt_tensor_info_t, ndim) == 288);
NEURON_NRT_CHECK(sizeof(nrt_tensor_info_array_t) == 8);
NEURON_NRT_CHECK(offsetof(nrt_tensor_info_array_t, tensor_array) == 8);
NEURON_NRT_CHECK(sizeof(nrt_tensor_batch_op_t) == 24);
NEURON_NRT_CHECK(offsetof(nrt_tensor_batch_op_t, size) == 8);
NEURON_NRT_CHECK(offsetof(nrt_tensor_batch_op_t, buffer) == 16);
NEURON_NRT_CHECK(sizeof(nrt_tensor_batch_t) == 24);
NEURON_NRT_CHECK(offsetof(nrt_tensor_batch_t, ops) == 8);
NEURON_NRT_CHECK(offsetof(nrt_tensor_batch_t, num_ops) == 16);
NEURON_NRT_CHECK(sizeof(nrt_tensor_device_allocation_info_t) == 24);
NEURON_NRT_CHECK(offsetof(nrt_tensor_device_allocation_info_t, size) == 8);
NEURON_NRT_CHECK(offsetof(nrt_tensor_device_allocation_info_t, hbm_index) ==
                 16);
NEURON_NRT_CHECK(sizeof(nrt_vnc_memory_stats_t) == 16);
NEURON_NRT_CHECK(offsetof(nrt_vnc_memory_stats_t, bytes_limit) == 8);
NEURON_NRT_CHECK(sizeof(nrt_model_info_t) == 4);
#undef NEURON_NRT_CHECK

#endif
