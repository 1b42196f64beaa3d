/* What the current device could do at best. */
#ifndef BG_BACKEND_CUDA_ROOFLINE_H
#define BG_BACKEND_CUDA_ROOFLINE_H

#ifndef BLOCKGEN_EXPERIMENTAL
#define BLOCKGEN_EXPERIMENTAL
#endif
#include "blockgen/blockgen.h"
#include "backend/cuda/instance.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Takes about `seconds` in all. */
bg_status bg_cuda_measure_roofline(double seconds, bg_roofline *roofline, bg_error *error);

#ifdef __cplusplus
}
#endif

#endif
