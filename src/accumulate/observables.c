/* Observables by name, and the ranges that kinematics leave for them.
 *
 * n massless gluons share the energy E: the sum of pT cosh(eta) is E. So HT is at most E, and at least E / cosh(eta_max).
 * Transverse momenta add up to nothing, so the hardest is at most half of HT and at least its n-th part. The second
 * is at least HT / (2 (n - 1)), since all but the first hold half of HT; the k-th is at most HT / k. An energy is at most E / 2.
 * Partons of protons have any part of E, so that only upper bounds are left of this, and the cuts.
 */
#define BG_LANES 1 /* a point at a time */
#include "accumulate/observables.h"
#include "base/status.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STANDARD_BINS = 50, MOST_BINS = 1000 };

static const struct {
    const char *name;
    int least, most;   /* gluons */
    int logarithmic;   /* its standard bins */
    const char *title; /* with @ for a gluon or a jet, %s for their numbers */
} observables[OBSERVABLES] = {
    [OBSERVABLE_PT] = {"pt", 1, 1, 1, "p_T of @ %s [GeV]"},
    [OBSERVABLE_ETA] = {"eta", 1, 1, 0, "pseudorapidity of @ %s"},
    [OBSERVABLE_Y] = {"y", 1, 1, 0, "rapidity of @ %s"},
    [OBSERVABLE_ENERGY] = {"energy", 1, 1, 1, "energy of @ %s [GeV]"},
    [OBSERVABLE_DPHI] = {"dphi", 2, 2, 0, "Delta phi of @s %s"},
    [OBSERVABLE_DETA] = {"deta", 2, 2, 0, "Delta eta of @s %s"},
    [OBSERVABLE_DR] = {"dr", 2, 2, 0, "Delta R of @s %s"},
    [OBSERVABLE_MASS] = {"mass", 2, BG_MAX_OUT_DRESSED, 0, "mass of @s %s [GeV]"},
    [OBSERVABLE_HT] = {"ht", 0, 0, 1, "H_T [GeV]"},
    [OBSERVABLE_DR_MIN] = {"dr_min", 0, 0, 0, "smallest Delta R of two @s"},
    [OBSERVABLE_DR_MAX] = {"dr_max", 0, 0, 0, "largest Delta R of two @s"},
    [OBSERVABLE_WEIGHT] = {"weight", 0, 0, 1, "weight [pb]"},
};

/* "1, 2, 5" */
static void list_gluons(uint32_t gluons, const char *comma, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int k = 0; gluons >> k && used < size; k++)
        if (gluons >> k & 1u) used += (size_t)snprintf(text + used, size - used, "%s%d", used ? comma : "", k + 1);
}

void bg_observable_name(const bg_observable *o, char *name, size_t size)
{
    char gluons[40];
    list_gluons(o->gluons, "_", gluons, sizeof gluons);
    snprintf(name, size, "%s%s%s", observables[o->kind].name, *gluons ? "_" : "", gluons);
}

void bg_observable_title(const bg_observable *o, int jets, char *title, size_t size)
{
    char gluons[56];
    size_t used = 0;
    list_gluons(o->gluons, ", ", gluons, sizeof gluons);
    for (const char *at = observables[o->kind].title; *at && used < size; at++) {
        const int number = at[0] == '%';
        const char letter[2] = {*at, '\0'}, *now = number ? gluons : *at != '@' ? letter : jets ? "jet" : "gluon";
        used += (size_t)snprintf(title + used, size - used, "%s", now);
        at += number; /* the s of %s */
    }
}

/* ---- ranges ---------------------------------------------------------------------------------------------------------- */

typedef struct range {
    double low, high;
} range;

static double least_pt(const bg_kinematics *k) { return k->cuts.pt_min > 0. ? k->cuts.pt_min : 1e-4 * k->sqrts; }

/* The largest |eta| of a gluon: of the cut, or of one that has the least pT and half of the energy. */
static double largest_eta(const bg_kinematics *k)
{
    const double cut = k->cuts.eta_max > 0. && k->cuts.eta_max < 10. ? k->cuts.eta_max : 10.;
    const double ratio = 0.5 * k->sqrts / least_pt(k);
    const double eta = ratio > 1. ? acosh(ratio) : 0.;
    return fmax(fmin(eta, cut), 1e-3);
}

