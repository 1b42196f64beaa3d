/* The partons of massless QCD: gluons and five flavors of quarks. */
#ifndef BG_PROCESS_PARTONS_H
#define BG_PROCESS_PARTONS_H

#include "base/limits.h"

#include <stddef.h>

typedef struct bg_parton {
    const char *name;
    int pdg;
    int colors;     /* dimension of the color representation: 8, or 3 for quarks and antiquarks */
    int helicities; /* states */
} bg_parton;

/* A parton by its PDG id, or by a name of `length` letters; NULL where there is none. */
const bg_parton *bg_parton_of(int pdg);
const bg_parton *bg_parton_named(const char *name, size_t length);

/* The flavor of a quark or antiquark, 1 to BG_MAX_FLAVORS as the PDG numbers them; 0 for a gluon. */
int bg_parton_flavor(int pdg);

/* The id of the antiparticle: crossing a parton from one side of a process to the other makes this of it. */
int bg_parton_conjugate(int pdg);

/* The name of a parton, "?" of what is none; and "u g > u g g" of the n legs of a process. */
const char *bg_parton_name(int pdg);
void bg_partons_write(int n_in, int n, const int *pdg, char *text, size_t size);

/* What there is, in words for messages. */
extern const char bg_parton_list[];

#endif
