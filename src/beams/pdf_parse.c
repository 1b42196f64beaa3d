/* From the texts of a set to its grid: what they say, whether it makes sense, and the block of doubles (beams/pdf_grid.h).
 *
 * A member is a head of entries, a line "---", and the subgrids between the thresholds of flavors, each ended by "---":
 *
 *     knots in x
 *     knots in Q (GeV)
 *     PDG ids of the columns
 *     a line of x f for each x and Q, Q running faster
 */
#include "base/constants.h"
#include "base/status.h"
#include "beams/pdf.h"
#include "beams/pdf_text.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>
#if defined(__APPLE__)
#include <xlocale.h>
#endif

enum {
    MOST_KNOTS = 10000,    /* in each direction */
    MOST_POINTS = 1 << 20, /* of a grid: 200 MB */
    MOST_SUBGRIDS = 32,
    MOST_COLUMNS = 64
};
enum { PROTON = 2212 }; /* PDG id */
static const double most_value = 1e100, least_scale = 1e-6, most_scale = 1e12, least_step = 1e-12;

typedef struct subgrid {
    int knots;     /* in Q */
    double *scale; /* Q */
    double *value; /* [x][q][BG_PDF_PARTONS] */
} subgrid;

/* A member while it is read. */
typedef struct source {
    text_entries info, head; /* of the set, and of the member, which comes first */
    int x_knots;
    double *x;
    int subgrids;
    subgrid sub[MOST_SUBGRIDS];
    int partons; /* bits of the places of those that some subgrid has */
    int alphas;
    double *scale, *alpha; /* knots of the coupling: Q, alpha_s */
} source;

static void release(source *s)
{
    text_entries_release(&s->info);
    text_entries_release(&s->head);
    for (int k = 0; k < s->subgrids; k++) {
        free(s->sub[k].scale);
        free(s->sub[k].value);
    }
    free(s->x);
    free(s->scale);
    free(s->alpha);
}

/* ---- entries ------------------------------------------------------------------------------------------------------ */

static const text_entry *find(const source *s, const char *key, const text_entries **where)
{
    *where = &s->head;
    const text_entry *entry = text_find(&s->head, key);
    if (entry) return entry;
    *where = &s->info;
    return text_find(&s->info, key);
}

static const char *find_text(const source *s, const char *key, const char *otherwise)
{
    const text_entries *where;
    const text_entry *entry = find(s, key, &where);
    return entry ? entry->value : otherwise;
}

static bg_status refuse_entry(const text_entries *where, const text_entry *entry, bg_error *error, const char *why)
{
    const text_place place = {where->path, entry->value, entry->line};
    return text_refuse(&place, error, "%s is '%.60s': %s", entry->key, entry->value, why);
}

/* A number between two bounds, unchanged where there is no such entry; *there says whether there is. */
static bg_status find_number(const source *s, const char *key, double low, double high, double *number, int *there,
                             bg_error *error)
{
    const text_entries *where;
    const text_entry *entry = find(s, key, &where);
    text_numbers list = {0};
    *there = entry != NULL;
    if (!entry) return BG_OK;
    bg_status status = text_read_list(where, entry, 1, &list, error);
    if (status == BG_OK && (list.count != 1 || list.number[0] < low || list.number[0] > high)) {
        const text_place place = {where->path, entry->value, entry->line};
        status =
            text_refuse(&place, error, "%s is '%.60s', which is no number from %g to %g", key, entry->value, low, high);
    }
    if (status == BG_OK) *number = list.number[0];
    text_numbers_release(&list);
    return status;
}

static bg_status find_integer(const source *s, const char *key, int low, int high, int *integer, bg_error *error)
{
    int there;
    double number = *integer;
    const bg_status status = find_number(s, key, low, high, &number, &there, error);
    if (status == BG_OK) *integer = (int)number;
    return status;
}

