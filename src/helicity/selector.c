/* Probabilities of helicities, learned between iterations. All arithmetic is on integers that are the same on every
 * rank, or on doubles made from them in a fixed order.
 */
#include "helicity/selector.h"

#include <math.h>
#include <string.h>

#define FLOOR 0.05 /* share of probability that is spread evenly over all helicities */

static int entry_allowed(const helicity_selector *s, int k)
{
    return s->by_invariants ? k >= 2 && k <= s->n - 2 : helicity_allowed(s->n, (uint32_t)k);
}

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

void bg_selector_uniform(helicity_selector *s, int n, int by_invariants)
{
    memset(s, 0, sizeof *s);
    s->by_invariants = by_invariants;
    s->n = n;
    s->entries = by_invariants ? n + 1 : 1 << n;
    for (int k = 0; k < s->entries; k++) s->probability[k] = entry_allowed(s, k) ? 1. : 0.;
    accumulate(s);
}

void bg_selector_adapt(helicity_selector *s, const int64_t *importance)
{
    double best[BG_MAX_CONFIGURATIONS], total = 0.;
    int allowed = 0;
    for (int k = 0; k < s->entries; k++) {
        if (!entry_allowed(s, k)) continue;
        /* parity: a configuration and its mirror image have the same matrix element */
        const int mirror = s->by_invariants ? s->n - k : s->entries - 1 - k;
        best[k] = sqrt(s->probability[k] * ((double)importance[k] + (double)importance[mirror]));
        total += best[k];
        allowed++;
    }
    if (!(total > 0.)) return;
    for (int k = 0; k < s->entries; k++)
        if (entry_allowed(s, k)) s->probability[k] = (1. - FLOOR) * best[k] / total + FLOOR / allowed;
    accumulate(s);
}
