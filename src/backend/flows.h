/* Weights of color flows: the squares of the amplitudes of all color structures, a register of points at a time.
 *
 * Gluons alone: number b N! + r is the ordering 0, alpha, last, beta, where alpha beta is the word of rank r and beta has b letters,
 * up to half of them. With quarks numbers are those of color/strings.h with inverse words.
 */
#ifndef BG_BACKEND_FLOWS_H
#define BG_BACKEND_FLOWS_H

#include "process/subprocess.h"

/* Up to here all structures are looked at: outgoing gluons without quarks, and gluons on a single line, helicities being
 * summed over or given. A flow then takes about as long as the exact |M|^2. */
enum { BG_FLOW_MOST_SUMMED = 7, BG_FLOW_MOST_GIVEN = 8 };

enum { BG_FLOW_MOST_LANES = 8 };

typedef struct bg_flow_kernel {
    int lanes;                                     /* at most BG_FLOW_MOST_LANES */
    void *(*create)(const bg_subprocess *process); /* tables are built when they are first needed; NULL: no memory */
    void (*destroy)(void *tables);
    /* Weights [structure][lane] of 1 to `lanes` points `momenta` [point][leg][4] with physical energies. `configuration` [point]: bit k
     * set where the leg in place k, taken as outgoing, has helicity +; NULL: sums over all. They stay until the next call;
     * NULL without memory. */
    const double *(*weigh)(void *tables, int points, const double *momenta, const uint32_t *configuration);
} bg_flow_kernel;

/* Of the best instruction set that there is, or that BLOCKGEN_SIMD names. */
bg_status bg_flow_kernel_find(const bg_flow_kernel **kernel, int quark_lines, bg_error *error);

/* Orderings of gluons alone. */
static inline uint64_t bg_flow_traces(int letters)
{
    uint64_t words = 1;
    for (int k = 2; k <= letters; k++) words *= (uint64_t)k;
    return (uint64_t)(letters / 2 + 1) * words;
}

#endif
