/* Which parton is where: regions of phase space for partons that are not alike.
 *
 * A map (hardpair.h, symmetric.h) makes momenta for slots: soft partons in the first n-2, where these are ordered the
 * hardest first, and the two partons of largest pT, the pair, in the last two. |M|^2 of partons that are all alike does
 * not ask which of them is in which slot: one choice is integrated and counted as often as there are others,
 * n(n-1)/2 times for the pair and (n-2)! times for the order of the soft ones. That count is part of the map.
 *
 * Otherwise the legs are put into the slots at random. Legs of the same parton are still alike, so it matters only
 * which kinds of partons are in which slots: u g > u g g g has its u in the pair, or first, second or third of the
 * soft ones. These are the regions. Of all choices of legs the share s_r belongs to region r, which is chosen with a
 * probability p_r that is learned; the weight gets the factor s_r / p_r, so that every point of phase space is covered
 * once. Where there are more regions than the table has room for, a region says only what is in the pair and in the
 * first soft slots, and the legs that are left are dealt to the other slots, all ways alike. The two of the pair stand
 * in the order of their legs, unless a map makes a difference between its last two slots: that one asks for a toss.
 *
 * A choice is a number of four bits a slot, the leg of each, the first outgoing leg being 0.
 */
#ifndef BG_PHASESPACE_REGION_H
#define BG_PHASESPACE_REGION_H

#include "process/subprocess.h"
#include "random/philox.h"

#define BG_REGIONS 64 /* at most: as many as an axis of the grid has bins, so that they are learned like one */

/* Plain data: copied to devices as it is. */
typedef struct bg_regions {
    int n;                      /* outgoing legs */
    int entries;                /* regions */
    int named;                  /* the first soft slots, whose kinds a region knows; the legs of the others are dealt */
    int mixed;                  /* there are legs of more than one kind */
    uint64_t order[BG_REGIONS]; /* a choice of legs for each region */
    double share[BG_REGIONS];   /* of all choices */
    double probability[BG_REGIONS];    /* learned */
    double cumulative[BG_REGIONS + 1]; /* cumulative[k] is the sum of the first k; it follows the probabilities */
} bg_regions;

typedef struct bg_region {
    uint64_t order; /* legs of the slots */
    int entry;      /* of the table, for learning */
    double factor;  /* of the weight */
} bg_region;

/* The leg in a slot. */
BG_FN int region_leg(uint64_t order, int slot) { return (int)(order >> (4 * slot) & 15u); }

/* The choice in which slot k has leg k: partons that are all alike. */
BG_FN uint64_t region_plain(void) { return UINT64_C(0xfedcba9876543210); }

BG_FN uint64_t region_exchange(uint64_t order, int a, int b)
{
    const uint64_t difference = (order >> (4 * a) ^ order >> (4 * b)) & 15u;
    return order ^ (difference << (4 * a)) ^ (difference << (4 * b));
}

/* The entry that holds u. */
BG_FN int region_search(const bg_regions *r, double u)
{
    int low = 0, high = r->entries;
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (u < r->cumulative[middle])
            high = middle;
        else
            low = middle;
    }
    return low;
}

/* The only region of partons that are all alike. */
BG_FN bg_region region_alike(void)
{
    const bg_region r = {region_plain(), 0, 1.};
    return r;
}

/* The region of one event. `tossed`: the map makes a difference between the two of the pair. */
BG_FN bg_region region_choose(const bg_regions *r, int tossed, uint64_t seed, uint64_t event)
{
    bg_region c = region_alike();
    if (!r->mixed) return c;
    const bg_random random = bg_random_at(seed, event, 0, BG_STREAM_REGION);
    double u[2];
    bg_random_pair(&random, 0, u);
    c.entry = region_search(r, u[0]);
    c.order = r->order[c.entry];
    c.factor = r->share[c.entry] / r->probability[c.entry];
    if (tossed && u[1] < 0.5) c.order = region_exchange(c.order, r->n - 2, r->n - 1);
    for (int slot = r->named, k = 0; slot < r->n - 3; slot++, k++) {
        if (k % 2 == 0) bg_random_pair(&random, (uint32_t)(1 + k / 2), u);
        c.order = region_exchange(c.order, slot, slot + (int)((k % 2 ? u[1] : u[0]) * (r->n - 2 - slot)));
    }
    return c;
}

/* The regions of a process, each as probable as its share. */
void bg_regions_create(bg_regions *regions, const bg_subprocess *process);

/* Probabilities toward those of least variance, from the sum of weight^2 of each region. */
void bg_regions_adapt(bg_regions *regions, const int64_t *importance);

/* Whether the table can be one that began as `fresh` and has learned since. */
int bg_regions_are_sound(const bg_regions *regions, const bg_regions *fresh);

#endif
