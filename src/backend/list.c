/* The backends that are built in, best first. */
#include "backend/backend.h"
#include "backend/cpu/cpu.h"
#ifdef BG_HAVE_CUDA
#include "backend/cuda/cuda.h"
#endif

const bg_backend *const bg_backends[] = {
#ifdef BG_HAVE_CUDA
    &bg_backend_cuda,
#endif
    &bg_backend_cpu,
    NULL,
};
