/* Draws of colors with quark lines, 8 events at a time. */
#define OPEN_STRIDE 8
#define OPEN_INSTANCE bg_cuda_open_8
extern __shared__ double2 chip[];
#include "backend/cuda/open_draw.cuh"
