/* The report of an integration.
 *
 * A bin holds sum w and sum w^2 of its points, not divided by the number N of all points behind sigma, those outside
 * the cuts included. So sum w / N is the bin's share of sigma, with the variance of a mean of N numbers most of
 * which are zero, and the integral over all bins is sigma itself.
 */
#include "report.h"
#include "console.h"
#include "files.h"
#include "options.h"
#include "plot.h"
#include "accumulate/tally.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NAME "integrate"
#define SCRIPT "plots.gp"

/* ---- numbers ------------------------------------------------------------------------------------------------ */

typedef struct bin {
    double low, high;    /* of x itself */
    double share, error; /* pb */
    double points;       /* (sum w)^2 / sum w^2: how many points of equal weight would say as much */
} bin;

static bin bin_of(const report *r, const bg_histogram *h, int b)
{
    const double n = r->result->warming_up ? 0. : (double)r->result->points;
    const double step = (h->high - h->low) / BG_HISTOGRAM_BINS;
    const double sum = bg_exact_value(&h->weight[b]), sum2 = bg_exact_value(&h->weight2[b]);
    bin i = {h->low + b * step, b + 1 < BG_HISTOGRAM_BINS ? h->low + (b + 1) * step : h->high, 0., 0., 0.};
    if (h->logarithmic) {
        i.low = pow(10., i.low);
        i.high = pow(10., i.high);
    }
    if (n > 0.) i.share = sum / n;
    if (n > 0.)
        i.error = sqrt(bg_sum_variance(sum, sum2, n, (double)r->result->accepted, (double)r->result->pairs)) / n;
    if (sum2 > 0.) i.points = sum * sum / sum2;
    return i;
}

static double density_of(const bin *b) { return b->share / (b->high - b->low); }
static double density_error_of(const bin *b) { return b->error / (b->high - b->low); }

static int is_weight(const bg_histogram *h) { return !strcmp(h->name, "weight"); }
static int is_in_gev(const bg_histogram *h) { return strstr(h->title, "[GeV]") != NULL; }
static int is_filled(const report *r, const bg_histogram *h)
{
    for (int b = 0; b < BG_HISTOGRAM_BINS; b++)
        if (bin_of(r, h, b).share != 0.) return 1;
    return 0;
}

/* ---- words --------------------------------------------------------------------------------------------------- */

typedef enum style { PLAIN, GNUPLOT, HTML } style;

typedef struct text {
    char buffer[512];
    size_t length;
} text;

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
add(text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(t->buffer + t->length, sizeof t->buffer - t->length, format, args);
    va_end(args);
    if (n > 0) t->length += (size_t)n;
    if (t->length >= sizeof t->buffer) t->length = sizeof t->buffer - 1;
}

/* Everything below is short enough for a text; add() cuts what is not. */
static text process_text(const report *r, style s)
{
    text t = {.length = 0};
    const double e = r->integration->sqrts;
    add(&t, s == PLAIN ? "g g -> %d g" : "g g → %d g", r->n_out);
    add(&t, s == PLAIN ? " at sqrt(s) = " : " at √s = ");
    if (s == PLAIN || e < 1e3)
        add(&t, "%g GeV", e);
    else
        add(&t, "%g TeV", 1e-3 * e);
    return t;
}

static text cuts_text(const report *r, style s)
{
    const bg_cuts *c = &r->integration->cuts;
    const struct {
        const char *what[3]; /* in each style */
        double value;
        const char *unit;
    } cut[] = {{{"pT > ", "p_T > ", "p<sub>T</sub> &gt; "}, c->pt_min, " GeV"},
               {{"|eta| < ", "|η| < ", "|η| &lt; "}, c->eta_max, ""},
               {{"DeltaR > ", "ΔR > ", "ΔR &gt; "}, c->dr_min, ""},
               {{"m(pair) > ", "m_{pair} > ", "m<sub>pair</sub> &gt; "}, c->mass_min, " GeV"},
               {{"HT > ", "H_T > ", "H<sub>T</sub> &gt; "}, c->ht_min, " GeV"}};
    text t = {.length = 0};
    for (size_t k = 0; k < sizeof cut / sizeof *cut; k++)
        if (cut[k].value > 0. && isfinite(cut[k].value))
            add(&t, "%s%s%g%s", t.length ? ", " : "", cut[k].what[s], cut[k].value, cut[k].unit);
    if (!t.length) add(&t, "no cuts");
    return t;
}