static range range_of_ht(const bg_kinematics *k)
{
    const double central = k->sqrts / cosh(largest_eta(k));
    const double cuts = fmax(k->n_out * least_pt(k), k->cuts.ht_min);
    return (range){k->protons ? cuts : fmax(cuts, central), k->sqrts};
}

static range range_of_pt(const bg_kinematics *k, int gluon)
{
    const range ht = range_of_ht(k);
    const int n = k->n_out, others = n - gluon; /* that are softer */
    const double low = gluon == 1 ? ht.low / n : gluon == 2 ? ht.low / (2. * (n - 1)) : 0.;
    const double high = gluon == 1 ? 0.5 * k->sqrts : (k->sqrts - others * k->cuts.pt_min) / gluon;
    return (range){fmax(low, least_pt(k)), high};
}

static range range_of(const bg_kinematics *k, const bg_observable *o)
{
    const double eta = largest_eta(k), far = sqrt(4. * eta * eta + BG_PI * BG_PI);
    switch (o->kind) {
    case OBSERVABLE_PT: return range_of_pt(k, bg_next_gluon(o->gluons, 0) + 1);
    case OBSERVABLE_ETA:
    case OBSERVABLE_Y: return (range){-eta, eta};
    case OBSERVABLE_ENERGY: return (range){range_of_pt(k, bg_next_gluon(o->gluons, 0) + 1).low, 0.5 * k->sqrts};
    case OBSERVABLE_DPHI: return (range){0., BG_PI};
    case OBSERVABLE_DETA: return (range){0., 2. * eta};
    case OBSERVABLE_DR:
    case OBSERVABLE_DR_MIN: return (range){fmin(k->cuts.dr_min, 0.9 * far), far};
    case OBSERVABLE_DR_MAX: /* three directions that balance: two of them are 120 degrees apart */
        return (range){k->n_out == 2 ? BG_PI : BG_TWO_PI / 3., far};
    case OBSERVABLE_MASS: return (range){k->cuts.mass_min, k->sqrts};
    case OBSERVABLE_HT: return range_of_ht(k);
    default: return (range){1e-12, 1e13}; /* weights in pb */
    }
}

/* Cuts may leave so little room that the edges fall together. */
static range opened(range r)
{
    const double least = 1e-3 * fmax(fabs(r.low), fabs(r.high));
    if (r.high - r.low >= least && r.high > r.low) return r;
    const double middle = 0.5 * (r.low + r.high);
    return (range){middle - 0.5 * least, middle + 0.5 * least};
}

static void set_edges(bg_axis *a, range r)
{
    a->low = a->logarithmic ? log10(r.low) : r.low;
    a->high = a->logarithmic ? log10(r.high) : r.high;
}

bg_axis bg_axis_standard(const bg_kinematics *k, int kind, uint32_t gluons)
{
    bg_axis a = {.observable = {.kind = kind, .gluons = gluons},
                 .bins = STANDARD_BINS,
                 .logarithmic = observables[kind].logarithmic,
                 .folded = 1};
    set_edges(&a, opened(range_of(k, &a.observable)));
    return a;
}

/* ---- texts ------------------------------------------------------------------------------------------------------------ */

static const char FORM[] = "it must be of the form NAME:BINS:LOW:HIGH, with :log for logarithmic bins, such as "
                           "mass(1,2):50:0:5000 or pt(1):40:20:2000:log";

static bg_status refuse(const char *text, const char *why, bg_error *error)
{
    return bg_fail(error, BG_ERROR_ARGUMENT, "histogram '%.100s': %s; %s", text, why, FORM);
}

/* The name before "(", ":" or the end. */
static bg_status read_kind(const char *text, int *kind, const char **behind, bg_error *error)
{
    const size_t length = strcspn(text, "(:");
    char names[160] = "";
    for (int k = 0; k < OBSERVABLES; k++) {
        const char *name = observables[k].name;
        if (strlen(name) == length && !strncmp(name, text, length)) {
            *kind = k;
            *behind = text + length;
            return BG_OK;
        }
        strcat(names, k ? ", " : "");
        strcat(names, name);
    }
    return bg_fail(error, BG_ERROR_ARGUMENT, "histogram '%.100s': there is no observable '%.*s'; it must be one of %s",
                   text, length < 40 ? (int)length : 40, text, names);
}

