/* The ranks of a run under mpirun. Without MPI, or when it is built in but was not started, there is one rank. */
#ifndef BG_PROGRAM_RANKS_H
#define BG_PROGRAM_RANKS_H

#include "blockgen/blockgen.h"

/* Starts MPI where the program was launched by mpirun or the like, and ends it. With `threads` another thread may want to
 * communicate as well (ranks_for_thread()). Returns 0, or 1 where MPI failed. */
int ranks_start(int threads);
void ranks_stop(void);

/* For bg_integration: NULL where there is one rank. */
const bg_communicator *ranks_communicator(void);

/* Collective: the same ranks for one other thread of each. NULL where there is one rank, or where MPI wants to hear from one
 * thread only. */
const bg_communicator *ranks_for_thread(void);

int ranks_count(void);
int ranks_mine(void);

/* Collective: the largest of all ranks, and the bytes of rank 0. */
double ranks_max(double value);
void ranks_broadcast(void *data, size_t bytes);

/* What rank 0 has to say about a call that failed on every rank; "" where it did not. */
typedef struct ranks_word {
    char text[BG_MESSAGE_LENGTH];
} ranks_word;
ranks_word ranks_hear_first(bg_status status, const bg_error *error);

/* Every rank that has a reason of its own says it; what all of them know, the first. Returns the exit status. */
int ranks_fail(const char *command, bg_status status, const bg_error *error, const ranks_word *first);

/* Whether every rank has a line that it can run: otherwise none does, and the first that has not says why. Returns the exit
 * status. */
int ranks_agree_on_line(const char *command, int stop, int status);

#endif