/* "(1.234 ± 0.012) × 10^5 pb": two digits of the error, and as many of the value. */
static text sigma_text(const report *r, style s)
{
    const double sigma = r->result->sigma_pb, error = r->result->error_pb;
    text t = {.length = 0};
    if (!(sigma > 0.) || !isfinite(sigma)) {
        add(&t, "%g pb", sigma);
        return t;
    }
    int exponent = (int)floor(log10(sigma));
    if (exponent >= -2 && exponent < 5) exponent = 0;
    const double scale = pow(10., exponent);
    int decimals = error > 0. && isfinite(error) ? 1 - (int)floor(log10(error / scale)) : 6;
    decimals = decimals < 0 ? 0 : decimals > 15 ? 15 : decimals;
    add(&t, "%s%.*f %s %.*f%s", exponent ? "(" : "", decimals, sigma / scale, s == PLAIN ? "+-" : "±", decimals,
        error / scale, exponent ? ")" : "");
    if (exponent && s == PLAIN) add(&t, "e%d", exponent);
    if (exponent && s == GNUPLOT) add(&t, " × 10^{%d}", exponent);
    if (exponent && s == HTML) add(&t, " × 10<sup>%d</sup>", exponent);
    add(&t, " pb");
    return t;
}

/* The title of an axis: "Delta R" becomes a letter, "_T" an index. */
static text title_text(const char *title, style s)
{
    text t = {.length = 0};
    for (; *title; title++)
        if (s != PLAIN && !strncmp(title, "Delta R", 7)) {
            add(&t, "ΔR");
            title += 6;
        } else if (s == HTML && title[0] == '_' && title[1]) {
            add(&t, "<sub>%c</sub>", *++title);
        } else {
            add(&t, "%c", *title);
        }
    return t;
}

/* "dσ/dp_{T,1} [pb/GeV]" */
static text density_text(const bg_histogram *h)
{
    text t = {.length = 0};
    int jet = 0;
    add(&t, "dσ/d");
    if (sscanf(h->name, "pt_%d", &jet) == 1)
        add(&t, "p_{T,%d}", jet);
    else if (sscanf(h->name, "eta_%d", &jet) == 1)
        add(&t, "η_{%d}", jet);
    else if (!strncmp(h->name, "dr_", 3))
        add(&t, "ΔR_{%s}", h->name + 3);
    else
        add(&t, "%s", !strcmp(h->name, "ht") ? "H_T" : "x");
    add(&t, is_in_gev(h) ? "  [pb/GeV]" : "  [pb]");
    return t;
}

/* ---- tables ------------------------------------------------------------------------------------------------- */

static void write_table(const report *r, const bg_histogram *h, FILE *f)
{
    const bg_result *s = r->result;
    fprintf(f, "# %s\n", h->title);
    fprintf(f, "# %s, alpha_s = %g, %s\n", process_text(r, PLAIN).buffer, r->options->alpha_s,
            cuts_text(r, PLAIN).buffer);
    fprintf(f, "# sigma = %.17g pb, error = %.17g pb, %llu points, seed %llu, blockgen %s\n", s->sigma_pb, s->error_pb,
            (unsigned long long)s->points, (unsigned long long)r->options->seed, bg_version());
    if (s->warming_up) fprintf(f, "# interrupted while still adapting: empty\n");
    fprintf(f, "# low, high: edges of the bin%s; the first and the last bin hold what lies beyond them as well\n",
            is_weight(h)   ? " in pb"
            : is_in_gev(h) ? " in GeV"
                           : "");
    fprintf(f, "# dsigma_dx, error: in %s; its integral is sigma\n",
            is_weight(h)   ? "pb per pb"
            : is_in_gev(h) ? "pb/GeV"
                           : "pb per unit of x");
    if (is_weight(h))
        fprintf(f, "# fraction: of sigma from points of these weights; points: (sum w)^2 / sum w^2 of them\n");
    fprintf(f, "low,high,dsigma_dx,error%s\n", is_weight(h) ? ",fraction,points" : "");
    for (int k = 0; k < BG_HISTOGRAM_BINS; k++) {
        const bin b = bin_of(r, h, k);
        fprintf(f, "%.17g,%.17g,%.17g,%.17g", b.low, b.high, density_of(&b), density_error_of(&b));
        if (is_weight(h)) fprintf(f, ",%.17g,%.17g", s->sigma_pb > 0. ? b.share / s->sigma_pb : 0., b.points);
        putc('\n', f);
    }
}