/* "(1,2)" */
static bg_status read_gluons(const char *text, const bg_kinematics *k, int kind, const char **at, uint32_t *gluons,
                             bg_error *error)
{
    const int least = observables[kind].least, most = observables[kind].most;
    int count = 0;
    *gluons = 0;
    if (**at == '(') {
        do {
            char *end = NULL;
            const long gluon = isdigit((unsigned char)(*at)[1]) ? strtol(*at + 1, &end, 10) : 0;
            if (gluon < 1 || gluon > k->n_out)
                return bg_fail(
                    error, BG_ERROR_ARGUMENT,
                    "histogram '%.100s': gluons are numbered by falling pT, from 1 to %d, with commas between", text,
                    k->n_out);
            if (*gluons >> (gluon - 1) & 1u) return refuse(text, "a gluon stands there twice", error);
            *gluons |= 1u << (gluon - 1);
            count++;
            *at = end;
        } while (**at == ',');
        if (*(*at)++ != ')') return refuse(text, "the bracket is not closed", error);
    }
    if (count >= least && count <= most) return BG_OK;
    return bg_fail(error, BG_ERROR_ARGUMENT, "histogram '%.100s': %s is of %s gluon%s, and %d %s given", text,
                   observables[kind].name,
                   least != most ? "two or more"
                   : !least      ? "no single"
                   : least == 1  ? "one"
                                 : "two",
                   least == 1 ? "" : "s", count, count == 1 ? "is" : "are");
}

/* ":50:0:5000", ":50", or nothing; returns whether it was understood, with the place behind it. */
static int read_binning(const char **at, int *bins, range *r, int *edges)
{
    char *end;
    *edges = 0;
    if (**at == ':' && isdigit((unsigned char)(*at)[1])) {
        const long count = strtol(*at + 1, &end, 10);
        *bins = count > MOST_BINS ? MOST_BINS + 1 : (int)count;
        *at = end;
        if (**at == ':' && strcmp(*at, ":log")) {
            r->low = strtod(*at + 1, &end);
            if (end == *at + 1 || *end != ':') return 0;
            *at = end;
            r->high = strtod(*at + 1, &end);
            if (end == *at + 1) return 0;
            *at = end;
            *edges = 1;
        }
    }
    return 1;
}

bg_status bg_axis_parse(bg_axis *axis, const bg_kinematics *k, const char *text, bg_error *error)
{
    const char *at = text;
    int kind = 0, edges = 0, bins = STANDARD_BINS;
    uint32_t gluons = 0;
    range r = {0., 0.};
    bg_status status = read_kind(text, &kind, &at, error);
    if (status == BG_OK) status = read_gluons(text, k, kind, &at, &gluons, error);
    if (status != BG_OK) return status;
    *axis = bg_axis_standard(k, kind, gluons);
    if (!*at) return BG_OK;
    if (!read_binning(&at, &bins, &r, &edges)) return refuse(text, "edges are two numbers", error);
    axis->logarithmic = !strcmp(at, ":log");
    if (*at && !axis->logarithmic) return refuse(text, "its end is not understood", error);
    if (bins < 1 || bins > MOST_BINS)
        return bg_fail(error, BG_ERROR_ARGUMENT, "histogram '%.100s': the number of bins must be 1 to %d", text,
                       MOST_BINS);
    axis->bins = bins;
    axis->folded = !edges;
    if (!edges) r = opened(range_of(k, &axis->observable));
    if (!(r.high > r.low) || !isfinite(r.low) || !isfinite(r.high) || !isfinite(r.high - r.low))
        return refuse(text, "the second edge must be above the first, and both finite", error);
    if (axis->logarithmic && !(r.low > 0.)) return refuse(text, "logarithmic bins begin above 0", error);
    set_edges(axis, r);
    return axis->high > axis->low ? BG_OK : refuse(text, "the edges are too close", error);
}
