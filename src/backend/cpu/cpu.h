#ifndef BG_BACKEND_CPU_CPU_H
#define BG_BACKEND_CPU_CPU_H

#include "backend/backend.h"

extern const bg_backend bg_backend_cpu;

#endif