/* Entries that would change how numbers are to be understood. */
static bg_status check_method(const source *s, bg_error *error)
{
    static const struct {
        const char *key, *value, *why;
    } methods[] = {{"Format", "lhagrid1", "only grids of LHAPDF 6, lhagrid1, are read"},
                   {"Interpolator", "logcubic", "only logcubic interpolation is known"},
                   {"Extrapolator", "continuation", "only continuation is known outside of a grid"}};
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
        const text_entries *where;
        const text_entry *entry = find(s, methods[k].key, &where);
        if (entry && strcmp(entry->value, methods[k].value)) return refuse_entry(where, entry, error, methods[k].why);
        if (!entry && !k) return bg_fail(error, BG_ERROR_IO, "%s: there is no entry Format", s->info.path);
    }
    return BG_OK;
}

static void copy_text(char *to, size_t size, const char *from)
{
    size_t k = 0;
    for (; k + 1 < size && from[k]; k++) to[k] = (unsigned char)from[k] < 0x20 ? ' ' : from[k];
    to[k] = '\0';
}

static bg_status read_facts(const source *s, bg_pdf *pdf, bg_error *error)
{
    int index = -1, there;
    copy_text(pdf->description, sizeof pdf->description, find_text(s, "SetDesc", ""));
    copy_text(pdf->error_type, sizeof pdf->error_type, find_text(s, "ErrorType", "unknown"));
    bg_status status = find_integer(s, "NumMembers", 1, 1000000, &pdf->members, error);
    /* percent; negative where members are replicas, which have no such thing */
    if (status == BG_OK) status = find_number(s, "ErrorConfLevel", -1., 100., &pdf->confidence, &there, error);
    if (status == BG_OK) status = find_integer(s, "SetIndex", -1, 100000000, &index, error);
    if (status == BG_OK) status = find_integer(s, "Particle", -2000000000, 2000000000, &pdf->particle, error);
    if (status == BG_OK && pdf->particle != PROTON)
        status = bg_fail(error, BG_ERROR_ARGUMENT, "%s has densities of particle %d; they must be of %d, the proton",
                         s->info.path, pdf->particle, PROTON);
    if (status == BG_OK) status = find_integer(s, "OrderQCD", -1, 10, &pdf->order, error);
    if (status == BG_OK) status = find_integer(s, "ForcePositive", 0, 2, &pdf->grid.positive, error);
    if (status == BG_OK && pdf->member >= pdf->members)
        status = bg_fail(error, BG_ERROR_ARGUMENT, "member %d of %s: it has members 0 to %d", pdf->member, pdf->name,
                         pdf->members - 1);
    pdf->id = index < 0 ? -1 : index + pdf->member;
    return status;
}

/* ---- subgrids ------------------------------------------------------------------------------------------------------ */

/* Knots that rise, between bounds. The array becomes the caller's. */
static bg_status read_knots(const text_place *place, const char *line, const char *what, double low, double high,
                            int least, int *count, double **knot, bg_error *error)
{
    text_numbers list = {0};
    bg_status status = text_read_numbers(place, line, what, MOST_KNOTS, &list, error);
    if (status == BG_OK && list.count < (size_t)least)
        status = text_refuse(place, error, "%zu %s, and at least %d are needed", list.count, what, least);
    for (size_t k = 0; status == BG_OK && k < list.count; k++) {
        const double now = list.number[k];
        if (!(now >= low && now <= high))
            status = text_refuse(place, error, "%g among %s: they are from %g to %g", now, what, low, high);
        else if (k && !(log(now) - log(list.number[k - 1]) > least_step))
            status =
                text_refuse(place, error, "%s do not rise: %.17g comes after %.17g", what, now, list.number[k - 1]);
    }
    if (status != BG_OK) {
        text_numbers_release(&list);
        return status;
    }
    *count = (int)list.count;
    *knot = list.number;
    return BG_OK;
}

