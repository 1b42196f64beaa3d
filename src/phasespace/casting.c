/* The table of casts. */
#include "phasespace/casting.h"

#include <string.h>

/* The next of all orders of the kinds, the legs of each kind staying in order: as the next permutation of the numbers kind[leg]. */
static int next_order(int *kind, int n)
{
    int k = n - 2, other = n - 1;
    while (k >= 0 && kind[k] >= kind[k + 1]) k--;
    if (k < 0) return 0;
    while (kind[other] <= kind[k]) other--;
    const int swapped = kind[k];
    kind[k] = kind[other];
    kind[other] = swapped;
    for (int i = k + 1, j = n - 1; i < j; i++, j--) {
        const int moved = kind[i];
        kind[i] = kind[j];
        kind[j] = moved;
    }
    return 1;
}

/* Legs of the slots, for kinds of the slots; kinds are the first legs of theirs. */
static uint64_t legs_of(const int *kind, const int *of_leg, int n)
{
    uint64_t order = 0;
    int used[BG_MAX_OUT_DRESSED] = {0};
    for (int slot = 0; slot < n; slot++) {
        int leg = 0;
        while (of_leg[leg] != kind[slot] || used[leg]) leg++;
        used[leg] = 1;
        order |= (uint64_t)leg << (4 * slot);
    }
    return order;
}

/* The node of a leg: a beam, or the slot that it has got. */
static uint8_t node_of(const bg_subprocess *process, uint64_t order, int leg)
{
    if (leg < process->n_in) return (uint8_t)leg;
    for (int slot = 0; slot < process->n_out; slot++)
        if (region_leg(order, slot) == leg - process->n_in) return (uint8_t)(slot + 2);
    return 0;
}

/* All permutations of the lines that join a quark to an antiquark of its flavor. */
static void find_pairings(bg_casting *c, const bg_subprocess *process)
{
    int order[BG_CAST_LINES];
    for (int k = 0; k < c->lines; k++) order[k] = k;
    do {
        int fits = 1;
        for (int k = 0; k < c->lines; k++) fits &= process->flavor[order[k]] == process->flavor[k];
        for (int k = 0; k < c->lines && fits; k++) c->pairing[c->pairings][k] = (uint8_t)order[k];
        c->pairings += fits;
    } while (next_order(order, c->lines));
}

void bg_casting_create(bg_casting *c, const bg_subprocess *process)
{
    const int n = process->n_out, *pdg = process->pdg + process->n_in;
    int of_leg[BG_MAX_OUT_DRESSED], kind[BG_MAX_OUT_DRESSED];
    memset(c, 0, sizeof *c);
    if (process->lines > BG_CAST_LINES) return;
    c->n = n;
    c->lines = process->lines;
    find_pairings(c, process);
    for (int leg = 0; leg < n; leg++) {
        of_leg[leg] = 0;
        while (pdg[of_leg[leg]] != pdg[leg]) of_leg[leg]++;
    }
    int sorted = 0; /* kinds in rising order: the first of their orders */
    for (int first = 0; first < n; first++)
        for (int leg = 0; leg < n; leg++)
            if (of_leg[leg] == first) kind[sorted++] = first;
    int more = 1;
    for (c->count = 0; more && c->count < BG_CASTS; c->count++) {
        const uint64_t order = legs_of(kind, of_leg, n);
        c->order[c->count] = order;
        for (int line = 0; line < c->lines; line++) {
            c->quark[c->count][line] = node_of(process, order, process->quark[line]);
            c->antiquark[c->count][line] = node_of(process, order, process->antiquark[line]);
        }
        more = next_order(kind, n);
    }
    if (more || c->count == 1) memset(c, 0, sizeof *c);
}

int bg_casting_same(const bg_casting *a, const bg_casting *b)
{
    return a->count == b->count && a->n == b->n && a->lines == b->lines && a->pairings == b->pairings &&
           memcmp(a->pairing, b->pairing, sizeof a->pairing) == 0 && memcmp(a->quark, b->quark, sizeof a->quark) == 0 &&
           memcmp(a->antiquark, b->antiquark, sizeof a->antiquark) == 0 &&
           memcmp(a->order, b->order, sizeof a->order) == 0;
}
