/* What the unit tests share: seeds, phase-space points, reference files, one-call evaluation, and scalar
 * (one event, complex numbers) access to the recursions of src/amplitude.
 */
#ifndef TEST_SUPPORT_H
#define TEST_SUPPORT_H

#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "blockgen/blockgen.h"
#include "kinematics/momenta.h"

#define MOST_OUT 12
#define MOST_GLUONS 14
#define PI 3.14159265358979323846

/* ---- how much ---------------------------------------------------------------------------------- */

/* The share of their repetitions that tests do: 1, and less with sanitizers, which see the same lines in fewer of them.
 * BLOCKGEN_TEST_EFFORT sets another. */
double test_effort(void);

/* So many of `full`, but at least `least`. */
int effort_of(int full, int least);

/* ---- random numbers and points ---------------------------------------------------------------- */

/* SplitMix64: independent of the generator under test. */
typedef struct random_source {
    uint64_t state;
} random_source;

/* A source with the seed of BLOCKGEN_TEST_SEED, which `make soak` sets to fresh ones; without it the seed is always the
 * same, so that a test gives the same answer on every run. `salt` keeps the tests of one program apart. */
random_source fresh_source(uint64_t salt);
random_source fixed_source(uint64_t seed);
uint64_t random_bits(random_source *r);
double uniform(random_source *r, double low, double high);
int random_below(random_source *r, int n);
void shuffle(random_source *r, int *list, int n);

/* A point of flat phase space (RAMBO) in the center-of-mass frame, [2 + n_out][4], incoming first. */
void random_point(random_source *r, int n_out, double sqrts, double *momenta);

/* The same inside the paper's cuts, scaled with sqrts: pT > 20, |eta| < 2.5, Delta R > 0.4 at 14 TeV. */
void random_cut_point(random_source *r, int n_out, double sqrts, double *momenta);

/* `count` of them one after the other, to be freed. */
double *random_cut_points(random_source *r, int n_out, double sqrts, size_t count);

/* One at 1 TeV that is far from every limit: all invariants are a fair part of s. */
void hard_point(random_source *r, int n_out, double *momenta);

double minkowski(const double *a, const double *b);

/* Exact massless splitting of an emitter into i and j, the recoil taken by a spectator (the map of Catani and
 * Seymour): i has fraction z of the emitter, 2 i.j = y (i+j+k)^2, phi turns around the emitter. */
void split_gluon(const double *emitter, const double *spectator, double y, double z, double phi, double *i, double *j,
                 double *k);

/* A random point at 14 TeV with two gluons at an angle of about `angle` that share their energy as z : 1 - z (a small z
 * makes one of them soft), and one with a gluon at that angle to a beam, with `fraction` of its energy (n_out = 2: all). */
void collinear_point(random_source *r, int n_out, double angle, double z, double *momenta);
void beam_point(random_source *r, int n_out, double angle, double fraction, double *momenta);

/* ---- reference files ---------------------------------------------------------------------------- */

/* Numbers of a file in TEST_DATA_DIR, comments left out; returns how many. */
size_t read_numbers(const char *name, double *numbers, size_t most);

/* ---- the library in one call -------------------------------------------------------------------- */

bg_options default_options(void);
void evaluate(int n_out, const bg_options *options, uint64_t first_event, size_t count, const double *momenta,
              double *me2, double *uncertainty);
double evaluate_one(int n_out, const bg_options *options, const double *momenta);

/* 1 where the CPU has the instruction set (and BLOCKGEN_SIMD then names it), else 0. */
int choose_simd(const char *name);
void default_simd(void);

/* ---- the recursions, one event at a time --------------------------------------------------------- */

/* Gluons in internal order (first incoming, outgoing ones, second incoming), all outgoing. */
typedef struct gluons {
    int n;
    double p[MOST_GLUONS][4];
    double complex e[MOST_GLUONS][4];
} gluons;

gluons gluons_of(int n_out, const double *momenta);
/* Real states: bit k of h chooses e1 or e2 of gluon k. */
void set_linear(gluons *g, unsigned h);
/* Random real polarizations cos e1 + sin e2. */
void set_angles(gluons *g, random_source *r);
/* Helicity eigenstates of the outgoing gluons: bit k of h set is +. */
void set_helicities(gluons *g, unsigned h);

double complex ordered_amplitude(const gluons *g, const int *order, bg_vertex vertex);
/* Matrices color[gluon][3 i + j]. */
double complex dressed_of(const gluons *g, const double (*color)[9]);

double absolute_square(double complex z);

/* ---- assertions ----------------------------------------------------------------------------------- */

/* |value - expected| <= tolerance * |expected|; the rest says what it is about, as printf. */
void assert_relative(double value, double expected, double tolerance, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* |value| <= bound */
void assert_bounded(double value, double bound, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The call failed with this status, and the message has all the words of `parts` (separated by |). */
void assert_refused(bg_status status, const bg_error *error, bg_status expected, const char *parts);

/* Prints as printf does where BLOCKGEN_TEST_VERBOSE is set: numbers behind an assertion. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- files and questions ---------------------------------------------------------------------------- */

/* A name for a file of this process. To set up and to tear down a group of tests: it is named, and removed in the end. */
extern char state_file[64];
int name_state_file(void **state);
int remove_state_file(void **state);

/* A process as text on the CPU with one thread, everything else chosen automatically, to 2 %. */
void ask_usual(bg_process **process, bg_options *options, bg_integration *integration, const char *text, int flavors,
               int lines);

/* An array [event][2 + n_out][4] of gluons as kernels read it. */
bg_momenta momenta_of_gluons(int n_out, const double *momenta);

#endif
