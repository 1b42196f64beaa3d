#include "gpu_check.h"

#define SQRTS 14000.

static uint64_t random_state = 0x9E3779B97F4A7C15u;

double uniform(void)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return ((double)(random_state >> 11) + 0.5) / 9007199254740992.;
}

double product(const double *a, const double *b) { return a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3]; }

/* Massless momenta in their rest frame, at the energy SQRTS. */
static void to_rest_frame(int n_out, double *out)
{
    double sum[4] = {0.};
    for (int k = 0; k < 4 * n_out; k++) sum[k % 4] += out[k];
    const double mass = sqrt(product(sum, sum)), gamma = sum[0] / mass, a = 1. / (1. + gamma);
    for (int k = 0; k < n_out; k++) {
        double *q = out + 4 * k, b = 0.;
        for (int m = 1; m < 4; m++) b -= sum[m] / mass * q[m];
        const double f = q[0] + a * b;
        for (int m = 1; m < 4; m++) q[m] = SQRTS / mass * (q[m] - sum[m] / mass * f);
        q[0] = sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    }
}

/* A flat point (RAMBO). */
void flat_point(int n_out, double *momenta)
{
    double *out = momenta + 8;
    for (int k = 0; k < n_out; k++) {
        const double c = 2. * uniform() - 1., s = sqrt(1. - c * c), phi = 6.283185307179586 * uniform();
        const double energy = -log(uniform() * uniform());
        const double q[4] = {energy, energy * s * cos(phi), energy * s * sin(phi), energy * c};
        memcpy(out + 4 * k, q, sizeof q);
    }
    to_rest_frame(n_out, out);
    to_rest_frame(n_out, out); /* the digits that a large boost has lost */
    const double in[8] = {SQRTS / 2, 0., 0., SQRTS / 2, SQRTS / 2, 0., 0., -SQRTS / 2};
    memcpy(momenta, in, sizeof in);
}

/* Away from the singular regions, where rounding is amplified. */
static void good_point(int n_out, double *momenta)
{
    const int n = n_out + 2;
    double smallest;
    do {
        smallest = 1.;
        flat_point(n_out, momenta);
        for (int i = 0; i < n; i++)
            for (int j = i + 1; j < n; j++)
                smallest = fmin(smallest, 2. * product(momenta + 4 * i, momenta + 4 * j) / (SQRTS * SQRTS));
    } while (smallest * n * n * n < 0.1);
}

double *many_points(int n_out, size_t count)
{
    const size_t numbers = 4 * ((size_t)n_out + 2);
    double *momenta = malloc(count * numbers * sizeof *momenta);
    if (!momenta) exit(1);
    for (size_t k = 0; k < count; k++) good_point(n_out, momenta + k * numbers);
    return momenta;
}
