#define BG_QUAD
#include "estimate/estimate.h"

#include "estimate_quad.h"

#include <stdlib.h>

double estimate_quad(const bg_subprocess *process, const double *momenta, double *s)
{
    const int n = process->n;
    vec4 p[BG_MAX_LEGS];
    estimate_plan plan;
    if (bg_estimate_plan(&plan, process, NULL, NULL) != BG_OK) return -1.;
    real *room = malloc((pairs_reals(n) + estimate_reals(&plan)) * sizeof *room);
    if (!room) return -1.;
    const pair_table t = pairs_in(n, room, 1);
    const estimate_room rest = estimate_room_in(&plan, room + pairs_reals(n), 1);
    for (int k = 0; k < n; k++) {
        const double *q = momenta + 4 * k;
        const vec4 v = {bg_sqrt((real)q[1] * q[1] + (real)q[2] * q[2] + (real)q[3] * q[3]), q[1], q[2], q[3]};
        p[k] = v;
    }
    pairs_fill(n, p, &t);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) s[i * n + j] = i == j ? 0. : (double)pairs_s(&t, i, j);
    const double value = (double)estimate_value(&plan, &t, &rest);
    free(room);
    return value;
}
