/* A process: the question about scattering that a user puts. */
#ifndef BG_PROCESS_PROCESS_H
#define BG_PROCESS_PROCESS_H

#include "process/classes.h"
#include "process/subprocess.h"

/* Partons in definite states are one subprocess with one channel. With protons and jets there is a subprocess for each class
 * of channels, and subprocess k stands for the channels first[k] to first[k + 1] of the list. */
struct bg_process {
    int count;   /* of subprocesses */
    int open;    /* 1: some legs are protons or jets */
    int protons; /* how many of the incoming ones are protons */
    size_t *first;
    bg_channel *channel;
    bg_subprocess subprocess[];
};

/* From legs. p and j stand for gluons and `flavors` quarks, in subprocesses of at most `lines` quark lines (below 0: as many
 * as there may be). */
bg_status bg_process_make(bg_process **process, const bg_legs *legs, int flavors, int lines, bg_error *error);
void bg_process_release(bg_process *process);

/* Refuses processes that have no kernels yet: those of several subprocesses. */
bg_status bg_process_check_kernels(const bg_process *process, bg_error *error);

#endif