static bg_status read_x(source *s, const text_place *place, const char *line, bg_error *error)
{
    int knots;
    double *x;
    const bg_status status = read_knots(place, line, "knots in x", 1e-100, 1., 4, &knots, &x, error);
    if (status != BG_OK) return status;
    if (!s->x) {
        s->x = x;
        s->x_knots = knots;
        return BG_OK;
    }
    const int same = knots == s->x_knots && !memcmp(x, s->x, (size_t)knots * sizeof *x);
    free(x);
    return same ? BG_OK : text_refuse(place, error, "the knots in x differ from those of the first subgrid");
}

static bg_status read_scales(source *s, subgrid *sub, const text_place *place, const char *line, bg_error *error)
{
    const bg_status status =
        read_knots(place, line, "knots in Q", least_scale, most_scale, 2, &sub->knots, &sub->scale, error);
    if (status != BG_OK || s->subgrids == 1) return status;
    const subgrid *before = &s->sub[s->subgrids - 2];
    const double end = before->scale[before->knots - 1], first = sub->scale[0];
    if (first < end || first > 1.01 * end)
        return text_refuse(place, error, "the subgrid begins at Q = %g, and the one before ends at %g", first, end);
    return BG_OK;
}

/* The place of each column, -1 for what is no parton here (top quarks, photons). */
static bg_status read_partons(const text_place *place, const char *line, int *columns, int *column, bg_error *error)
{
    text_numbers list = {0};
    int seen[BG_PDF_PARTONS] = {0}, partons = 0;
    bg_status status = text_read_numbers(place, line, "PDG ids", MOST_COLUMNS, &list, error);
    for (size_t k = 0; status == BG_OK && k < list.count; k++) {
        const double id = list.number[k];
        column[k] = -1;
        if (id != floor(id) || fabs(id) > 2e9)
            status = text_refuse(place, error, "%g is no PDG id", id);
        else if (id == BG_PDG_GLUON || fabs(id) <= BG_MAX_FLAVORS)
            column[k] = id == 0. ? BG_PDF_GLUON : pdf_place((int)id);
        if (status == BG_OK && column[k] >= 0 && seen[column[k]]++)
            status = text_refuse(place, error, "two columns of parton %g", id);
        partons += column[k] >= 0;
    }
    if (status == BG_OK && !partons) status = text_refuse(place, error, "no column of a gluon or quark");
    *columns = (int)list.count;
    text_numbers_release(&list);
    return status;
}

static bg_status read_values(const source *s, subgrid *sub, text_place *place, int columns, const int *column,
                             bg_error *error)
{
    const size_t points = (size_t)s->x_knots * (size_t)sub->knots, left = strlen(place->at);
    double row[MOST_COLUMNS];
    if (points > MOST_POINTS || points * (size_t)columns > left / 2 + 1) /* a digit and what ends it */
        return text_refuse(place, error,
                           "%d knots in x, %d in Q and %d columns: the %zu bytes that follow, or %d points, are fewer",
                           s->x_knots, sub->knots, columns, left, MOST_POINTS);
    sub->value = calloc(points * BG_PDF_PARTONS, sizeof *sub->value);
    if (!sub->value) return bg_fail(error, BG_ERROR_MEMORY, "no memory for %zu points of a parton density", points);
    for (size_t k = 0; k < points; k++) {
        const char *line = text_next_line(place);
        if (!line) return text_refuse(place, error, "the text ends after %zu of %zu lines of a subgrid", k, points);
        if (text_is_rule(line)) return text_refuse(place, error, "the subgrid ends after %zu of %zu lines", k, points);
        const bg_status status = text_read_row(place, line, columns, row, error);
        if (status != BG_OK) return status;
        for (int c = 0; c < columns; c++) {
            if (!(fabs(row[c]) <= most_value)) return text_refuse(place, error, "%g is too large", row[c]);
            if (column[c] >= 0) sub->value[k * BG_PDF_PARTONS + (size_t)column[c]] = row[c];
        }
    }
    const char *line = text_next_line(place);
    if (!line || !text_is_rule(line))
        return text_refuse(place, error, "no line \"---\" behind the %zu lines of a subgrid", points);
    return BG_OK;
}