/* ---- pictures --------------------------------------------------------------------------------------------------- */

/* What a figure has to hold. */
typedef struct range {
    double x_low, x_high, y_low, y_high;
} range;

static void widen(range *a, const report *r, const bg_histogram *h)
{
    for (int k = 0; k < BG_HISTOGRAM_BINS; k++) {
        const bin b = bin_of(r, h, k);
        const double y = is_weight(h) ? b.share / r->result->sigma_pb : density_of(&b);
        const double most = is_weight(h) ? fmax(y, b.points / (double)r->result->points) : y + density_error_of(&b);
        const double least = is_weight(h) ? fmin(y, b.points / (double)r->result->points) : y;
        if (h->logarithmic && !(b.share > 0.)) continue;
        a->x_low = fmin(a->x_low, b.low);
        a->x_high = fmax(a->x_high, b.high);
        a->y_low = fmin(a->y_low, least);
        a->y_high = fmax(a->y_high, most);
    }
}

static range range_of(const report *r, const bg_histogram *first, int count, int stride)
{
    range a = {INFINITY, -INFINITY, INFINITY, 0.};
    for (int k = 0; k < count; k++) widen(&a, r, first + k * stride);
    if (first->logarithmic) {
        a.y_low = fmax(0.5 * a.y_low, 1e-15 * a.y_high);
        a.y_high *= 2.;
    } else {
        a.y_low = fmin(a.y_low, 0.);
        a.y_high *= 1.08;
    }
    return a;
}

/* 1, 2 and 5 of every decade, or more where there is less than one: an axis of pT holds few whole decades. */
static void write_tics(FILE *f, const range *a)
{
    static const int usual[] = {1, 2, 5, 0}, more[] = {1, 2, 3, 4, 5, 7, 0};
    const int *steps = a->x_high < 10. * a->x_low ? more : usual;
    const char *comma = "";
    fprintf(f, "set xtics (");
    for (double decade = pow(10., floor(log10(a->x_low))); decade < a->x_high; decade *= 10.)
        for (const int *k = steps; *k; k++)
            if (*k * decade >= 0.999 * a->x_low && *k * decade <= 1.001 * a->x_high) {
                fprintf(f, "%s'%g' %g", comma, *k * decade, *k * decade);
                comma = ", ";
            }
    fprintf(f, ")\n");
}

static void write_axes(const report *r, FILE *f, const bg_histogram *h, const range *a)
{
    text title = process_text(r, GNUPLOT);
    add(&title, ":  σ = %s%s\n%s", sigma_text(r, GNUPLOT).buffer, r->result->interrupted ? " (interrupted)" : "",
        cuts_text(r, GNUPLOT).buffer);
    fprintf(f, "set title ");
    plot_text(f, title.buffer);
    fprintf(f, "\nset xrange [%.9g:%.9g]\nset yrange [%.9g:%.9g]\nset xtics autofreq\n", a->x_low, a->x_high, a->y_low,
            a->y_high);
    if (!h->logarithmic) return;
    fprintf(f, "set logscale xy\nset format y '10^{%%T}'\n");
    if (a->x_high < 1e3 * a->x_low)
        write_tics(f, a);
    else
        fprintf(f, "set format x '10^{%%T}'\n");
}

/* Steps, the right edge of the last bin included. `value` is gnuplot's expression of the columns. */
static void write_steps(FILE *f, const bg_histogram *h, const char *value, int color, const char *title)
{
    fprintf(f, "'%s.csv' using 1:(%s) with steps linetype %d title ", h->name, value, color);
    plot_text(f, title);
    fprintf(f, ", \\\n     '' using 1:(%s):($2-$1):(0) every ::%d::%d with vectors nohead linetype %d notitle", value,
            BG_HISTOGRAM_BINS - 1, BG_HISTOGRAM_BINS - 1, color);
}

