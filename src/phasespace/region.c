/* The table of regions, and how it learns. All arithmetic is on integers that are the same on every rank, or on doubles
 * made from them in a fixed order.
 */
#include "phasespace/region.h"

#include <math.h>
#include <string.h>

#define FLOOR                                                                                                          \
    0.2 /* share of probability that is spread as the choices of legs are: few points say little about rare regions */
#define STEP 0.5 /* share of what was found last */

static void accumulate(bg_regions *r)
{
    double sum = 0.;
    for (int k = 0; k < r->entries; k++) sum += r->probability[k];
    r->cumulative[0] = 0.;
    for (int k = 0; k < r->entries; k++) {
        r->probability[k] /= sum;
        r->cumulative[k + 1] = r->cumulative[k] + r->probability[k];
    }
    r->cumulative[r->entries] = 1.; /* rounding may leave the end short of it */
}

/* Legs on their way into slots. */
typedef struct dealing {
    const int *pdg; /* [leg], outgoing ones */
    int n, named;
    uint32_t left; /* bit k: leg k is still to be dealt */
    uint64_t order;
    double share;
} dealing;

/* Whether leg k is the first of its kind that is left, and how many there are. */
static int kind_left(const dealing *d, int k)
{
    int count = 0;
    if (!(d->left >> k & 1u)) return 0;
    for (int other = 0; other < d->n; other++) {
        if (!(d->left >> other & 1u) || d->pdg[other] != d->pdg[k]) continue;
        if (other < k) return 0;
        count++;
    }
    return count;
}

static dealing with_leg(const dealing *d, int slot, int leg, double share)
{
    dealing next = *d;
    next.left &= ~(1u << leg);
    next.order |= (uint64_t)leg << (4 * slot);
    next.share *= share;
    return next;
}

/* Appends a region, if there is room, with what is left in the order of the legs; counts all the same. */
static void add_region(bg_regions *r, dealing d)
{
    int slot = d.named;
    for (int leg = 0; leg < d.n; leg++)
        if (d.left >> leg & 1u) d.order |= (uint64_t)leg << (4 * slot++);
    if (r->entries < BG_REGIONS) {
        r->order[r->entries] = d.order;
        r->share[r->entries] = r->probability[r->entries] = d.share;
    }
    r->entries++;
}

/* All kinds for one soft slot after the other. */
static void deal_soft(bg_regions *r, const dealing *d, int slot)
{
    if (slot == d->named) {
        add_region(r, *d);
        return;
    }
    for (int leg = 0; leg < d->n; leg++) {
        const int count = kind_left(d, leg);
        if (!count) continue;
        const dealing next = with_leg(d, slot, leg, (double)count / (d->n - 2 - slot));
        deal_soft(r, &next, slot + 1);
        if (r->entries > BG_REGIONS) return;
    }
}

/* All pairs of kinds, in the order of the legs. A pair of different kinds has two ways to be drawn one after the other. */
static void deal(bg_regions *r, const int *pdg, int n, int named)
{
    const dealing none = {pdg, n, named, (1u << n) - 1u, 0, 1.};
    r->entries = 0;
    r->named = named;
    for (int a = 0; a < n; a++) {
        const int first = kind_left(&none, a);
        if (!first) continue;
        const dealing one = with_leg(&none, n - 2, a, (double)first / n);
        for (int b = a + 1; b < n; b++) {
            const int second = kind_left(&one, b);
            if (!second) continue;
            const double ways = pdg[a] == pdg[b] ? 1. : 2.;
            const dealing two = with_leg(&one, n - 1, b, ways * second / (n - 1));
            deal_soft(r, &two, 0);
            if (r->entries > BG_REGIONS) return;
        }
    }
}

void bg_regions_create(bg_regions *r, const bg_subprocess *process)
{
    const int n = process->n_out, *pdg = process->pdg + process->n_in;
    memset(r, 0, sizeof *r);
    r->n = n;
    for (int k = 1; k < n; k++) r->mixed |= pdg[k] != pdg[0];
    if (!r->mixed) {
        r->entries = 1;
        r->named = n - 2;
        r->order[0] = region_plain();
        r->share[0] = r->probability[0] = 1.;
    } else {
        for (int named = 0; named <= n - 2; named++) {
            bg_regions deeper = *r;
            deal(&deeper, pdg, n, named);
            if (deeper.entries > BG_REGIONS) break;
            *r = deeper;
        }
    }
    accumulate(r);
}

/* What an entry should be chosen with, up to a factor: the square root of its second moment. */
static double wanted(const bg_regions *r, const int64_t *importance, int k)
{
    return sqrt(r->probability[k] * (double)importance[k]);
}

void bg_regions_adapt(bg_regions *r, const int64_t *importance)
{
    double total = 0.;
    for (int k = 0; k < r->entries; k++) total += wanted(r, importance, k);
    if (!(total > 0.)) return;
    for (int k = 0; k < r->entries; k++)
        r->probability[k] = STEP * ((1. - FLOOR) * wanted(r, importance, k) / total + FLOOR * r->share[k]) +
                            (1. - STEP) * r->probability[k];
    accumulate(r);
}

int bg_regions_are_sound(const bg_regions *r, const bg_regions *fresh)
{
    if (r->n != fresh->n || r->entries != fresh->entries || r->named != fresh->named || r->mixed != fresh->mixed)
        return 0;
    if (r->cumulative[0] != 0. || r->cumulative[r->entries] != 1.) return 0;
    for (int k = 0; k < r->entries; k++) {
        const double step = r->cumulative[k + 1] - r->cumulative[k];
        if (r->order[k] != fresh->order[k] || r->share[k] != fresh->share[k]) return 0;
        if (!(r->probability[k] > 0.) || !(fabs(step - r->probability[k]) < 1e-9)) return 0;
    }
    return 1;
}
