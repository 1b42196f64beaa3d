#ifndef BG_PROCESS_PROCESS_H
#define BG_PROCESS_PROCESS_H

#include "blockgen/blockgen.h"

/* The particles by PDG id, incoming first. */
struct bg_process {
    int n_in, n_out;
    int pdg[2 + BG_MAX_OUT_DRESSED];
};

#endif
