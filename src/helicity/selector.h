/* Choosing one helicity configuration a point, with a known probability.
 *
 * Configurations are bit masks: bit k is set where the leg in place k, taken as outgoing, has helicity +. Those that vanish at
 * tree level (helicity/chirality.h) are never chosen.
 *   - by configuration: a table of probabilities, learned while integrating;
 *   - by invariants, for gluons alone: the number of minus helicities from a learned table; where only two gluons differ from
 *     the rest (MHV and its mirror image), that pair with probability proportional to s_ij^4, the numerator
 *     of the Parke-Taylor formula; otherwise all choices alike;
 *   - by invariant masses, for gluons alone: see masses.h. That takes no table.
 */
#ifndef BG_HELICITY_SELECTOR_H
#define BG_HELICITY_SELECTOR_H

#include "helicity/masses.h"
#include "helicity/mode.h"
#include "process/subprocess.h"

typedef struct helicity_selector {
    int by_invariants;
    int n;               /* legs */
    int entries;         /* of the tables below: 2^n configurations, or n + 1 classes */
    double *probability; /* [entries] */
    double *cumulative;  /* [entries + 1]: cumulative[k] is the sum of the first k; it follows the other table */
} helicity_selector;

typedef struct helicity_choice {
    uint32_t configuration;
    int entry; /* of the table, for learning */
    double probability;
} helicity_choice;

/* The entry that holds u. */
BG_FN int helicity_search(const helicity_selector *s, double u)
{
    int low = 0, high = s->entries;
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (u < s->cumulative[middle])
            high = middle;
        else
            low = middle;
    }
    return low;
}

/* s_ij^4 of the momenta in two places; signs of the energies do not matter. */
BG_FN double helicity_pair_weight(const double *momenta, size_t stride, int i, int j)
{
    const double *p = momenta + 4 * (size_t)i * stride, *q = momenta + 4 * (size_t)j * stride;
    const double s =
        p[0] * q[0] - p[stride] * q[stride] - p[2 * stride] * q[2 * stride] - p[3 * stride] * q[3 * stride];
    return s * s * s * s;
}

/* Component c of the momentum in place k is momenta[(4 k + c) * stride]. */
BG_FN helicity_choice helicity_choose(const helicity_selector *s, uint64_t seed, uint64_t event, const double *momenta,
                                      size_t stride)
{
    const int n = s->n;
    bg_random r = bg_random_at(seed, event, 0, BG_STREAM_HELICITY);
    double u[2];
    helicity_choice c;
    bg_random_pair(&r, 0, u);
    c.entry = helicity_search(s, u[0]);
    c.probability = s->probability[c.entry];
    c.configuration = (uint32_t)c.entry;
    if (!s->by_invariants) return c;

    const int minus = c.entry;
    if (minus == 2 || minus == n - 2) {
        double total = 0., sum = 0., weight = 0.;
        uint32_t pair = 0;
        for (int i = 1; i < n; i++)
            for (int j = 0; j < i; j++) total += helicity_pair_weight(momenta, stride, i, j);
        for (int i = 1; i < n && sum <= u[1] * total; i++)
            for (int j = 0; j < i && sum <= u[1] * total; j++) {
                weight = helicity_pair_weight(momenta, stride, i, j);
                sum += weight;
                pair = 1u << i | 1u << j;
            }
        c.probability *= weight / total;
        c.configuration = minus == 2 ? ((1u << n) - 1u) ^ pair : pair;
    } else {
        /* choose `minus` of n, gluon by gluon */
        uint32_t configuration = 0;
        int left = minus;
        double choices = 1., v[2] = {0., 0.};
        for (int k = 0; k < n; k++) {
            if (k % 2 == 0) bg_random_pair(&r, (uint32_t)(1 + k / 2), v);
            if (v[k % 2] * (n - k) < left)
                left--;
            else
                configuration |= 1u << k;
        }
        for (int k = 0; k < minus; k++) choices *= (double)(n - k) / (k + 1);
        c.probability /= choices;
        c.configuration = configuration;
    }
    return c;
}

/* By invariant masses. */
BG_FN helicity_choice helicity_choose_by_masses(const int n, uint64_t seed, uint64_t event, const double *momenta,
                                                size_t stride)
{
    const bg_random r = bg_random_at(seed, event, 0, BG_STREAM_HELICITY);
    const helicity_masses m = masses_of(n, momenta, stride);
    helicity_choice c = {0, -1, 1.};
    double u[2];
    bg_random_pair(&r, 0, u);
    c.configuration = masses_draw(&m, u[0], &c.probability);
    c.probability *= 0.5;
    if (u[1] < 0.5) c.configuration ^= (1u << n) - 1u;
    return c;
}

/* How helicities are chosen where there is no selector. */
enum helicity_choosing { HELICITY_GIVEN, HELICITY_UNIFORM, HELICITY_BY_MASSES };

static inline int bg_helicity_choosing(const bg_options *o)
{
    if (o->helicity != BG_HELICITY_SAMPLED || o->helicity_sampling < BG_SAMPLE_CIRCULAR) return HELICITY_GIVEN;
    return o->helicity_sampling == BG_SAMPLE_MASSES ? HELICITY_BY_MASSES : HELICITY_UNIFORM;
}

/* Helicities of one point inside the cuts. `momenta` is as above, with physical energies. */
BG_FN helicity_choice helicity_of_point(const helicity_selector *s, int choosing, uint32_t given, const int n,
                                        uint64_t seed, uint64_t event, const double *momenta, size_t stride)
{
    if (s) return helicity_choose(s, seed, event, momenta, stride);
    if (choosing == HELICITY_BY_MASSES) return helicity_choose_by_masses(n, seed, event, momenta, stride);
    helicity_choice c = {given, -1, 1.};
    if (choosing == HELICITY_UNIFORM) {
        c.configuration = helicity_draw_configuration(n, seed, event, 0);
        c.probability = 1. / (double)(1u << n);
    }
    return c;
}

/* Entries of a selector for n legs. */
static inline int bg_selector_entries(int n, int by_invariants) { return by_invariants ? n + 1 : 1 << n; }

/* Numbers of the two tables together. */
static inline size_t bg_selector_numbers(int entries) { return 2 * (size_t)entries + 1; }

/* A selector in which all allowed entries are alike, in one block of memory with its tables. NULL without memory. */
helicity_selector *bg_selector_create(const bg_subprocess *process, int by_invariants);

/* One in which the entries that another may choose are alike. NULL without memory. */
helicity_selector *bg_selector_fresh(const helicity_selector *other);
void bg_selector_destroy(helicity_selector *selector);

/* Probabilities toward those of least variance, the square root of each entry's second moment. */
void bg_selector_adapt(helicity_selector *selector, const int64_t *importance);

#endif