/* A distribution with its errors. On a logarithmic axis empty bins, and errors as large as the value, go below the frame. */
static void write_curve(FILE *f, const bg_histogram *h, double bottom, int color, const char *title)
{
    char value[64] = "$3", least[64] = "$3-$4";
    if (h->logarithmic) {
        snprintf(value, sizeof value, "above($3,%.9g)", bottom);
        snprintf(least, sizeof least, "above($3-$4,%.9g)", bottom);
    }
    write_steps(f, h, value, color, title);
    fprintf(f,
            ", \\\n     '' using (%s):($3 > 0 ? %s : NaN):(0):($3+$4-(%s)) with vectors nohead linetype %d dashtype 1 "
            "linewidth 0.8 notitle",
            h->logarithmic ? "sqrt($1*$2)" : "0.5*($1+$2)", least, least, color);
}

static void write_figure(const report *r, FILE *f, const bg_histogram *h)
{
    const range a = range_of(r, h, 1, 1);
    plot_open(f, h->name);
    write_axes(r, f, h, &a);
    fprintf(f, "set xlabel ");
    plot_text(f, title_text(h->title, GNUPLOT).buffer);
    fprintf(f, "\nset ylabel ");
    if (is_weight(h)) {
        char value[64];
        plot_text(f, "fraction in a bin");
        fprintf(f, "\nset key center bottom\nplot ");
        snprintf(value, sizeof value, "above($5,%.9g)", 0.1 * a.y_low);
        write_steps(f, h, value, 1, "of the cross section");
        fprintf(f, ", \\\n     ");
        snprintf(value, sizeof value, "above($6/%.17g,%.9g)", (double)r->result->points, 0.1 * a.y_low);
        write_steps(f, h, value, 2, "of the points");
    } else {
        plot_text(f, density_text(h).buffer);
        fprintf(f, "\nset key off\nplot ");
        write_curve(f, h, 0.1 * a.y_low, 1, "");
    }
    putc('\n', f);
    plot_close(f);
}

/* The same quantity of all jets. They are every second histogram. */
static void write_overview(const report *r, FILE *f, const char *name, const bg_histogram *first, const char *title,
                           const char *density)
{
    const range a = range_of(r, first, r->n_out, 2);
    plot_open(f, name);
    write_axes(r, f, first, &a);
    fprintf(f, "set key outside right top\nset xlabel ");
    plot_text(f, title);
    fprintf(f, "\nset ylabel ");
    plot_text(f, density);
    fprintf(f, "\nplot ");
    for (int k = 0; k < r->n_out; k++) {
        char jet[16];
        snprintf(jet, sizeof jet, "jet %d", k + 1);
        if (k) fprintf(f, ", \\\n     ");
        write_curve(f, first + 2 * k, 0.1 * a.y_low, k + 1, jet);
    }
    putc('\n', f);
    plot_close(f);
}

static void write_script(const report *r, FILE *f)
{
    const bg_histogram *h = r->histograms->histogram;
    fprintf(f, "# Draws the pictures of this folder again: gnuplot " SCRIPT "\n# %s\n", process_text(r, PLAIN).buffer);
    plot_start(f, PLOT_WIDTH, PLOT_HEIGHT);
    fprintf(f, "above(y, bottom) = y > bottom ? y : bottom\n");
    if (!is_filled(r, h)) return;
    write_overview(r, f, "pt", h, "p_T of all jets [GeV]", "dσ/dp_T  [pb/GeV]");
    write_overview(r, f, "eta", h + 1, "pseudorapidity of all jets", "dσ/dη  [pb]");
    for (int k = 0; k < r->histograms->count; k++) write_figure(r, f, h + k);
}

/* ---- the page --------------------------------------------------------------------------------------------------- */

