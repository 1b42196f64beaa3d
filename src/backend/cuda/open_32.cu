/* Draws of colors with quark lines, 32 events at a time. */
#define OPEN_STRIDE 32
#define OPEN_INSTANCE bg_cuda_open_32
extern __shared__ double2 chip[];
#include "backend/cuda/open_draw.cuh"
