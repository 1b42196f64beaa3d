/* Processes and points: what may be asked about. */
#include "process/process.h"
#include "base/sized.h"
#include "base/status.h"
#include "process/partons.h"

#include <math.h>

bg_status bg_process_create(bg_process **process, int n_in, int n_out, const int *pdg, bg_error *error)
{
    bg_legs legs = {.n_in = n_in, .n_out = n_out};
    bg_subprocess checked;
    if (!process) return bg_fail(error, BG_ERROR_ARGUMENT, "process is NULL: no place for the result");
    *process = NULL;
    const bg_status status = bg_subprocess_create(&checked, n_in, n_out, pdg, error);
    if (status != BG_OK) return status;
    for (int k = 0; k < checked.n; k++) legs.leg[k] = pdg[k];
    return bg_process_make(process, &legs, BG_MAX_FLAVORS, BG_ALL_LINES, error);
}

bg_status bg_process_create_gluons(bg_process **process, int n_out, bg_error *error)
{
    int pdg[BG_MAX_LEGS];
    for (int k = 0; k < BG_MAX_LEGS; k++) pdg[k] = BG_PDG_GLUON;
    return bg_process_create(process, 2, n_out, pdg, error);
}

bg_status bg_process_parse(bg_process **process, const char *text, int flavors, int quark_lines, bg_error *error)
{
    bg_legs legs;
    if (!process) return bg_fail(error, BG_ERROR_ARGUMENT, "process is NULL: no place for the result");
    *process = NULL;
    if (!text) return bg_fail(error, BG_ERROR_ARGUMENT, "text is NULL: no process given");
    if (flavors < BG_MIN_FLAVORS || flavors > BG_MAX_FLAVORS)
        return bg_fail(error, BG_ERROR_ARGUMENT, "flavors = %d; it must be %d to %d", flavors, BG_MIN_FLAVORS,
                       BG_MAX_FLAVORS);
    if (quark_lines < BG_ALL_LINES || quark_lines > BG_MAX_LINES)
        return bg_fail(error, BG_ERROR_ARGUMENT, "quark_lines = %d; it must be 0 to %d, or %d for all that there are",
                       quark_lines, BG_MAX_LINES, BG_ALL_LINES);
    const bg_status status = bg_legs_read(&legs, text, error);
    return status == BG_OK ? bg_process_make(process, &legs, flavors, quark_lines, error) : status;
}

int bg_process_n_out(const bg_process *process) { return process ? process->subprocess[0].n_out : 0; }

int bg_process_is_open(const bg_process *process) { return process ? process->open : 0; }

int bg_process_has_protons(const bg_process *process) { return process ? process->protons : 0; }

int bg_process_classes(const bg_process *process) { return process ? process->count : 0; }

void bg_process_destroy(bg_process *process) { bg_process_release(process); }

/* ---- classes and channels ------------------------------------------------------------------------------------------ */

static bg_status check_class(const bg_process *process, int k, bg_error *error)
{
    if (!process) return bg_fail(error, BG_ERROR_ARGUMENT, "process is NULL");
    if (k < 0 || k >= process->count)
        return bg_fail(error, BG_ERROR_ARGUMENT, "there is no class %d; it must be 0 to %d", k, process->count - 1);
    return BG_OK;
}

/* Whether two channels have the same partons coming in, the same way round. */
static int same_beams(const bg_channel *a, const bg_channel *b)
{
    return a->in[0] == b->in[0] && a->in[1] == b->in[1] && a->exchanged == b->exchanged;
}

bg_status bg_process_class_at(const bg_process *process, int k, bg_process_class *result, bg_error *error)
{
    bg_process_class c;
    bg_status status = check_class(process, k, error);
    if (status == BG_OK) status = bg_sized_check(result, "class", error);
    if (status != BG_OK) return status;
    const bg_subprocess *s = &process->subprocess[k];
    bg_process_class_init(&c);
    bg_partons_write(s->n_in, s->n, s->pdg, c.name, sizeof c.name);
    c.n_out = s->n_out;
    for (int leg = 0; leg < s->n; leg++) c.pdg[leg] = s->pdg[leg];
    c.gluons = s->gluons;
    c.quark_lines = s->lines;
    c.channels = (int)(process->first[k + 1] - process->first[k]);
    for (size_t i = process->first[k]; i < process->first[k + 1]; i++)
        c.beams += i == process->first[k] || !same_beams(&process->channel[i], &process->channel[i - 1]);
    status = bg_sized_write(result, &c, sizeof c, "class", error);
    return status == BG_OK ? bg_succeed(error) : status;
}

