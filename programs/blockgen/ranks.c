#include "ranks.h"
#include "console.h"
#include "options.h"

#include <stdio.h>
#include <string.h>

#ifdef BG_HAVE_MPI
#include "blockgen/mpi.h"

static bg_mpi mpi, second;
static int started, many_threads, has_second;

/* A signal reaches one rank, and all of them must end together: whether one came travels with the maxima that the ranks form
 * in every round anyway. */
static int max_and_interrupts(double *values, size_t count, void *user)
{
    enum { SHORT = 16 };
    double longer[SHORT + 1];
    if (count > SHORT) return bg_mpi_max(values, count, user);
    memcpy(longer, values, count * sizeof *values);
    longer[count] = cli_interrupted();
    const int failed = bg_mpi_max(longer, count + 1, user);
    memcpy(values, longer, count * sizeof *values);
    if (!failed && longer[count] > 0.) cli_interrupt();
    return failed;
}

int ranks_start(int threads)
{
    int provided;
    if (!bg_mpi_launched()) return 0;
    /* threads compute, one of them communicates */
    if (MPI_Init_thread(NULL, NULL, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS)
        return 1;
    many_threads = provided == MPI_THREAD_MULTIPLE;
    started = bg_mpi_init(&mpi, MPI_COMM_WORLD) == MPI_SUCCESS;
    mpi.communicator.max = max_and_interrupts;
    if (!started) MPI_Finalize();
    return !started;
}

void ranks_stop(void)
{
    if (!started) return;
    if (has_second) bg_mpi_free(&second);
    bg_mpi_free(&mpi);
    MPI_Finalize();
    started = 0;
}

const bg_communicator *ranks_communicator(void) { return started ? &mpi.communicator : NULL; }

const bg_communicator *ranks_for_thread(void)
{
    if (!started || ranks_count() == 1 || ranks_max(!many_threads) > 0.) return NULL;
    if (!has_second) has_second = bg_mpi_init(&second, MPI_COMM_WORLD) == MPI_SUCCESS;
    return ranks_max(!has_second) > 0. ? NULL : &second.communicator;
}

#else

int ranks_start(int threads)
{
    (void)threads;
    return 0;
}

const bg_communicator *ranks_for_thread(void) { return NULL; }

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

ranks_word ranks_hear_first(bg_status status, const bg_error *error)
{
    ranks_word first = {""};
    if (status != BG_OK) snprintf(first.text, sizeof first.text, "%s", error->message);
    ranks_broadcast(&first, sizeof first);
    return first;
}

int ranks_fail(const char *command, bg_status status, const bg_error *error, const ranks_word *first)
{
    const int echo = ranks_count() > 1 && (!strncmp(error->message, "another rank failed", 19) ||
                                           (ranks_mine() > 0 && !strcmp(error->message, first->text)));
    char who[24] = "";
    if (ranks_mine() > 0 && strncmp(error->message, "rank ", 5)) snprintf(who, sizeof who, "rank %d: ", ranks_mine());
    if (!echo) cli_message(command, "%s%s", who, error->message);
    return cli_exit_status(status);
}

int ranks_agree_on_line(const char *command, int stop, int status)
{
    const int ranks = ranks_count(), mine = ranks_mine();
    const int ahead = (int)ranks_max(stop ? ranks - mine : 0), speaks = ahead == ranks - mine; /* ahead 0: all can */
    const int all = ranks_max(!stop) < 1.;
    if (mine > 0) cli_release_messages(speaks);
    if (ahead && speaks && status == CLI_DONE && !all) {
        cli_message(command, "rank %d is asked for --help and others are not: nothing is computed", mine);
        return CLI_USAGE;
    }
    return ahead && !stop ? CLI_FAILED : status; /* another rank has said why */
}
