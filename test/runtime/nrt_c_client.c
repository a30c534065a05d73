/* nrt_c_client.c - our headers are C, and the library links to C programs. */
#include "nrt/neuron_sim.h"
#include "nrt/nrt.h"
#include "nrt/nrt_async.h"
#include "nrt/nrt_experimental.h"
#include "nrt/nrt_profile.h"
#include "nrt/nrt_sys_trace.h"
#include "nrt/nrt_version.h"

NRT_STATUS nrt_c_client(nrt_version_t *version) {
  return nrt_get_version(version, sizeof *version);
}
