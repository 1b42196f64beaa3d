#include "process/subprocess.h"
#include "base/status.h"
#include "process/partons.h"

#include <string.h>

/* ---- checks --------------------------------------------------------------------------------------------------- */

static bg_status check_partons(int n, const int *pdg, bg_error *error)
{
    for (int k = 0; k < n; k++)
        if (!bg_parton_of(pdg[k]))
            return bg_fail(error, BG_ERROR_UNSUPPORTED,
                           "particle %d has PDG id %d; only the partons of massless QCD are supported: %d for a gluon, "
                           "1 to %d for the quarks d, u, s, c, b, and -1 to -%d",
                           k + 1, pdg[k], BG_PDG_GLUON, BG_MAX_FLAVORS, BG_MAX_FLAVORS);
    return BG_OK;
}

/* Quarks minus antiquarks of a flavor among some legs. */
static int net_flavor(int flavor, int count, const int *pdg)
{
    int net = 0;
    for (int k = 0; k < count; k++) net += (pdg[k] == flavor) - (pdg[k] == -flavor);
    return net;
}

static bg_status check_flavors(int n_in, int n_out, const int *pdg, bg_error *error)
{
    for (int flavor = 1; flavor <= BG_MAX_FLAVORS; flavor++) {
        const int before = net_flavor(flavor, n_in, pdg), after = net_flavor(flavor, n_out, pdg + n_in);
        char text[BG_MESSAGE_LENGTH / 2];
        if (before == after) continue;
        bg_partons_write(n_in, n_in + n_out, pdg, text, sizeof text);
        return bg_fail(error, BG_ERROR_ARGUMENT,
                       "flavor %s is not conserved in %s: quarks minus antiquarks are %d before and %d after",
                       bg_parton_name(flavor), text, before, after);
    }
    return BG_OK;
}

static bg_status check_lines(int n_in, int n, const int *pdg, bg_error *error)
{
    char text[BG_MESSAGE_LENGTH / 2];
    int quarks = 0;
    for (int k = 0; k < n; k++) quarks += pdg[k] != BG_PDG_GLUON;
    if (quarks <= 2 * BG_MAX_LINES) return BG_OK;
    bg_partons_write(n_in, n, pdg, text, sizeof text);
    return bg_fail(error, BG_ERROR_UNSUPPORTED, "%s has %d quark lines; there may be at most %d", text, quarks / 2,
                   BG_MAX_LINES);
}

/* ---- lines ------------------------------------------------------------------------------------------------------ */

/* The lines of one flavor: its quarks and antiquarks in the order of the legs. */
static void add_lines(bg_subprocess *s, int flavor)
{
    int line = s->lines;
    for (int leg = 0; leg < s->n; leg++)
        if (s->crossed[leg] == flavor) {
            s->flavor[line] = (uint8_t)s->flavors;
            s->quark[line++] = (uint8_t)leg;
        }
    s->lines_of[s->flavors++] = (uint8_t)(line - s->lines);
    line = s->lines;
    for (int leg = 0; leg < s->n; leg++)
        if (s->crossed[leg] == -flavor) s->antiquark[line++] = (uint8_t)leg;
    s->lines = line;
}

/* Flavors with more lines come first, then those whose first leg does. */
static void find_lines(bg_subprocess *s)
{
    for (int leg = 0; leg < s->n; leg++)
        s->crossed[leg] = leg < s->n_in ? bg_parton_conjugate(s->pdg[leg]) : s->pdg[leg];
    for (int lines = BG_MAX_LINES; lines > 0; lines--)
        for (int leg = 0; leg < s->n; leg++) {
            const int flavor = bg_parton_flavor(s->pdg[leg]);
            int there = 0, seen = 0;
            for (int k = 0; k < s->n; k++) {
                there += flavor && s->crossed[k] == flavor;
                seen |= k < leg && bg_parton_flavor(s->pdg[k]) == flavor;
            }
            if (there == lines && !seen) add_lines(s, flavor);
        }
}

/* ---- places ------------------------------------------------------------------------------------------------------- */

/* An incoming leg, the outgoing ones, the other incoming leg: the second one, unless only the first is a quark. */
static void place_beams_outside(bg_subprocess *s)
{
    const int last = s->pdg[1] == BG_PDG_GLUON && s->pdg[0] != BG_PDG_GLUON ? 0 : 1;
    for (int place = 0; place < s->n; place++)
        s->leg[place] = (uint8_t)(!place ? 1 - last : place == s->n - 1 ? last : place + 1);
}

/* One line: its ends, an incoming one last, and the gluons between them. */
static void place_ends_outside(bg_subprocess *s)
{
    const int quark = s->quark[0], antiquark = s->antiquark[0];
    const int quark_closes = quark < s->n_in && !(antiquark < s->n_in && antiquark > quark);
    int place = 0;
    s->reversed = (uint8_t)quark_closes;
    s->leg[place++] = (uint8_t)(quark_closes ? antiquark : quark);
    for (int leg = 0; leg < s->n; leg++)
        if (s->pdg[leg] == BG_PDG_GLUON) s->leg[place++] = (uint8_t)leg;
    s->leg[place] = (uint8_t)(quark_closes ? quark : antiquark);
}

static void place_legs(bg_subprocess *s)
{
    if (s->lines == 1)
        place_ends_outside(s);
    else
        place_beams_outside(s);
    int gluons = 0;
    for (int place = 0; place < s->n; place++) {
        const int leg = s->leg[place];
        s->place[leg] = (uint8_t)place;
        if (leg < s->n_in) s->incoming |= 1u << place;
        if (s->pdg[leg] == BG_PDG_GLUON) s->gluon[gluons++] = (uint8_t)leg;
    }
    /* the leg that closes, where it comes in; otherwise the second one */
    const int gauge = s->leg[s->n - 1] < s->n_in ? s->leg[s->n - 1] : 1;
    s->gauge = s->place[gauge];
    s->opposite = s->place[1 - gauge];
}

/* ---- the whole ----------------------------------------------------------------------------------------------------- */

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
    bg_status status = check_partons(n_in + n_out, pdg, error);
    if (status == BG_OK) status = check_flavors(n_in, n_out, pdg, error);
    if (status == BG_OK) status = check_lines(n_in, n_in + n_out, pdg, error);
    if (status != BG_OK) return status;
    memset(s, 0, sizeof *s);
    s->n_in = n_in;
    s->n_out = n_out;
    s->n = n_in + n_out;
    s->couplings = s->n - 2;
    s->incoming_colors = s->incoming_helicities = 1.;
    for (int k = 0; k < s->n; k++) {
        s->pdg[k] = pdg[k];
        s->gluons += pdg[k] == BG_PDG_GLUON;
    }
    for (int k = 0; k < n_in; k++) {
        s->incoming_colors *= bg_parton_of(pdg[k])->colors;
        s->incoming_helicities *= bg_parton_of(pdg[k])->helicities;
    }
    find_lines(s);
    s->ends = s->lines == 0 ? BG_ENDS_GLUONS : s->lines == 1 ? BG_ENDS_QUARKS : BG_ENDS_MANY;
    s->letters = s->lines == 0 ? s->n - 2 : s->gluons;
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

double bg_subprocess_symmetry(const bg_subprocess *s)
{
    double factor = 1.;
    for (int leg = s->n_in; leg < s->n; leg++) factor *= s->alike[leg];
    return factor;
}