static void write_escaped(FILE *f, const char *s)
{
    for (; *s; s++) switch (*s) {
        case '&': fputs("&amp;", f); break;
        case '<': fputs("&lt;", f); break;
        case '>': fputs("&gt;", f); break;
        case '"': fputs("&quot;", f); break;
        case '\'': fputs("&#39;", f); break;
        default: putc(*s, f);
        }
}

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
/* A row of a table of facts; the value is HTML. */
static void
write_fact(FILE *f, const char *name, const char *format, ...)
{
    va_list args;
    fprintf(f, "<div><dt>%s</dt><dd>", name);
    va_start(args, format);
    vfprintf(f, format, args);
    va_end(args);
    fputs("</dd></div>\n", f);
}

/* 1234567 as "1 234 567" with narrow spaces that do not break. */
static text count_text(uint64_t n)
{
    char digits[24];
    text t = {.length = 0};
    const int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)n);
    for (int k = 0; k < length; k++) add(&t, "%s%c", k && (length - k) % 3 == 0 ? "\u202f" : "", digits[k]);
    return t;
}

static const char page_head[] =
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<style>\n"
    ":root{color-scheme:light "
    "dark;--page:#f6f7f9;--card:#fff;--ink:#1b1f24;--quiet:#5b6470;--line:#dfe3e8;--blue:#0072b2;"
    "--orange:#e69f00}\n"
    "@media(prefers-color-scheme:dark){:root{--page:#14171b;--card:#1e2227;--ink:#e8eaed;--quiet:#a0a8b3;--line:#"
    "343a42;"
    "--blue:#56b4e9;--orange:#e69f00}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0;background:var(--page);color:var(--ink);font:16px/1.5 system-ui,sans-serif}\n"
    "main{max-width:1500px;margin:0 auto;padding:1.5rem}\n"
    "h1{font-size:1.5rem;margin:0}h2{font-size:1.1rem;margin:0 0 .6rem}\n"
    "a{color:var(--blue)}\n"
    ".card{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:1rem 1.2rem}\n"
    ".sigma{font-size:clamp(1.5rem,4vw,2.4rem);font-weight:600;margin:.3rem 0 0}\n"
    ".quiet{color:var(--quiet)}\n"
    ".note{border-left:4px solid var(--orange);padding-left:.8rem}\n"
    ".facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(300px,1fr));gap:1rem;margin:1rem 0}\n"
    "dl{margin:0}dl div{display:flex;justify-content:space-between;gap:1rem;padding:.18rem 0;"
    "border-bottom:1px solid var(--line)}dl div:last-child{border:0}\n"
    "dt{color:var(--quiet)}dd{margin:0;text-align:right;overflow-wrap:anywhere}\n"
    ".split{display:flex;height:.8rem;border-radius:4px;overflow:hidden;margin:.6rem 0 .2rem;background:var(--line)}\n"
    ".split :first-child{background:var(--orange)}.split :last-child{background:var(--blue)}\n"
    "pre{overflow-x:auto;margin:0;white-space:pre-wrap;overflow-wrap:anywhere}\n"
    ".figures{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(420px,100%),1fr));gap:1rem;margin:1rem "
    "0}\n"
    "figure{margin:0;padding:.6rem}figure img{display:block;width:100%;height:auto;background:#fff;border-radius:6px}\n"
    "figcaption{display:flex;justify-content:space-between;flex-wrap:wrap;gap:.2rem 1rem;padding:.4rem .3rem 0}\n"
    "</style>\n";