static bg_status read_subgrid(source *s, text_place *place, const char *line, bg_error *error)
{
    int columns = 0, column[MOST_COLUMNS];
    if (s->subgrids == MOST_SUBGRIDS) return text_refuse(place, error, "more than %d subgrids", MOST_SUBGRIDS);
    subgrid *sub = &s->sub[s->subgrids++];
    bg_status status = read_x(s, place, line, error);
    if (status != BG_OK) return status;
    line = text_next_line(place);
    if (!line) return text_refuse(place, error, "the text ends before the knots in Q");
    status = read_scales(s, sub, place, line, error);
    if (status != BG_OK) return status;
    line = text_next_line(place);
    if (!line) return text_refuse(place, error, "the text ends before the PDG ids");
    status = read_partons(place, line, &columns, column, error);
    if (status != BG_OK) return status;
    for (int c = 0; c < columns; c++)
        if (column[c] >= 0) s->partons |= 1 << column[c];
    return read_values(s, sub, place, columns, column, error);
}

static bg_status read_member(source *s, const char *path, const char *text, bg_error *error)
{
    text_place place = {path, text, 0};
    int ruled;
    bg_status status = text_read_entries(&place, &s->head, &ruled, error);
    if (status == BG_OK && !ruled) status = text_refuse(&place, error, "the text ends before a line \"---\"");
    size_t points = 0;
    for (const char *line; status == BG_OK && (line = text_next_line(&place)) != NULL;) {
        status = read_subgrid(s, &place, line, error);
        if (status == BG_OK) points += (size_t)s->x_knots * (size_t)s->sub[s->subgrids - 1].knots;
        if (points > MOST_POINTS) status = text_refuse(&place, error, "more than %d points", MOST_POINTS);
    }
    if (status == BG_OK && !s->subgrids) status = text_refuse(&place, error, "there is no subgrid");
    return status;
}

/* ---- the coupling -------------------------------------------------------------------------------------------------- */

static bg_status read_alpha_list(const source *s, const char *key, double low, double high, int *count, double **number,
                                 bg_error *error)
{
    const text_entries *where;
    const text_entry *entry = find(s, key, &where);
    text_numbers list = {0};
    if (!entry)
        return bg_fail(error, BG_ERROR_IO, "%s: AlphaS_Type is ipol, but there is no entry %s", s->info.path, key);
    bg_status status = text_read_list(where, entry, MOST_KNOTS, &list, error);
    if (status == BG_OK && list.count < 2) status = refuse_entry(where, entry, error, "two knots are the least");
    for (size_t k = 0; status == BG_OK && k < list.count; k++)
        if (!(list.number[k] >= low && list.number[k] <= high)) {
            const text_place place = {where->path, entry->value, entry->line};
            status = text_refuse(&place, error, "%g in %s: values are from %g to %g", list.number[k], key, low, high);
        }
    *count = (int)list.count;
    *number = list.number; /* the caller's in any case */
    return status;
}

/* Knots rise; one may stand twice, as a threshold, if it is neither of the first two nor of the last two. */
static bg_status check_alpha_knots(const source *s, bg_error *error)
{
    const text_entries *where;
    const text_entry *entry = find(s, "AlphaS_Qs", &where);
    const text_place place = {where->path, "", entry ? entry->line : 0};
    for (int k = 1, from = 0; k <= s->alphas; k++) {
        const int ends = k == s->alphas, twice = !ends && s->scale[k] == s->scale[k - 1];
        if ((ends || twice) && k - from < 2)
            return text_refuse(&place, error, "AlphaS_Qs: a single knot, %g, between thresholds", s->scale[k - 1]);
        if (twice) from = k;
        if (!ends && !twice && !(log(s->scale[k]) - log(s->scale[k - 1]) > least_step))
            return text_refuse(&place, error, "AlphaS_Qs do not rise: %.17g comes after %.17g", s->scale[k],
                               s->scale[k - 1]);
    }
    return BG_OK;
}

