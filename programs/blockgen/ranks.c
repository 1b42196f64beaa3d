#include "ranks.h"

#ifdef BG_HAVE_MPI
#include "blockgen/mpi.h"

static bg_mpi mpi;
static int started;

int ranks_start(void)
{
    int provided;
    if (!bg_mpi_launched()) return 0;
    /* threads compute, one of them communicates */
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS) return 1;
    started = bg_mpi_init(&mpi, MPI_COMM_WORLD) == MPI_SUCCESS;
    if (!started) MPI_Finalize();
    return !started;
}

void ranks_stop(void)
{
    if (!started) return;
    bg_mpi_free(&mpi);
    MPI_Finalize();
    started = 0;
}

const bg_communicator *ranks_communicator(void) { return started ? &mpi.communicator : NULL; }

#else

int ranks_start(void) { return 0; }

void ranks_stop(void) {}

const bg_communicator *ranks_communicator(void) { return NULL; }

#endif

int ranks_count(void)
{
    const bg_communicator *c = ranks_communicator();
    return c ? c->ranks : 1;
}

int ranks_mine(void)
{
    const bg_communicator *c = ranks_communicator();
    return c ? c->rank : 0;
}

double ranks_max(double value)
{
    const bg_communicator *c = ranks_communicator();
    if (c) (void)c->max(&value, 1, c->user); /* MPI itself ends the job where this fails */
    return value;
}

void ranks_broadcast(void *data, size_t bytes)
{
    const bg_communicator *c = ranks_communicator();
    if (c) (void)c->broadcast(data, bytes, c->user);
}