static void write_result(const report *r, FILE *f)
{
    const bg_result *s = r->result;
    const double n = (double)s->points;
    fputs("<section class=\"card\"><h2>Result</h2><dl>\n", f);
    write_fact(f, "σ", "%.10g pb", s->sigma_pb);
    write_fact(f, "standard error", "%.3g pb", s->error_pb);
    if (s->sigma_pb > 0.) write_fact(f, "relative error", "%.2g %%", 100. * s->error_pb / s->sigma_pb);
    if (isfinite(s->chi2_per_dof))
        write_fact(f, "χ² per dof", "%.2f (%d iterations)", s->chi2_per_dof, s->iterations);
    else
        write_fact(f, "χ² per dof", "– (%d iteration%s)", s->iterations, s->iterations == 1 ? "" : "s");
    write_fact(f, "points behind σ", "%s", count_text(s->points).buffer);
    write_fact(f, "points that only adapted", "%s", count_text(s->warmup_points).buffer);
    write_fact(f, "inside the cuts", "%.1f %%", n > 0. ? 100. * (double)s->accepted / n : 0.);
    if (s->nonfinite) write_fact(f, "left out, weight not finite", "%s", count_text(s->nonfinite).buffer);
    if (s->unstable)
        write_fact(f, "unstable in double precision", "%s, %s evaluated again in 128-bit floats",
                   count_text(s->unstable).buffer, count_text(s->rescued).buffer);
    write_fact(f, "largest weight", "%.4g pb", s->max_weight_pb);
    write_fact(f, "unweighting efficiency", "%.3g %%", 100. * s->unweighting);
    fputs("</dl></section>\n", f);
}

static void write_question(const report *r, FILE *f)
{
    const bg_integration *w = r->integration;
    fputs("<section class=\"card\"><h2>Question</h2><dl>\n", f);
    write_fact(f, "process", "g g → %d g", r->n_out);
    write_fact(f, "√s", "%g GeV", w->sqrts);
    write_fact(f, "cuts", "%s", cuts_text(r, HTML).buffer);
    write_fact(f, "α<sub>s</sub>", "%g", r->options->alpha_s);
    if (w->precision > 0.) write_fact(f, "goal", "relative error %g %%", 100. * w->precision);
    if (w->points) write_fact(f, "goal", "%s points", count_text(w->points).buffer);
    if (w->seconds > 0.) write_fact(f, w->precision > 0. || w->points ? "at most" : "goal", "%g s", w->seconds);
    write_fact(f, "seed", "%llu", (unsigned long long)r->options->seed);
    fputs("</dl></section>\n", f);
}

static void write_algorithm(const report *r, FILE *f)
{
    const bg_options *o = r->options;
    const int adaptive = r->integration->phase_space == BG_PHASE_SPACE_ADAPTIVE;
    fputs("<section class=\"card\"><h2>Algorithm</h2><dl>\n", f);
    write_fact(f, "color", "%s%s%s", cli_color_words[o->color], o->color == BG_COLOR_SAMPLED ? ", " : "",
               o->color != BG_COLOR_SAMPLED           ? ""
               : o->recursion == BG_RECURSION_ORDERED ? "discrete"
                                                      : cli_color_sampling_words[o->color_sampling]);
    write_fact(f, "recursion", "%s", cli_recursion_words[o->recursion]);
    write_fact(f, "helicity", "%s%s%s", cli_helicity_word(o), o->helicity == BG_HELICITY_SAMPLED ? ", " : "",
               o->helicity == BG_HELICITY_SAMPLED ? cli_helicity_sampling_words[o->helicity_sampling] : "");
    write_fact(f, "kernel", "%s", cli_kernel_words[o->kernel]);
    if (o->kernel == BG_KERNEL_PAPER && o->recursion == BG_RECURSION_ORDERED)
        write_fact(f, "four-gluon vertex", "%s", cli_vertex_words[o->vertex]);
    if (o->color == BG_COLOR_SUMMED) write_fact(f, "decomposition", "%s", cli_decomposition_words[o->decomposition]);
    if (o->color == BG_COLOR_LEADING) {
        write_fact(f, "orderings", "%s", cli_orderings_words[o->orderings]);
        write_fact(f, "layout", "%s", cli_layout_words[o->layout]);
    }
    write_fact(f, "phase space", "%s", adaptive ? "adaptive" : "RAMBO");
    fputs("</dl></section>\n", f);
}

