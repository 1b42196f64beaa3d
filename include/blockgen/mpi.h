/* Ranks of MPI for bg_integrate(): an adaptor of inline functions, so that the library itself needs no MPI.
 *
 *     MPI_Init(&argc, &argv);
 *     bg_mpi mpi;
 *     bg_integration integration;
 *     bg_integration_init(&integration);
 *     if (bg_mpi_init(&mpi, MPI_COMM_WORLD) == MPI_SUCCESS) integration.communicator = &mpi.communicator;
 *     bg_integrate(process, &options, &integration, &result, &error);    (on every rank)
 *     bg_mpi_free(&mpi);
 *     MPI_Finalize();
 *
 * The communicator is duplicated, so messages of the program and of the library do not meet. A bg_mpi stays where it is
 * while it is in use, because the communicator points to it. Where threads compute, one of them communicates: MPI must have
 * been started with MPI_THREAD_FUNNELED at least, by the thread that calls bg_integrate().
 */
#ifndef BLOCKGEN_MPI_H
#define BLOCKGEN_MPI_H

#include "blockgen/blockgen.h"

#include <mpi.h>
#include <stdlib.h>

typedef struct bg_mpi {
    bg_communicator communicator;
    MPI_Comm comm;
} bg_mpi;

/* MPI counts are int: longer arrays go in pieces. */
static inline int bg_mpi_piece(size_t left) { return left < ((size_t)1 << 26) ? (int)left : 1 << 26; }

static inline int bg_mpi_sum(int64_t *values, size_t count, void *user)
{
    const bg_mpi *m = (const bg_mpi *)user;
    for (size_t done = 0; done < count; done += (size_t)bg_mpi_piece(count - done))
        if (MPI_Allreduce(MPI_IN_PLACE, values + done, bg_mpi_piece(count - done), MPI_INT64_T, MPI_SUM, m->comm) !=
            MPI_SUCCESS)
            return 1;
    return 0;
}

static inline int bg_mpi_max(double *values, size_t count, void *user)
{
    const bg_mpi *m = (const bg_mpi *)user;
    for (size_t done = 0; done < count; done += (size_t)bg_mpi_piece(count - done))
        if (MPI_Allreduce(MPI_IN_PLACE, values + done, bg_mpi_piece(count - done), MPI_DOUBLE, MPI_MAX, m->comm) !=
            MPI_SUCCESS)
            return 1;
    return 0;
}

static inline int bg_mpi_broadcast(void *data, size_t bytes, void *user)
{
    const bg_mpi *m = (const bg_mpi *)user;
    for (size_t done = 0; done < bytes; done += (size_t)bg_mpi_piece(bytes - done))
        if (MPI_Bcast((char *)data + done, bg_mpi_piece(bytes - done), MPI_BYTE, 0, m->comm) != MPI_SUCCESS) return 1;
    return 0;
}

/* Collective over `comm`. Returns MPI_SUCCESS, or what MPI says. */
static inline int bg_mpi_init(bg_mpi *m, MPI_Comm comm)
{
    MPI_Comm machine;
    if (!m) return MPI_ERR_ARG;
    bg_communicator *c = &m->communicator;
    bg_communicator_init(c);
    int code = MPI_Comm_dup(comm, &m->comm);
    if (code != MPI_SUCCESS) return code;
    code = MPI_Comm_rank(m->comm, &c->rank);
    if (code == MPI_SUCCESS) code = MPI_Comm_size(m->comm, &c->ranks);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_split_type(m->comm, MPI_COMM_TYPE_SHARED, c->rank, MPI_INFO_NULL, &machine);
    if (code == MPI_SUCCESS) {
        code = MPI_Comm_rank(machine, &c->local_rank);
        if (code == MPI_SUCCESS) code = MPI_Comm_size(machine, &c->local_ranks);
        MPI_Comm_free(&machine);
    }
    c->sum = bg_mpi_sum;
    c->max = bg_mpi_max;
    c->broadcast = bg_mpi_broadcast;
    c->user = m;
    if (code != MPI_SUCCESS) MPI_Comm_free(&m->comm);
    return code;
}

/* Collective as well, before MPI_Finalize(). */
static inline void bg_mpi_free(bg_mpi *m)
{
    if (m) MPI_Comm_free(&m->comm);
}

/* Whether a launcher such as mpirun has started this process, by the marks that it leaves in the environment: starting MPI
 * takes longer than a small integration, and some libraries refuse it without a launcher. */
static inline int bg_mpi_launched(void)
{
    static const char *const marks[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMI_RANK", "PMIX_RANK", "MPI_LOCALNRANKS"};
    for (size_t k = 0; k < sizeof marks / sizeof *marks; k++)
        if (getenv(marks[k])) return 1;
    return 0;
}

#endif
