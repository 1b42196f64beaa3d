/* Processes and points: what may be asked about. */
#include "process/process.h"
#include "base/status.h"

#include <math.h>
#include <stdlib.h>

bg_status bg_process_create(bg_process **process, int n_in, int n_out, const int *pdg, bg_error *error)
{
    if (!process) return bg_fail(error, BG_ERROR_ARGUMENT, "process is NULL: no place for the result");
    *process = NULL;
    bg_subprocess subprocess;
    const bg_status status = bg_subprocess_create(&subprocess, n_in, n_out, pdg, error);
    if (status != BG_OK) return status;
    bg_process *p = malloc(sizeof *p + sizeof *p->subprocess);
    if (!p) return bg_fail(error, BG_ERROR_MEMORY, "no memory for a process");
    p->count = 1;
    p->subprocess[0] = subprocess;
    *process = p;
    return bg_succeed(error);
}

bg_status bg_process_create_gluons(bg_process **process, int n_out, bg_error *error)
{
    int pdg[BG_MAX_LEGS];
    for (int k = 0; k < BG_MAX_LEGS; k++) pdg[k] = BG_PDG_GLUON;
    return bg_process_create(process, 2, n_out, pdg, error);
}

int bg_process_n_out(const bg_process *process) { return process ? process->subprocess[0].n_out : 0; }

void bg_process_destroy(bg_process *process) { free(process); }

bg_status bg_check_point(int n_out, const double *momenta, double tolerance, bg_error *error)
{
    if (!momenta) return bg_fail(error, BG_ERROR_ARGUMENT, "momenta is NULL");
    if (n_out < BG_MIN_OUT || n_out > BG_MAX_OUT_DRESSED)
        return bg_fail(error, BG_ERROR_ARGUMENT, "n_out = %d; it must be %d to %d", n_out, BG_MIN_OUT,
                       BG_MAX_OUT_DRESSED);
    static const char *const component[4] = {"E", "px", "py", "pz"};
    const int n = n_out + 2;
    for (int k = 0; k < 4 * n; k++)
        if (!isfinite(momenta[k]))
            return bg_fail(error, BG_ERROR_POINT, "%s of gluon %d is %g, not a finite number", component[k % 4],
                           k / 4 + 1, momenta[k]);
    for (int k = 0; k < n; k++)
        if (momenta[4 * k] <= 0.)
            return bg_fail(error, BG_ERROR_POINT, "E of gluon %d is %g; energies must be positive", k + 1,
                           momenta[4 * k]);
    const double energy = momenta[0] + momenta[4];
    if (!isfinite(energy)) return bg_fail(error, BG_ERROR_POINT, "the total energy is not a finite number");
    for (int k = 0; k < n; k++) {
        const double *q = momenta + 4 * k;
        /* |E - |p|| rather than the square: hypot neither overflows nor underflows */
        const double off = fabs(q[0] - hypot(hypot(q[1], q[2]), q[3]));
        if (!(off <= tolerance * energy))
            return bg_fail(error, BG_ERROR_POINT,
                           "gluon %d is not massless: |E - |p|| is %.3g of the total energy, at most %.3g is allowed",
                           k + 1, off / energy, tolerance);
    }
    for (int c = 0; c < 4; c++) {
        double sum = momenta[c] + momenta[4 + c];
        for (int k = 2; k < n; k++) sum -= momenta[4 * k + c];
        if (!(fabs(sum) <= tolerance * energy))
            return bg_fail(error, BG_ERROR_POINT,
                           "momentum is not conserved: %s differs by %.3g of the total energy, at most %.3g is allowed",
                           component[c], fabs(sum) / energy, tolerance);
    }
    return bg_succeed(error);
}