static void write_machine(const report *r, FILE *f)
{
    const bg_result *s = r->result;
    const double all = (double)(s->points + s->warmup_points),
                 busy = s->seconds_phase_space + s->seconds_matrix_element;
    fputs("<section class=\"card\"><h2>Machine and time</h2><dl>\n<div><dt>hardware</dt><dd>", f);
    write_escaped(f, r->hardware);
    fputs("</dd></div>\n", f);
    write_fact(f, "threads", "%d%s", r->options->threads, s->ranks > 1 ? " on each rank" : "");
    if (s->ranks > 1) write_fact(f, "ranks", "%d", s->ranks);
    write_fact(f, "wall time", "%.2f s", s->seconds);
    if (all > 0.) write_fact(f, "wall time a point", "%.4g ns", 1e9 * s->seconds / all);
    if (s->seconds > 0.) write_fact(f, "points a second", "%.4g", all / s->seconds);
    if (busy > 0.) {
        write_fact(f, "phase space", "%.3g s (%.0f %%)", s->seconds_phase_space, 100. * s->seconds_phase_space / busy);
        write_fact(f, "matrix elements", "%.3g s (%.0f %%)", s->seconds_matrix_element,
                   100. * s->seconds_matrix_element / busy);
    }
    fputs("</dl>\n", f);
    if (busy > 0.)
        fprintf(f,
                "<div class=\"split\" role=\"img\" aria-label=\"share of phase space and matrix elements\">"
                "<span style=\"width:%.1f%%\"></span><span style=\"width:%.1f%%\"></span></div>\n"
                "<div class=\"quiet\">summed over threads%s; orange: phase space, blue: matrix elements</div>\n",
                100. * s->seconds_phase_space / busy, 100. * s->seconds_matrix_element / busy,
                s->ranks > 1 ? " of the first rank" : "");
    fputs("</section>\n", f);
}

/* `table`: whether there is a NAME.csv. */
static void show_figure(const report *r, FILE *f, const char *name, const char *caption, int table)
{
    const int drawn = plot_drawn(r->folder, name);
    const char *best = drawn & PLOT_SVG ? "svg" : "png";
    if (!(drawn & (PLOT_PNG | PLOT_SVG)) && !table) return;
    fputs("<figure class=\"card\">\n", f);
    if (drawn & (PLOT_PNG | PLOT_SVG))
        fprintf(f,
                "<a href=\"%s.%s\"><img src=\"%s.%s\" width=\"600\" height=\"420\" loading=\"lazy\" alt=\"%s\"></a>\n",
                name, best, name, best, name);
    fprintf(f, "<figcaption><span>%s</span><span>", caption);
    if (table) fprintf(f, "<a href=\"%s.csv\">CSV</a> ", name);
    if (drawn & PLOT_PNG) fprintf(f, "<a href=\"%s.png\">PNG</a> ", name);
    if (drawn & PLOT_SVG) fprintf(f, "<a href=\"%s.svg\">SVG</a>", name);
    fputs("</span></figcaption>\n</figure>\n", f);
}

static void show_histogram(const report *r, FILE *f, const bg_histogram *h)
{
    show_figure(r, f, h->name, title_text(h->title, HTML).buffer, 1);
}

static void write_page(const report *r, FILE *f)
{
    const bg_histogram *h = r->histograms->histogram;
    const text process = process_text(r, HTML);
    const time_t now = time(NULL);
    char when[64] = "";
    struct tm utc;
    if (gmtime_r(&now, &utc)) strftime(when, sizeof when, "%Y-%m-%d %H:%M UTC", &utc);
    fprintf(f,
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>%s – BlockGen</title>\n%s",
            process.buffer, page_head);
    fprintf(f, "</head>\n<body>\n<main>\n<header class=\"card\">\n<h1>%s</h1>\n<div class=\"quiet\">%s</div>\n",
            process.buffer, cuts_text(r, HTML).buffer);
    fprintf(f, "<p class=\"sigma\">σ = %s</p>\n", sigma_text(r, HTML).buffer);
    if (r->result->warming_up)
        fputs("<p class=\"note\">Interrupted while still adapting: σ is a first estimate and the distributions are "
              "empty.</p>\n",
              f);
    else if (r->result->interrupted)
        fputs("<p class=\"note\">Stopped before its goal; everything here is from the points that were made.</p>\n", f);
    fputs("</header>\n<div class=\"facts\">\n", f);
    write_result(r, f);
    write_question(r, f);
    write_algorithm(r, f);
    write_machine(r, f);
    fputs("</div>\n<section class=\"card\"><h2>Command line</h2><pre><code>", f);
    write_escaped(f, r->command_line);
    fprintf(f, "</code></pre><div class=\"quiet\">blockgen %s, %s</div></section>\n<div class=\"figures\">\n",
            bg_version(), when);
    show_figure(r, f, "pt", "p<sub>T</sub> of all jets [GeV]", 0);
    show_figure(r, f, "eta", "pseudorapidity of all jets", 0);
    for (int k = 2 * r->n_out; k < r->histograms->count; k++) show_histogram(r, f, &h[k]);
    for (int k = 0; k < r->n_out; k++) show_histogram(r, f, &h[2 * k]); /* first all pT, then all eta */
    for (int k = 0; k < r->n_out; k++) show_histogram(r, f, &h[2 * k + 1]);
    fputs("</div>\n<p class=\"quiet\">Jets are the outgoing gluons in falling order of p<sub>T</sub>. Error bars are "
          "standard "
          "errors. The pictures are drawn from the CSV files by <a href=\"" SCRIPT "\">" SCRIPT "</a>.</p>\n"
          "</main>\n</body>\n</html>\n",
          f);
}

