#include "beams/members.h"
#include "base/status.h"

#include <string.h>

enum members_kind { KIND_UNKNOWN, KIND_REPLICAS, KIND_SYMMETRIC, KIND_PAIRS };

/* How many standard deviations of a normal distribution hold so many percent. */
static double deviations_of(double percent)
{
    double low = 0., high = 40.;
    for (int k = 0; k < 80; k++) {
        const double middle = 0.5 * (low + high);
        if (100. * erf(middle * sqrt(0.5)) < percent)
            low = middle;
        else
            high = middle;
    }
    return 0.5 * (low + high);
}

static enum members_kind kind_of(const bg_pdf *pdf)
{
    static const struct {
        const char *word;
        enum members_kind kind;
    } known[] = {{"replicas", KIND_REPLICAS}, {"symmhessian", KIND_SYMMETRIC}, {"hessian", KIND_PAIRS}};
    const size_t length = strcspn(pdf->error_type, "+");
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (length == strlen(known[k].word) && !strncmp(pdf->error_type, known[k].word, length)) return known[k].kind;
    return KIND_UNKNOWN;
}

/* A parameter of the error type, between "+", "*" and the end. */
static int members_of_parameter(const char *name) { return *name == '#' || *name == '$' ? 1 : 2; }

/* Members that stand for parameters, the last ones. */
static int parameter_members(const bg_pdf *pdf)
{
    int count = 0;
    const char *at = strchr(pdf->error_type, '+');
    for (; at && *at; at += strcspn(at, "+*")) count += members_of_parameter(++at);
    return count;
}

bg_status bg_members_check(const bg_pdf *pdf, bg_error *error)
{
    const enum members_kind kind = kind_of(pdf);
    const int core = pdf->members - 1 - parameter_members(pdf);
    if (pdf->members < 2)
        return bg_fail(error, BG_ERROR_UNSUPPORTED,
                       "the parton densities %s have 1 member, and variations need 2 or more: it says nothing about "
                       "its error",
                       pdf->name);
    if (kind == KIND_UNKNOWN)
        return bg_fail(error, BG_ERROR_UNSUPPORTED,
                       "the %d members of %s have the error type '%s'; replicas, hessian and symmhessian are known",
                       pdf->members, pdf->name, pdf->error_type);
    if (core < (kind == KIND_SYMMETRIC ? 1 : 2) || (kind == KIND_PAIRS && core % 2))
        return bg_fail(error, BG_ERROR_UNSUPPORTED,
                       "%s has %d members, of which %d are left for the error type '%s': too few, or no pairs",
                       pdf->name, pdf->members, core, pdf->error_type);
    if (kind != KIND_REPLICAS && !(pdf->confidence > 0. && pdf->confidence < 100.))
        return bg_fail(error, BG_ERROR_UNSUPPORTED,
                       "the confidence level of %s is %g percent; it must be above 0 and below 100", pdf->name,
                       pdf->confidence);
    return BG_OK;
}

static bg_members_error replicas(int count, const double *value, double *mean)
{
    double sum = 0., squares = 0.;
    for (int k = 0; k < count; k++) sum += value[k];
    *mean = sum / count;
    for (int k = 0; k < count; k++) squares += (value[k] - *mean) * (value[k] - *mean);
    const double deviation = sqrt(squares / (count - 1));
    return (bg_members_error){deviation, deviation, deviation};
}

static bg_members_error symmetric(int count, const double *value, double best)
{
    double squares = 0.;
    for (int k = 0; k < count; k++) squares += (value[k] - best) * (value[k] - best);
    return (bg_members_error){sqrt(squares), sqrt(squares), sqrt(squares)};
}

static bg_members_error pairs(int count, const double *value, double best)
{
    double up = 0., down = 0., both = 0.;
    for (int k = 0; k + 1 < count; k += 2) {
        const double a = value[k] - best, b = value[k + 1] - best;
        const double most = fmax(fmax(a, b), 0.), least = fmin(fmin(a, b), 0.);
        up += most * most;
        down += least * least;
        both += (a - b) * (a - b);
    }
    return (bg_members_error){sqrt(up), sqrt(down), 0.5 * sqrt(both)};
}

/* Adds what parameters do; value[] begins with the first of their members. */
static void add_parameters(const char *at, const double *value, double center, double scale, bg_members_error *e)
{
    double up = 0., down = 0.;
    while (*at == '+') {
        double most = center, least = center;
        do {
            const int count = members_of_parameter(++at), both = *at == '$';
            for (int k = 0; k < count; k++, value++) {
                most = fmax(most, both ? fmax(*value, 2. * center - *value) : *value);
                least = fmin(least, both ? fmin(*value, 2. * center - *value) : *value);
            }
            at += strcspn(at, "+*");
        } while (*at == '*');
        up += (most - center) * (most - center);
        down += (least - center) * (least - center);
    }
    const double middle = 0.5 * (sqrt(up) + sqrt(down));
    e->up = sqrt(e->up * e->up + scale * scale * up);
    e->down = sqrt(e->down * e->down + scale * scale * down);
    e->symmetric = sqrt(e->symmetric * e->symmetric + scale * scale * middle * middle);
}

bg_members_error bg_members_error_of(const bg_pdf *pdf, const double *value)
{
    const enum members_kind kind = kind_of(pdf);
    const int core = pdf->members - 1 - parameter_members(pdf);
    double center = value[0], scale = 1.;
    bg_members_error e = {0., 0., 0.};
    if (kind == KIND_REPLICAS) {
        e = replicas(core, value + 1, &center);
    } else {
        e = (kind == KIND_PAIRS ? pairs : symmetric)(core, value + 1, value[0]);
        scale = 1. / deviations_of(pdf->confidence);
    }
    e.up *= scale;
    e.down *= scale;
    e.symmetric *= scale;
    const char *parameters = strchr(pdf->error_type, '+');
    if (parameters) add_parameters(parameters, value + 1 + core, center, scale, &e);
    return e;
}