static bg_status read_alpha_knots(source *s, bg_error *error)
{
    int values = 0;
    bg_status status = read_alpha_list(s, "AlphaS_Qs", least_scale, most_scale, &s->alphas, &s->scale, error);
    if (status == BG_OK) status = read_alpha_list(s, "AlphaS_Vals", 1e-6, 1e6, &values, &s->alpha, error);
    if (status == BG_OK && values != s->alphas)
        status = bg_fail(error, BG_ERROR_IO, "%s: %d AlphaS_Qs and %d AlphaS_Vals", s->info.path, s->alphas, values);
    return status == BG_OK ? check_alpha_knots(s, error) : status;
}

/* Coefficients of the beta function, d alpha/d log(Q^2) = -(b0 alpha^2 + b1 alpha^3 + ..), hep-ph/9701390. */
static pdf_region region_of(int flavors, double above, double lambda)
{
    const double n = flavors, zeta3 = 1.2020569031595942854;
    const double b0 = (33. - 2. * n) / (12. * BG_PI), b1 = (153. - 19. * n) / (24. * BG_PI * BG_PI);
    const double b2 = (2857. - 5033. / 9. * n + 325. / 27. * n * n) / (128. * BG_PI * BG_PI * BG_PI);
    const double b3 = (149753. / 6. + 3564. * zeta3 - (1078361. / 162. + 6508. / 27. * zeta3) * n +
                       (50065. / 162. + 6472. / 81. * zeta3) * n * n + 1093. / 729. * n * n * n) /
                      (256. * BG_PI * BG_PI * BG_PI * BG_PI);
    const pdf_region r = {above * above,  lambda * lambda,     b0,
                          b1 / (b0 * b0), b2 / (b0 * b0 * b0), b3 / (b0 * b0 * b0 * b0)};
    return r;
}

/* Where a flavor comes in: at its threshold if the set has thresholds, else at its mass. */
static bg_status find_threshold(const source *s, int flavor, double *at, int *there, bg_error *error)
{
    static const char *const keys[4][3] = {{"AlphaS_ThresholdCharm", "ThresholdCharm", "AlphaS_MCharm"},
                                           {"AlphaS_ThresholdBottom", "ThresholdBottom", "AlphaS_MBottom"},
                                           {"AlphaS_ThresholdTop", "ThresholdTop", "AlphaS_MTop"}};
    static const char *const masses[] = {"MCharm", "MBottom", "MTop"};
    bg_status status = BG_OK;
    *there = 0;
    for (int k = 0; status == BG_OK && !*there && k < 4; k++)
        status = find_number(s, k < 3 ? keys[flavor - 4][k] : masses[flavor - 4], 0., most_scale, at, there, error);
    return status;
}