/* ---- all of it ----------------------------------------------------------------------------------------------------- */

typedef void writer(const report *r, FILE *f);

static int save_text(const report *r, const char *name, writer *write_it)
{
    files_text t;
    files_start(&t);
    if (t.file) write_it(r, t.file);
    return files_finish(NAME, &t, r->folder, name);
}

static int save_table(const report *r, const bg_histogram *h)
{
    char name[FILES_NAME];
    files_text t;
    snprintf(name, sizeof name, "%s.csv", h->name);
    files_start(&t);
    if (t.file) write_table(r, h, t.file);
    return files_finish(NAME, &t, r->folder, name);
}

/* Looks for what gnuplot itself does not report. */
static int check_figure(const report *r, const char *name, int *missing_png)
{
    const int drawn = plot_drawn(r->folder, name);
    if (drawn & PLOT_BROKEN || !(drawn & PLOT_SVG)) {
        cli_message(NAME,
                    "cannot write the pictures %s/%s.png and .svg: gnuplot left them unfinished (is the disk full?)",
                    r->folder, name);
        return CLI_FAILED;
    }
    if (!(drawn & PLOT_PNG)) *missing_png = 1;
    return CLI_DONE;
}

static int draw(const report *r)
{
    char message[1024] = "";
    int status = CLI_DONE, missing_png = 0;
    const struct bg_histograms *h = r->histograms;
    plot_remove(r->folder, "pt"); /* pictures of an earlier run must not stand beside these numbers */
    plot_remove(r->folder, "eta");
    for (int k = 0; k < h->count; k++) plot_remove(r->folder, h->histogram[k].name);
    if (!is_filled(r, h->histogram)) return CLI_DONE;
    switch (plot_run(r->folder, SCRIPT, message, sizeof message)) {
    case PLOT_NO_GNUPLOT:
        cli_message(
            NAME,
            "no pictures in %s: gnuplot is not in PATH (Debian: apt-get install gnuplot-nox); tables and page are "
            "written",
            r->folder);
        return CLI_DONE;
    case PLOT_FAILED: cli_message(NAME, "cannot draw %s/" SCRIPT ": %s", r->folder, message); return CLI_FAILED;
    case PLOT_DONE: break;
    }
    if (check_figure(r, "pt", &missing_png) || check_figure(r, "eta", &missing_png)) status = CLI_FAILED;
    for (int k = 0; k < h->count && status == CLI_DONE; k++)
        status = check_figure(r, h->histogram[k].name, &missing_png);
    if (status == CLI_DONE && missing_png)
        cli_message(NAME, "no PNG pictures in %s, only SVG: this gnuplot has no terminal for them", r->folder);
    return status;
}

int report_write(const report *r)
{
    int status = files_make_folder(NAME, r->folder);
    for (int k = 0; k < r->histograms->count && status == CLI_DONE; k++)
        status = save_table(r, &r->histograms->histogram[k]);
    if (status == CLI_DONE) status = save_text(r, SCRIPT, write_script);
    if (status != CLI_DONE) return status;
    status = draw(r);
    const int page = save_text(r, "index.html", write_page); /* also without pictures */
    return status != CLI_DONE ? status : page;
}
