#include "process/subprocess.h"
#include "base/constants.h"
#include "base/status.h"

#include <string.h>

/* Places: the first incoming leg, the outgoing ones, the second incoming leg. */
static void place_legs(bg_subprocess *s)
{
    for (int place = 0; place < s->n; place++) {
        const int leg = place == 0 ? 0 : place == s->n - 1 ? 1 : place + 1;
        s->leg[place] = (uint8_t)leg;
        s->place[leg] = (uint8_t)place;
        if (leg < s->n_in) s->incoming |= 1u << place;
    }
}

/* Identical outgoing partons are counted, so that 1/k! of each kind is the product of 1/alike. */
static void count_alike(bg_subprocess *s)
{
    for (int leg = 0; leg < s->n; leg++) {
        s->alike[leg] = 1;
        for (int other = s->n_in; leg >= s->n_in && other < leg; other++)
            if (s->pdg[other] == s->pdg[leg]) s->alike[leg]++;
    }
}

bg_status bg_subprocess_create(bg_subprocess *s, int n_in, int n_out, const int *pdg, bg_error *error)
{
    if (n_in != 2) return bg_fail(error, BG_ERROR_ARGUMENT, "%d incoming particles; it must be 2", n_in);
    if (n_out < BG_MIN_OUT || n_out > BG_MAX_OUT_DRESSED)
        return bg_fail(error, BG_ERROR_ARGUMENT, "n_out = %d; it must be %d to %d", n_out, BG_MIN_OUT,
                       BG_MAX_OUT_DRESSED);
    if (!pdg) return bg_fail(error, BG_ERROR_ARGUMENT, "pdg is NULL: no particles given");
    for (int k = 0; k < n_in + n_out; k++)
        if (pdg[k] != BG_PDG_GLUON)
            return bg_fail(error, BG_ERROR_UNSUPPORTED, "particle %d has PDG id %d; only gluons (%d) are supported",
                           k + 1, pdg[k], BG_PDG_GLUON);
    memset(s, 0, sizeof *s);
    s->n_in = n_in;
    s->n_out = n_out;
    s->n = n_in + n_out;
    s->letters = s->n - 2;
    s->ends = BG_ENDS_GLUONS;
    s->couplings = s->n - 2;
    s->incoming_colors = (BG_NC * BG_NC - 1) * (BG_NC * BG_NC - 1);
    s->incoming_helicities = 2 * 2;
    for (int k = 0; k < s->n; k++) s->pdg[k] = pdg[k];
    place_legs(s);
    count_alike(s);
    return bg_succeed(error);
}

bg_subprocess bg_subprocess_gluons(int n_out)
{
    int pdg[BG_MAX_LEGS];
    bg_subprocess s;
    for (int k = 0; k < BG_MAX_LEGS; k++) pdg[k] = BG_PDG_GLUON;
    memset(&s, 0, sizeof s);
    (void)bg_subprocess_create(&s, 2, n_out, pdg, NULL);
    return s;
}
