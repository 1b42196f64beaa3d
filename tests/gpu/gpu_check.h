/* Is the GPU right, and how fast is it? For a machine with a device and nothing but CMake and a compiler; main.c says
 * how it is called.
 */
#ifndef GPU_CHECK_H
#define GPU_CHECK_H

#ifndef BLOCKGEN_EXPERIMENTAL
#define BLOCKGEN_EXPERIMENTAL /* the table of strategies */
#endif
#include "blockgen/blockgen.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- points.c: phase-space points at 14 TeV, [gluon][4] -------------------------------------------------- */

double uniform(void);
double product(const double *a, const double *b);
void flat_point(int n_out, double *momenta);  /* RAMBO */
double *many_points(int n_out, size_t count); /* away from the singular regions, where rounding is amplified */

/* ---- modes.c: what is compared --------------------------------------------------------------------------- */

/* A strategy of the library, changed by options "name=value" (and "fixed", which is a helicity of every gluon). */
typedef struct mode {
    const char *name, *strategy, *changes;
    int checked, timed; /* largest n_out */
    double cost;        /* of an event at n_out = 4 on the CPU, roughly, in units of its co-sum with one helicity */
} mode;

#define SUMMED BG_HELICITY_SUMMED
#define SAMPLED BG_HELICITY_SAMPLED
#define FIXED BG_HELICITY_FIXED

extern const mode modes[];
extern const int mode_count;

int is_wanted(const char *name, const char *which); /* by the beginning of its name; NULL: all are */
bg_status options_of(const mode *m, int n_out, bg_options *options, bg_error *error);
bg_status create(bg_evaluator **evaluator, const mode *m, int n_out, const char *backend, bg_error *error);

/* ---- the checks: 0 where all is well --------------------------------------------------------------------- */

int check(int most, const char *which);
int agree(int most, size_t points);
int integrate(int most, const char *which);
int use(void);
int time_all(int most, const char *which);

#endif
