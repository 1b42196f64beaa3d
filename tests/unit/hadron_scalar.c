#define BG_LANES 1
#include "hadron_scalar.h"
#include "phasespace/symmetric.h"

double scalar_symmetric(int n, const void *map, const void *table, const double *numbers, double *momenta, double *x,
                        uint8_t *cell)
{
    vec4 p[BG_MAX_OUT_DRESSED];
    const double weight = symmetric_generate(n, map, table, numbers, p, &x[0], &x[1], cell);
    for (int k = 0; k < n; k++) {
        momenta[4 * k] = p[k].t;
        momenta[4 * k + 1] = p[k].x;
        momenta[4 * k + 2] = p[k].y;
        momenta[4 * k + 3] = p[k].z;
    }
    return weight;
}

int scalar_cuts(int n, const void *cuts, const void *jets, const double *momenta)
{
    vec4 p[BG_MAX_OUT_DRESSED];
    for (int k = 0; k < n; k++)
        p[k] = (vec4){momenta[4 * k], momenta[4 * k + 1], momenta[4 * k + 2], momenta[4 * k + 3]};
    return cuts_pass(n, cuts, jets, p);
}
