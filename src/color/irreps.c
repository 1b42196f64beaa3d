#include "color/irreps.h"

#include <string.h>

/* Fills the list with all shapes that begin with `partial` and have `left` boxes more, in rows of `most` at most. */
static void add_shapes(irreps *s, shape *partial, int left, int most)
{
    if (!left) {
        s->lambda[s->count++] = *partial;
        return;
    }
    for (int part = left < most ? left : most; part >= 1; part--) {
        partial->length[partial->rows++] = part;
        add_shapes(s, partial, left - part, part);
        partial->rows--;
    }
}

int bg_irreps_remove_box(const shape *lambda, int r, shape *mu)
{
    if (r + 1 < lambda->rows && lambda->length[r] == lambda->length[r + 1]) return 0;
    *mu = *lambda;
    if (--mu->length[r] == 0) mu->rows--;
    return 1;
}

int bg_irreps_find(const irreps *s, const shape *lambda)
{
    for (int k = 0; k < s->count; k++) {
        if (s->lambda[k].rows != lambda->rows) continue;
        int same = 1;
        for (int r = 0; r < lambda->rows; r++) same &= s->lambda[k].length[r] == lambda->length[r];
        if (same) return k;
    }
    return -1;
}

/* How many standard tableaux a shape has: those of the shapes without one box. */
static int count_tableaux(const shape *lambda)
{
    int count = 0;
    if (!lambda->rows) return 1;
    for (int r = 0; r < lambda->rows; r++) {
        shape mu;
        if (bg_irreps_remove_box(lambda, r, &mu)) count += count_tableaux(&mu);
    }
    return count;
}

void bg_irreps_list(irreps *s, int k)
{
    const int boxes = k > 1 ? k : 1;
    shape empty;
    int offset = 0;
    memset(&empty, 0, sizeof empty);
    memset(s, 0, sizeof *s);
    s->k = boxes;
    add_shapes(s, &empty, boxes, boxes);
    for (int l = 0; l < s->count; l++) {
        s->dimension[l] = count_tableaux(&s->lambda[l]);
        s->offset[l] = offset;
        offset += s->dimension[l] * s->dimension[l];
        if (s->dimension[l] > s->largest) s->largest = s->dimension[l];
    }
}

static int list_tableaux(const shape *lambda, int k, int total, signed char *rows)
{
    if (!k) return 1;
    int count = 0;
    for (int r = 0; r < lambda->rows; r++) {
        shape mu;
        if (!bg_irreps_remove_box(lambda, r, &mu)) continue;
        const int more = list_tableaux(&mu, k - 1, total, rows + count * total);
        for (int t = 0; t < more; t++) rows[(count + t) * total + k - 1] = (signed char)r;
        count += more;
    }
    return count;
}

int bg_irreps_tableaux(const shape *lambda, int k, signed char *rows) { return list_tableaux(lambda, k, k, rows); }
