#ifndef BG_BACKEND_CUDA_CUDA_H
#define BG_BACKEND_CUDA_CUDA_H

#include "backend/backend.h"

extern const bg_backend bg_backend_cuda;

#endif