static bg_status read_running(const source *s, pdf_grid *g, bg_error *error)
{
    static const char *const keys[] = {"AlphaS_Lambda3", "AlphaS_Lambda4", "AlphaS_Lambda5"};
    const int fixed = !strcmp(find_text(s, "AlphaS_FlavorScheme", find_text(s, "FlavorScheme", "variable")), "fixed");
    int most = 5, any = 0;
    bg_status status = find_integer(s, "NumFlavors", 3, 6, &most, error);
    if (status == BG_OK) status = find_integer(s, "AlphaS_NumFlavors", 3, 6, &most, error);
    if (status == BG_OK) status = find_integer(s, "AlphaS_OrderQCD", 1, 4, &g->loops, error);
    for (int n = 3; status == BG_OK && n <= 5; n++) {
        double lambda = 0., at = 0.;
        int there, thresholds = 1;
        status = find_number(s, keys[n - 3], 1e-3, 10., &lambda, &there, error);
        if (status != BG_OK || !there || n > most || (fixed && n != most)) continue;
        if (any) status = find_threshold(s, n, &at, &thresholds, error);
        if (status == BG_OK && !thresholds)
            status = bg_fail(error, BG_ERROR_IO, "%s: %s, but no threshold or mass of flavor %d", s->info.path,
                             keys[n - 3], n);
        if (status == BG_OK && any && at * at < g->region[any - 1].above)
            status = bg_fail(error, BG_ERROR_IO, "%s: the thresholds of flavors do not rise", s->info.path);
        g->region[any++] = region_of(n, at, lambda);
    }
    g->regions = any;
    if (status == BG_OK && !any)
        status = bg_fail(error, BG_ERROR_IO,
                         "%s: AlphaS_Type is analytic, but there is no AlphaS_Lambda3, AlphaS_Lambda4 or "
                         "AlphaS_Lambda5 of up to %d flavors",
                         s->info.path, most);
    if (status == BG_OK && !g->loops)
        status = bg_fail(error, BG_ERROR_IO,
                         "%s: AlphaS_Type is analytic, but there is no AlphaS_OrderQCD from 1 to 4 "
                         "loops",
                         s->info.path);
    return status;
}

static bg_status read_alpha(source *s, pdf_grid *g, bg_error *error)
{
    const text_entries *where;
    const text_entry *entry = find(s, "AlphaS_Type", &where);
    if (!entry) return bg_fail(error, BG_ERROR_IO, "%s: there is no entry AlphaS_Type", s->info.path);
    if (!strcmp(entry->value, "ipol")) return read_alpha_knots(s, error);
    if (!strcmp(entry->value, "analytic")) return read_running(s, g, error);
    return refuse_entry(where, entry, error, "couplings are read of type ipol and analytic");
}

/* ---- the block ------------------------------------------------------------------------------------------------------ */

static void place_axis(pdf_axis *axis, int knots, int *used)
{
    axis->knots = knots;
    axis->knot = *used;
    axis->log = *used + knots;
    axis->inverse = *used + 2 * knots;
    axis->guess = *used + 3 * knots;
    *used += knots ? 3 * knots + BG_PDF_GUESSES : 0;
}

/* Everything about an axis from its knots, of which `ends` says where a subgrid ends. */
static void fill_axis(pdf_axis *axis, double *data, const char *ends)
{
    const int last = axis->knots - 1;
    double *knot = data + axis->knot, *z = data + axis->log;
    for (int k = 0; k <= last; k++) z[k] = log(knot[k]);
    for (int k = 0; k <= last; k++) data[axis->inverse + k] = k == last || ends[k] ? 0. : 1. / (z[k + 1] - z[k]);
    axis->scale = BG_PDF_GUESSES / (z[last] - z[0]);
    for (int k = 0, at = 0; k < BG_PDF_GUESSES; k++) {
        while (at + 2 <= last && z[at + 1] <= z[0] + k / axis->scale) at++;
        data[axis->guess + k] = at;
    }
}

/* Half the ratios of widths that the slopes at the two ends of every interval in Q need. */
static void fill_ratios(const pdf_grid *g, double *data)
{
    const double *inverse = data + g->q.inverse;
    for (int k = 0; k < g->q.knots; k++) {
        const int before = k > 0 && inverse[k - 1] > 0., after = k + 1 < g->q.knots && inverse[k + 1] > 0.;
        const int alone = inverse[k] > 0. && !before && !after;
        data[g->left + k] = alone ? -1. : inverse[k] > 0. && before ? 0.5 * inverse[k - 1] / inverse[k] : 0.;
        data[g->right + k] = inverse[k] > 0. && after ? 0.5 * inverse[k + 1] / inverse[k] : 0.;
    }
}

