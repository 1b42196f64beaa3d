/* Probabilities of helicities, learned between iterations. All arithmetic is on integers that are the same on every
 * rank, or on doubles made from them in a fixed order.
 */
#include "helicity/selector.h"
#include "helicity/chirality.h"

#include <math.h>
#include <stdlib.h>

#define FLOOR 0.05 /* share of probability that is spread evenly over all helicities */

static void accumulate(helicity_selector *s)
{
    double sum = 0.;
    for (int k = 0; k < s->entries; k++) sum += s->probability[k];
    s->cumulative[0] = 0.;
    for (int k = 0; k < s->entries; k++) {
        s->probability[k] /= sum;
        s->cumulative[k + 1] = s->cumulative[k] + s->probability[k];
    }
    /* Rounding may leave the end short of 1: the last allowed entry owns the rest. */
    for (int k = s->entries; k > 0; k--) {
        s->cumulative[k] = 1.;
        if (s->probability[k - 1] > 0.) break;
    }
}

static helicity_selector *allocate(int n, int by_invariants)
{
    const int entries = bg_selector_entries(n, by_invariants);
    helicity_selector *s = calloc(1, sizeof *s + bg_selector_numbers(entries) * sizeof(double));
    if (!s) return NULL;
    s->by_invariants = by_invariants;
    s->n = n;
    s->entries = entries;
    s->probability = (double *)(s + 1);
    s->cumulative = s->probability + entries;
    return s;
}

helicity_selector *bg_selector_create(const bg_subprocess *process, int by_invariants)
{
    helicity_selector *s = allocate(process->n, by_invariants);
    if (!s) return NULL;
    for (int k = 0; k < s->entries; k++) {
        const int allowed = by_invariants ? k >= 2 && k <= process->n - 2 : bg_helicities_allowed(process, (uint32_t)k);
        s->probability[k] = allowed ? 1. : 0.;
    }
    accumulate(s);
    return s;
}

helicity_selector *bg_selector_fresh(const helicity_selector *other)
{
    helicity_selector *s = allocate(other->n, other->by_invariants);
    if (!s) return NULL;
    for (int k = 0; k < s->entries; k++) s->probability[k] = other->probability[k] > 0. ? 1. : 0.;
    accumulate(s);
    return s;
}

void bg_selector_destroy(helicity_selector *s) { free(s); }

/* What an entry should be chosen with, up to a factor: the square root of its second moment. Parity: a configuration and
 * its mirror image have the same matrix element. */
static double wanted(const helicity_selector *s, const int64_t *importance, int k)
{
    const int mirror = s->by_invariants ? s->n - k : s->entries - 1 - k;
    return sqrt(s->probability[k] * ((double)importance[k] + (double)importance[mirror]));
}

void bg_selector_adapt(helicity_selector *s, const int64_t *importance)
{
    double total = 0.;
    int allowed = 0;
    for (int k = 0; k < s->entries; k++) {
        if (!(s->probability[k] > 0.)) continue;
        total += wanted(s, importance, k);
        allowed++;
    }
    if (!(total > 0.)) return;
    for (int k = 0; k < s->entries; k++)
        if (s->probability[k] > 0.)
            s->probability[k] = (1. - FLOOR) * wanted(s, importance, k) / total + FLOOR / allowed;
    accumulate(s);
}
