/* What the tables, pictures and the page say, each in its own style. */
#include "process.h"
#include "report/parts.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void report_add(report_text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(t->buffer + t->length, sizeof t->buffer - t->length, format, args);
    va_end(args);
    if (n > 0) t->length += (size_t)n;
    if (t->length >= sizeof t->buffer) t->length = sizeof t->buffer - 1;
}

report_text report_process(const report *r, report_style s)
{
    report_text t = {.length = 0};
    const double e = r->integration->sqrts;
    report_add(&t, "%s", r->process);
    report_add(&t, r->protons ? " at " : " at partonic ");
    report_add(&t, s == REPORT_PLAIN ? "sqrt(s) = " : "√s = ");
    if (s == REPORT_PLAIN || e < 1e3)
        report_add(&t, "%g GeV", e);
    else
        report_add(&t, "%g TeV", 1e-3 * e);
    return t;
}

report_text report_cuts(const report *r, report_style s)
{
    const bg_cuts *c = &r->integration->cuts;
    const bg_jet_cuts *m = &r->integration->jet_cuts;
    const struct {
        const char *what[3]; /* in each style */
        double value;
        const char *unit;
    } cut[] = {{{"pT > ", "p_T > ", "p<sub>T</sub> &gt; "}, c->pt_min, " GeV"},
               {{"|eta| < ", "|η| < ", "|η| &lt; "}, c->eta_max, ""},
               {{"DeltaR > ", "ΔR > ", "ΔR &gt; "}, c->dr_min, ""},
               {{"m(pair) > ", "m_{pair} > ", "m<sub>pair</sub> &gt; "}, c->mass_min, " GeV"},
               {{"HT > ", "H_T > ", "H<sub>T</sub> &gt; "}, c->ht_min, " GeV"},
               {{"pT1 > ", "p_{T,1} > ", "p<sub>T,1</sub> &gt; "}, m->leading_pt_min[0], " GeV"},
               {{"pT2 > ", "p_{T,2} > ", "p<sub>T,2</sub> &gt; "}, m->leading_pt_min[1], " GeV"},
               {{"pT3 > ", "p_{T,3} > ", "p<sub>T,3</sub> &gt; "}, m->leading_pt_min[2], " GeV"},
               {{"pT4 > ", "p_{T,4} > ", "p<sub>T,4</sub> &gt; "}, m->leading_pt_min[3], " GeV"},
               {{"pT < ", "p_T < ", "p<sub>T</sub> &lt; "}, m->pt_max, " GeV"},
               {{"|eta| > ", "|η| > ", "|η| &gt; "}, m->eta_min, ""},
               {{"DeltaR < ", "ΔR < ", "ΔR &lt; "}, m->dr_max, ""},
               {{"m(pair) < ", "m_{pair} < ", "m<sub>pair</sub> &lt; "}, m->mass_max, " GeV"},
               {{"kT > ", "k_T > ", "k<sub>T</sub> &gt; "}, m->kt_min, " GeV"}};
    report_text t = {.length = 0};
    for (size_t k = 0; k < sizeof cut / sizeof *cut; k++)
        if (cut[k].value > 0. && isfinite(cut[k].value))
            report_add(&t, "%s%s%g%s", t.length ? ", " : "", cut[k].what[s], cut[k].value, cut[k].unit);
    if (!t.length) report_add(&t, "no cuts");
    return t;
}

const char *report_parton(const report *r) { return r->protons ? "jet" : "gluon"; }

report_text report_coupling(const report *r)
{
    report_text t = {.length = 0};
    if (r->protons)
        report_add(&t, "alpha_s of the parton densities %s", r->densities);
    else
        report_add(&t, "alpha_s = %g", r->options->alpha_s);
    return t;
}

report_text report_scale(const report *r)
{
    const bg_integration *w = r->integration;
    report_text t = {.length = 0};
    report_add(&t, "%s (muR %g, muF %g)", cli_process_scale(w), w->mur, w->muf);
    return t;
}