/* Slopes in log x of all partons, the second half of every knot. */
static void fill_slopes(const pdf_grid *g, double *data)
{
    const double *inverse = data + g->x.inverse;
    const size_t row = (size_t)g->q.knots * 2 * BG_PDF_STRIDE;
    for (int i = 0; i < g->x.knots; i++)
        for (int j = 0; j < g->q.knots; j++) {
            double *f = data + g->values + (size_t)i * row + (size_t)j * 2 * BG_PDF_STRIDE;
            const int first = i == 0, last = i + 1 == g->x.knots;
            for (int p = 0; p < BG_PDF_PARTONS; p++) {
                const double below = first ? 0. : (f[p] - f[p - (ptrdiff_t)row]) * inverse[i - 1];
                const double above = last ? 0. : (f[p + (ptrdiff_t)row] - f[p]) * inverse[i];
                f[BG_PDF_STRIDE + p] = first || last ? below + above : 0.5 * (below + above);
            }
        }
}

/* Intervals of the coupling: values and slopes times width at both ends. */
static void fill_bends(const pdf_grid *g, const double *alpha, double *data)
{
    const double *inverse = data + g->alpha.inverse;
    for (int k = 0; k + 1 < g->alpha.knots; k++) {
        double *bend = data + g->bends + (ptrdiff_t)4 * k;
        const double rise = alpha[k + 1] - alpha[k];
        const int before = k > 0 && inverse[k - 1] > 0., after = inverse[k + 1] > 0.;
        const double ratio = inverse[k] > 0. ? 1. / inverse[k] : 0.;
        bend[0] = alpha[k];
        bend[1] = before ? 0.5 * (rise + (alpha[k] - alpha[k - 1]) * inverse[k - 1] * ratio) : rise;
        bend[2] = alpha[k + 1];
        bend[3] = after ? 0.5 * (rise + (alpha[k + 2] - alpha[k + 1]) * inverse[k + 1] * ratio) : rise;
    }
}

static void fill_values(const source *s, const pdf_grid *g, double *data)
{
    int from = 0;
    for (int k = 0; k < s->subgrids; k++) {
        const subgrid *sub = &s->sub[k];
        for (int i = 0; i < g->x.knots; i++)
            for (int j = 0; j < sub->knots; j++)
                memcpy(data + g->values + ((size_t)i * (size_t)g->q.knots + (size_t)(from + j)) * 2 * BG_PDF_STRIDE,
                       sub->value + ((size_t)i * (size_t)sub->knots + (size_t)j) * BG_PDF_PARTONS,
                       BG_PDF_PARTONS * sizeof *data);
        from += sub->knots;
    }
}

static bg_status build(const source *s, bg_pdf *pdf, bg_error *error)
{
    pdf_grid *g = &pdf->grid;
    int used = 0, scales = 0;
    g->partons = s->partons;
    for (int k = 0; k < s->subgrids; k++) scales += s->sub[k].knots;
    place_axis(&g->x, s->x_knots, &used);
    place_axis(&g->q, scales, &used);
    place_axis(&g->alpha, s->alphas, &used);
    g->left = used;
    g->right = g->left + scales;
    g->bends = g->right + scales;
    g->values = g->bends + 4 * s->alphas;
    g->doubles = g->values + s->x_knots * scales * 2 * BG_PDF_STRIDE;
    double *data = pdf->block = calloc((size_t)g->doubles, sizeof *data);
    char *ends = calloc((size_t)s->x_knots + (size_t)scales + (size_t)s->alphas, 1);
    if (!data || !ends) {
        free(ends);
        return bg_fail(error, BG_ERROR_MEMORY, "no memory for the %d numbers of %s", g->doubles, pdf->name);
    }
    g->data = data;
    memcpy(data + g->x.knot, s->x, (size_t)s->x_knots * sizeof *data);
    fill_axis(&g->x, data, ends);
    for (int k = 0, at = 0; k < s->subgrids; k++) {
        for (int j = 0; j < s->sub[k].knots; j++, at++) data[g->q.knot + at] = s->sub[k].scale[j] * s->sub[k].scale[j];
        ends[at - 1] = 1;
    }
    fill_axis(&g->q, data, ends);
    fill_ratios(g, data);
    fill_values(s, g, data);
    fill_slopes(g, data);
    if (s->alphas) {
        for (int k = 0; k < s->alphas; k++) {
            data[g->alpha.knot + k] = s->scale[k] * s->scale[k];
            ends[k] = k + 1 < s->alphas && s->scale[k + 1] == s->scale[k];
        }
        fill_axis(&g->alpha, data, ends);
        fill_bends(g, s->alpha, data);
    }
    free(ends);
    pdf->x_min = s->x[0];
    pdf->x_max = s->x[s->x_knots - 1];
    pdf->q_min = s->sub[0].scale[0];
    pdf->q_max = s->sub[s->subgrids - 1].scale[s->sub[s->subgrids - 1].knots - 1];
    return BG_OK;
}

