/* Floating-point operations of the stations, by walking through the structure of their loops with what one step costs.
 *
 * Additions, subtractions, multiplications and divisions of numbers that differ from event to event; a factor that is
 * literally 1 or -1 costs nothing. What comes before the recursions (polarizations, random numbers, momenta of
 * sets of gluons) is left out. tests/unit/test_operations.cpp compiles the same headers with a type that counts.
 */
#ifndef BG_BACKEND_OPERATIONS_H
#define BG_BACKEND_OPERATIONS_H

#ifndef BLOCKGEN_EXPERIMENTAL
#define BLOCKGEN_EXPERIMENTAL
#endif
#include "blockgen/blockgen.h"
#include "amplitude/program.h"
#include "color/fourier.h"
#include "backend/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* amplitude/ordered.h: one color-ordered amplitude of n gluons, with the four-gluon vertex or (`strengths`) tensors. */
double bg_ordered_operations(int n, int parts, int strengths);

/* amplitude/dressed.h: one color-dressed amplitude. */
double bg_dressed_operations(int n, int parts);

/* amplitude/shared.h: the amplitudes of all N! orderings. `states` 2: for all 2^n configurations at once. `states` 1:
 * for one configuration of the outgoing gluons and `ends` states of each incoming one. */
double bg_shared_operations(int N, int states, int parts, int ends);

/* amplitude/coherent.h: one amplitude of colors that events share, on average over the draws of some groups. */
double bg_coherent_operations(int n, int parts, uint64_t seed);

/* amplitude/quarks.h: the steps of a program, once. Where the states of outer gluons are summed over, they follow one another as
 * often as there are such states. */
double bg_quark_operations(const quark_program *program);

/* amplitude/line.h: all amplitudes of one line and N gluons, summed helicities. */
double bg_line_operations(int N);

/* backend/cuda/line.cu with a second line as one of N letters: all amplitudes of both. */
double bg_pair_operations(int N);

/* All that a matrix element of one line with N letters takes, or of two, given what the color sum of one column of amplitudes does. */
void bg_line_totals(const bg_plan *plan, double column, bg_operations *operations);

/* amplitude/open.h: the amplitudes of colors that events share, with quark lines, of one state of the gluons and of all chiralities that
 * are asked for, on average over the draws of some groups. */
double bg_open_operations(const bg_plan *plan);

/* All that a matrix element with quark lines takes, given what the color sum of one column of amplitudes does. */
void bg_quark_totals(const bg_plan *plan, const quark_program *program, double column, bg_operations *operations);

/* The same where all amplitudes and all color sums are counted already (amplitude/straight.h). */
void bg_straight_totals(const bg_plan *plan, double amplitudes, double color_sum, bg_operations *operations);

/* The color sum of one column of amplitudes: dense symmetric matrix, and color/transform.h, of lines and of strings. */
double bg_dense_operations(uint64_t orderings);
double bg_fourier_operations(const color_fourier *fourier);

/* Orderings that sampled colors leave, on average over the draws of some events. */
double bg_mean_orderings(int n, uint64_t seed);

/* All that the kernels of the paper do for one matrix element, which is the same on every backend. */
void bg_paper_operations(const bg_plan *plan, bg_operations *operations);

#ifdef __cplusplus
}
#endif

#endif
