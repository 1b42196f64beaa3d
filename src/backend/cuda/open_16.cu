/* Draws of colors with quark lines, 16 events at a time. */
#define OPEN_STRIDE 16
#define OPEN_INSTANCE bg_cuda_open_16
extern __shared__ double2 chip[];
#include "backend/cuda/open_draw.cuh"
