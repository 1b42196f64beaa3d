/* The one thin layer over MPI. Without MPI, or when it is built in but not started, there is one rank. */
#ifndef BG_ENGINE_RANKS_H
#define BG_ENGINE_RANKS_H

#include <stddef.h>
#include <stdint.h>

/* Starts MPI where the program was launched by mpirun or the like, and ends it. For programs; the library
 * itself uses MPI only when somebody has started it. */
void bg_ranks_start(int *argc, char ***argv);
void bg_ranks_stop(void);

int bg_ranks_count(void);
int bg_ranks_mine(void);

/* Collective, in place, the result on every rank. */
void bg_ranks_sum(int64_t *values, size_t count);
void bg_ranks_max(double *values, size_t count);

/* From rank 0 to all. */
void bg_ranks_broadcast(void *data, size_t bytes);

#endif