/* The power of ten of the first digit of x > 0, as it is printed with two digits. */
static int first_digit(double x)
{
    char text[32];
    int exponent = 0;
    snprintf(text, sizeof text, "%.1e", x);
    (void)sscanf(strchr(text, 'e') + 1, "%d", &exponent);
    return exponent;
}

/* "(1.234 ± 0.012) × 10^5 pb": two digits of the error, and as many of the value. */
report_text report_sigma(const report *r, report_style s)
{
    const double sigma = r->result->sigma_pb, error = r->result->error_pb;
    const int known = error > 0. && isfinite(error);
    report_text t = {.length = 0};
    if (!(sigma > 0.) || !isfinite(sigma)) {
        report_add(&t, "unknown");
        return t;
    }
    int exponent = (int)floor(log10(sigma));
    if (exponent >= -2 && exponent < 5) exponent = 0;
    const double scale = pow(10., exponent);
    const int last = known ? 1 - first_digit(error / scale) : 3;
    const int decimals = last < 0 ? 0 : last > 15 ? 15 : last;
    const double unit = last < 0 ? pow(10., -last) : 0.; /* digits before the point that the error does not support */
    const double value = unit > 0. ? unit * round(sigma / scale / unit) : sigma / scale;
    const double spread = unit > 0. ? unit * round(error / scale / unit) : error / scale;
    const int brackets = exponent && known;
    report_add(&t, "%s%.*f", brackets ? "(" : "", decimals, value);
    if (known) report_add(&t, " %s %.*f%s", s == REPORT_PLAIN ? "+-" : "±", decimals, spread, brackets ? ")" : "");
    if (exponent && s == REPORT_PLAIN) report_add(&t, "e%d", exponent);
    if (exponent && s == REPORT_GNUPLOT) report_add(&t, " × 10^{%d}", exponent);
    if (exponent && s == REPORT_HTML) report_add(&t, " × 10<sup>%d</sup>", exponent);
    report_add(&t, known ? " pb" : " pb, error unknown");
    return t;
}

/* The title of an axis: "Delta R" becomes letters, "_T" an index. */
report_text report_title(const char *title, report_style s)
{
    static const char *const words[][2] = {{"Delta R", "ΔR"}, {"Delta phi", "Δφ"}, {"Delta eta", "Δη"}};
    report_text t = {.length = 0};
    while (*title) {
        size_t w = 0;
        while (w < 3 && (s == REPORT_PLAIN || strncmp(title, words[w][0], strlen(words[w][0])))) w++;
        if (w < 3) {
            report_add(&t, "%s", words[w][1]);
            title += strlen(words[w][0]);
        } else if (s == REPORT_HTML && title[0] == '_' && title[1]) {
            report_add(&t, "<sub>%c</sub>", title[1]);
            title += 2;
        } else {
            report_add(&t, "%c", *title++);
        }
    }
    return t;
}

/* "dσ/dp_{T,1} [pb/GeV]": the symbol of the name before its first number, which is an index. */
report_text report_density_title(const report_curve *h)
{
    static const struct {
        const char *name, *symbol, *index;
    } symbols[] = {{"pt_", "p", "T,"},   {"eta_", "η", ""},   {"y_", "y", ""},
                   {"energy_", "E", ""}, {"dphi_", "Δφ", ""}, {"deta_", "Δη", ""},
                   {"dr_", "ΔR", ""},    {"mass_", "m", ""},  {"ht", "H", "T"}};
    report_text t = {.length = 0};
    report_add(&t, "dσ/d");
    for (size_t k = 0; k < sizeof symbols / sizeof *symbols && t.length < 6; k++) {
        const char *name = symbols[k].name;
        if (strncmp(h->name, name, strlen(name))) continue;
        report_add(&t, "%s_{%s", symbols[k].symbol, symbols[k].index);
        for (const char *c = h->name + strlen(name); *c; c++) report_add(&t, "%c", *c == '_' ? ',' : *c);
        report_add(&t, "}");
    }
    if (t.length < 6) report_add(&t, "x");
    report_add(&t, report_is_in_gev(h) ? "  [pb/GeV]" : "  [pb]");
    return t;
}
