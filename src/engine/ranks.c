#include "engine/ranks.h"

#ifdef BG_HAVE_MPI

#include <limits.h>
#include <mpi.h>
#include <stdlib.h>

static int active(void)
{
    int started = 0, ended = 0;
    MPI_Initialized(&started);
    if (started) MPI_Finalized(&ended);
    return started && !ended;
}

void bg_ranks_start(int *argc, char ***argv)
{
    /* Starting MPI takes longer than a small integration: only where a launcher has left its mark. */
    static const char *const marks[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMI_RANK", "PMIX_RANK", "MPI_LOCALNRANKS"};
    if (active()) return;
    for (size_t k = 0; k < sizeof marks / sizeof *marks; k++)
        if (getenv(marks[k])) {
            int provided;
            /* threads compute, one of them communicates */
            MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided);
            return;
        }
}

void bg_ranks_stop(void)
{
    if (active()) MPI_Finalize();
}

int bg_ranks_count(void)
{
    int n = 1;
    if (active()) MPI_Comm_size(MPI_COMM_WORLD, &n);
    return n;
}

int bg_ranks_mine(void)
{
    int r = 0;
    if (active()) MPI_Comm_rank(MPI_COMM_WORLD, &r);
    return r;
}

/* MPI counts are int: longer arrays go in pieces. */
static int piece(size_t left) { return left < INT_MAX / 16 ? (int)left : INT_MAX / 16; }

void bg_ranks_sum(int64_t *values, size_t count)
{
    if (!active()) return;
    for (size_t done = 0; done < count; done += (size_t)piece(count - done))
        MPI_Allreduce(MPI_IN_PLACE, values + done, piece(count - done), MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
}

void bg_ranks_max(double *values, size_t count)
{
    if (!active()) return;
    for (size_t done = 0; done < count; done += (size_t)piece(count - done))
        MPI_Allreduce(MPI_IN_PLACE, values + done, piece(count - done), MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
}

void bg_ranks_broadcast(void *data, size_t bytes)
{
    if (!active()) return;
    for (size_t done = 0; done < bytes; done += (size_t)piece(bytes - done))
        MPI_Bcast((char *)data + done, piece(bytes - done), MPI_BYTE, 0, MPI_COMM_WORLD);
}

#else

void bg_ranks_start(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
}
void bg_ranks_stop(void) {}
int bg_ranks_count(void) { return 1; }
int bg_ranks_mine(void) { return 0; }
void bg_ranks_sum(int64_t *values, size_t count)
{
    (void)values;
    (void)count;
}
void bg_ranks_max(double *values, size_t count)
{
    (void)values;
    (void)count;
}
void bg_ranks_broadcast(void *data, size_t bytes)
{
    (void)data;
    (void)bytes;
}

#endif
