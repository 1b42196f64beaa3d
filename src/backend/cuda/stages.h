/* How long the parts of a color sum take, by events of the device. */
#ifndef BG_BACKEND_CUDA_STAGES_H
#define BG_BACKEND_CUDA_STAGES_H

#ifndef BLOCKGEN_EXPERIMENTAL
#define BLOCKGEN_EXPERIMENTAL
#endif
#include "blockgen/blockgen.h"
#include "backend/cuda/instance.h"

/* For the current device; *marks is NULL on failure. */
bg_status bg_cuda_marks_create(cuda_marks **marks, bg_error *error);
void bg_cuda_marks_destroy(cuda_marks *marks);

/* Waits for the last mark, adds up the parts and starts anew. */
bg_status bg_cuda_marks_read(cuda_marks *marks, bg_stages *stages, bg_error *error);

#endif