bg_status bg_process_beams_at(const bg_process *process, int k, int pair, bg_process_beams *result, bg_error *error)
{
    bg_process_beams found;
    int count = -1;
    bg_status status = check_class(process, k, error);
    if (status == BG_OK) status = bg_sized_check(result, "beams", error);
    if (status != BG_OK) return status;
    bg_process_beams_init(&found);
    for (size_t i = process->first[k]; i < process->first[k + 1]; i++) {
        const bg_channel *c = &process->channel[i];
        count += i == process->first[k] || !same_beams(c, &process->channel[i - 1]);
        if (count != pair) continue;
        found.pdg[0] = c->in[0];
        found.pdg[1] = c->in[1];
        found.exchanged = c->exchanged;
        found.channels++;
    }
    if (!found.channels)
        return bg_fail(error, BG_ERROR_ARGUMENT, "there is no pair %d of class %d; it must be 0 to %d", pair, k, count);
    status = bg_sized_write(result, &found, sizeof found, "beams", error);
    return status == BG_OK ? bg_succeed(error) : status;
}

bg_status bg_process_channel_at(const bg_process *process, int k, int channel, int *pdg, int *exchanged,
                                bg_error *error)
{
    const bg_status status = check_class(process, k, error);
    if (status != BG_OK) return status;
    const int channels = (int)(process->first[k + 1] - process->first[k]);
    if (channel < 0 || channel >= channels)
        return bg_fail(error, BG_ERROR_ARGUMENT, "there is no channel %d of class %d; it must be 0 to %d", channel, k,
                       channels - 1);
    if (!pdg || !exchanged) return bg_fail(error, BG_ERROR_ARGUMENT, "pdg and exchanged must not be NULL");
    const bg_channel *c = &process->channel[process->first[k] + (size_t)channel];
    const bg_subprocess *s = &process->subprocess[k];
    *exchanged = c->exchanged;
    for (int leg = 0; leg < s->n; leg++) pdg[leg] = bg_channel_parton(c, s->pdg[leg]);
    return bg_succeed(error);
}

/* ---- points -------------------------------------------------------------------------------------------------------- */

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
            return bg_fail(error, BG_ERROR_POINT, "%s of parton %d is %g, not a finite number", component[k % 4],
                           k / 4 + 1, momenta[k]);
    for (int k = 0; k < n; k++)
        if (momenta[4 * k] <= 0.)
            return bg_fail(error, BG_ERROR_POINT, "E of parton %d is %g; energies must be positive", k + 1,
                           momenta[4 * k]);
    const double energy = momenta[0] + momenta[4];
    if (!isfinite(energy)) return bg_fail(error, BG_ERROR_POINT, "the total energy is not a finite number");
    /* |M|^2 goes with powers of it: beyond, products inside the kernels leave the range of numbers */
    if (!(energy >= 1e-10 && energy <= 1e10))
        return bg_fail(error, BG_ERROR_POINT, "the total energy is %.3g GeV; it must be between 1e-10 and 1e10",
                       energy);
    for (int k = 0; k < n; k++) {
        const double *q = momenta + 4 * k;
        /* |E - |p|| rather than the square: hypot neither overflows nor underflows */
        const double off = fabs(q[0] - hypot(hypot(q[1], q[2]), q[3]));
        if (!(off <= tolerance * energy))
            return bg_fail(error, BG_ERROR_POINT,
                           "parton %d is not massless: |E - |p|| is %.3g of the total energy, at most %.3g is allowed",
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
    double along = 0.; /* of the incoming ones, whose s would vanish */
    for (int c = 1; c < 4; c++) along += momenta[c] * momenta[4 + c];
    const double apart = 1. - along / (momenta[0] * momenta[4]);
    if (!(apart > tolerance))
        return bg_fail(error, BG_ERROR_POINT,
                       "the incoming partons fly in the same direction: 1 - cos of their angle is %.3g, and must be "
                       "above %.3g",
                       apart, tolerance);
    return bg_succeed(error);
}
