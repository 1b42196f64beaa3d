/* Files of events: Les Houches events (.lhe, .lhe.gz), HDF5 (.h5, .hdf5), arrays of numpy (.npy) and tables (.csv).
 *
 * A file is written as FILE.part and gets its name when it is complete. Whoever makes events hands them over in batches
 * and hardly waits: batches are copied into blocks, which threads encode (text, compression) and one more thread
 * appends in their order. It waits only where all blocks are under way, so memory is bounded.
 *
 *     if (events_open(&writer, "run.lhe.gz", &run, &options, &error) != BG_OK) ...
 *     while (...) status = events_write(writer, event, count, &error);
 *     status = events_close(writer, final, trials, &error);      (or events_leave(): FILE.part stays, to be gone on with)
 *
 * What cannot be written, since a disk is full, ends in an error. FILE.part then has all events up to there and can be read.
 *
 * This is a part of the program and not of the library, so that the library needs neither zlib nor HDF5.
 */
#ifndef BG_PROGRAM_EVENTS_WRITER_H
#define BG_PROGRAM_EVENTS_WRITER_H

#include "experimental.h"

/* One class of channels, a process of its own in the file. */
typedef struct events_process {
    int n_out;
    double sigma_pb, error_pb;
    double max_weight; /* largest weight of its events, in their unit */
} events_process;

/* How weights are meant, Les Houches' IDWTUP. */
enum {
    EVENTS_UNWEIGHTED = 3, /* all weights are 1, sigma is in the list of processes */
    EVENTS_WEIGHTED = -4   /* weights are pb, and sigma is their mean: weighted events, or some of them overweight */
};

/* What a file says about all its events. */
typedef struct events_run {
    int beam[2];             /* PDG ids; that along +z first */
    double energy[2];        /* GeV */
    int pdf[2];              /* LHAPDF's numbers of the parton densities, 0: none */
    int strategy;            /* EVENTS_UNWEIGHTED or EVENTS_WEIGHTED */
    const char *version;     /* of the generator */
    const char *description; /* any text; with `resume` the same as before */
    const char *about; /* all options that events depend on, "name = value" a line; with `resume` the same as before */
    int processes;
    const events_process *process;
    int variations;               /* weights besides the nominal one, of every event */
    const char *const *variation; /* their names: letters, digits and any of _-+.:=/() and blanks */
    int scale_variations;         /* the first of them, which make an envelope */
    char combine[32];             /* how the others, of parton densities, are combined: "replicas", "hessian+as", .. */
} events_run;

typedef struct events_options {
    int threads;     /* that encode; 0: as many as make sense */
    int compression; /* 0 to 9 for HDF5; 1 to 9 for .lhe.gz, 0 is 3 there */
    int resume;      /* 1: go on with FILE.part */
    int force;       /* 1: replace FILE, and FILE.part of another run */
    /* Ranks that write the file together, each its part of every batch; NULL: this process alone. Then every rank makes all
     * calls below, and a thread communicates: its user is the bg_mpi of blockgen/mpi.h, MPI was started with
     * MPI_THREAD_MULTIPLE, and nobody else uses it. For formats that can (events_shares()). */
    const bg_communicator *ranks;
} events_options;

typedef struct events_writer events_writer;

/* Behind the name of a file while it is written; beside a file: what its run has learned. */
#define EVENTS_PART ".part"
#define EVENTS_STATE ".state"

/* The parton along +z first, as files have it. */
void events_order_beams(bg_event *event);

/* The format of a path by its ending: "lhe", "lhe.gz", "hdf5", "npy", "csv". NULL: none, or not built in, and the
 * message says how to get it. */
const char *events_format_name(const char *path, bg_error *error);

/* Whether ranks can write a file of this name together. */
int events_shares(const char *path);

/* Whether events_open() would take this place as it is now: a look before anything is computed. */
bg_status events_check_place(const char *path, const events_options *options, bg_error *error);

/* Everything is copied. With options.resume, events that are not complete are cut off first. FILE that is complete already
 * becomes FILE.part again, and where there is neither, the file begins. */
bg_status events_open(events_writer **writer, const char *path, const events_run *run, const events_options *options,
                      bg_error *error);

/* Complete events in the file so far, those of before included, and the number of the last one. */
uint64_t events_count(events_writer *writer);
uint64_t events_last_number(events_writer *writer);

/* Of the events of before, one more than the number of the last one of every process, 0 where there is none. */
const uint64_t *events_used(const events_writer *writer);

/* Seconds that events_write() has waited for a place: how long writing has kept up whoever makes events. */
double events_waited(events_writer *writer);

/* Hands over a batch; of ranks that write together each its part, which may be empty. The incoming partons may stand in either order: the one along +z comes first in the file. An
 * error may be that of a batch before; nothing is written after it. */
bg_status events_write(events_writer *writer, const bg_event *event, size_t count, bg_error *error);

/* Waits for what is under way, puts the final numbers of all processes (NULL: those of the beginning) and of trial
 * points into the file, makes it durable and gives it its name. The writer is gone. On an error FILE.part stays. */
bg_status events_close(events_writer *writer, const events_process *process, double trials, bg_error *error);

/* The same, but FILE.part stays as it is, with a good end. */
bg_status events_leave(events_writer *writer, bg_error *error);

#endif
