/* A kernel of a program that was written out as code (backend/straight.h): what straight.c, one object for each of them, and the plan
 * share. */
#ifndef BG_BACKEND_CPU_STRAIGHT_H
#define BG_BACKEND_CPU_STRAIGHT_H

#include "backend/cpu/instance.h"

typedef struct cpu_straight {
    straight_code code;
    cpu_instance instance;
} cpu_straight;

#endif