/* ---- all of it ------------------------------------------------------------------------------------------------------ */

/* "folder/NAME.info" */
static void name_set(const char *path, char *name)
{
    const char *slash = strrchr(path, '/'), *from = slash ? slash + 1 : path, *dot = strrchr(from, '.');
    const size_t length = dot ? (size_t)(dot - from) : strlen(from);
    const size_t kept = length < BG_PDF_NAME ? length : BG_PDF_NAME - 1;
    memcpy(name, from, kept);
    name[kept] = '\0';
}

static bg_status read_info(source *s, const char *path, const char *text, bg_error *error)
{
    text_place place = {path, text, 0};
    int ruled;
    bg_status status = text_read_entries(&place, &s->info, &ruled, error);
    if (status == BG_OK && ruled && !s->info.count) { /* a document of YAML may begin with a line "---" */
        text_entries_release(&s->info);
        status = text_read_entries(&place, &s->info, &ruled, error);
    }
    return status;
}

static bg_status parse(source *s, bg_pdf *pdf, const char *info_path, const char *info, const char *grid_path,
                       const char *grid, bg_error *error)
{
    bg_status status = read_info(s, info_path, info, error);
    if (status == BG_OK) status = read_facts(s, pdf, error); /* before a member is read that the set does not have */
    if (status == BG_OK) status = read_member(s, grid_path, grid, error);
    if (status == BG_OK) status = check_method(s, error);
    if (status == BG_OK) status = read_facts(s, pdf, error);
    if (status == BG_OK) status = read_alpha(s, &pdf->grid, error);
    if (status == BG_OK) status = build(s, pdf, error);
    return status;
}

bg_status bg_pdf_parse(bg_pdf **pdf, const char *info_path, const char *info, const char *grid_path, const char *grid,
                       int member, bg_error *error)
{
    bg_pdf *made = calloc(1, sizeof *made);
    source s;
    memset(&s, 0, sizeof s);
    *pdf = NULL;
    if (!made) return bg_fail(error, BG_ERROR_MEMORY, "no memory for a parton density");
    name_set(info_path, made->name);
    made->member = member;
    made->members = 1;
    made->confidence = BG_ONE_SIGMA;
    made->particle = PROTON;
    made->order = -1;
    /* Numbers have a decimal point, whatever the language of the program. */
    const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    const locale_t before = plain ? uselocale(plain) : (locale_t)0;
    const bg_status status = parse(&s, made, info_path, info, grid_path, grid, error);
    if (plain) {
        uselocale(before);
        freelocale(plain);
    }
    release(&s);
    if (status != BG_OK) {
        bg_pdf_close(made);
        return status;
    }
    *pdf = made;
    return bg_succeed(error);
}

void bg_pdf_close(bg_pdf *pdf)
{
    if (!pdf) return;
    free(pdf->block);
    free(pdf);
}
