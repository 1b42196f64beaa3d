/* index.html: one page about the run. */
#include "html.h"
#include "options.h"
#include "plot.h"
#include "report/parts.h"

#include <math.h>
#include <stdarg.h>
#include <time.h>

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
static report_text count_text(uint64_t n)
{
    char digits[24];
    report_text t = {.length = 0};
    const int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)n);
    for (int k = 0; k < length; k++) report_add(&t, "%s%c", k && (length - k) % 3 == 0 ? "\u202f" : "", digits[k]);
    return t;
}

/* What σ is with other scales and other members of the densities. */
static void write_variations(const report *r, FILE *f)
{
    const bg_variations *v = r->variations;
    const double sigma = r->result->sigma_pb;
    if (v->scales)
        write_fact(f, "with other scales", "%.4g to %.4g pb (+%.1f %%, −%.1f %%)", v->scale_down_pb, v->scale_up_pb,
                   100. * (v->scale_up_pb / sigma - 1.), 100. * (1. - v->scale_down_pb / sigma));
    if (v->members)
        write_fact(f, "with other members of the densities", "± %.3g pb (%.2g %%), %d members", v->pdf_error_pb,
                   100. * v->pdf_error_pb / sigma, v->members);
}

static void write_result(const report *r, FILE *f)
{
    const bg_result *s = r->result;
    const double n = (double)s->points;
    fputs("<section class=\"card\"><h2>Result</h2><dl>\n", f);
    if (s->sigma_pb >= 0.)
        write_fact(f, "σ", "%.10g pb", s->sigma_pb);
    else
        write_fact(f, "σ", "unknown");
    if (s->error_pb > 0.)
        write_fact(f, "standard error", "%.3g pb", s->error_pb);
    else
        write_fact(f, "standard error", "unknown");
    if (s->sigma_pb > 0. && s->error_pb > 0.)
        write_fact(f, "relative error", "%.2g %%", 100. * s->error_pb / s->sigma_pb);
    write_variations(r, f);
    if (isfinite(s->chi2_per_dof))
        write_fact(f, "χ² per dof", "%.2f (%d iterations)", s->chi2_per_dof, s->iterations);
    else
        write_fact(f, "χ² per dof", "– (%d iteration%s)", s->iterations, s->iterations == 1 ? "" : "s");
    write_fact(f, "points behind σ", "%s", count_text(s->points).buffer);
    write_fact(f, "warm-up points, not counted", "%s", count_text(s->warmup_points).buffer);
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
    write_fact(f, "process", "%s", r->process);
    write_fact(f, r->protons ? "√s of the protons" : "partonic √s, fixed", "%g GeV", w->sqrts);
    fputs("<div><dt>parton densities</dt><dd>", f);
    html_escaped(f, r->protons ? r->densities : "none");
    fputs("</dd></div>\n", f);
    if (r->protons) write_fact(f, "scale", "%s", report_scale(r).buffer);
    write_fact(f, "cuts", "%s", report_cuts(r, REPORT_HTML).buffer);
    if (r->protons)
        write_fact(f, "α<sub>s</sub>", "of the parton densities");
    else
        write_fact(f, "α<sub>s</sub>, fixed", "%g", r->options->alpha_s);
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
    write_fact(f, "color", "%s%s%s", cli_value(o, "color").text, o->color == BG_COLOR_SAMPLED ? ", " : "",
               o->color != BG_COLOR_SAMPLED           ? ""
               : o->recursion == BG_RECURSION_ORDERED ? "discrete"
                                                      : cli_value(o, "color-sampling").text);
    write_fact(f, "recursion", "%s", cli_value(o, "recursion").text);
    write_fact(f, "helicity", "%s%s%s", cli_value(o, "helicity").text, o->helicity == BG_HELICITY_SAMPLED ? ", " : "",
               o->helicity == BG_HELICITY_SAMPLED ? cli_value(o, "helicity-sampling").text : "");
    write_fact(f, "kernel", "%s", cli_value(o, "kernel").text);
    if (o->kernel == BG_KERNEL_PAPER && o->recursion == BG_RECURSION_ORDERED)
        write_fact(f, "four-gluon vertex", "%s", cli_value(o, "vertex").text);
    if (o->color == BG_COLOR_SUMMED) write_fact(f, "decomposition", "%s", cli_value(o, "decomposition").text);
    if (o->color == BG_COLOR_LEADING) {
        write_fact(f, "orderings", "%s", cli_value(o, "orderings").text);
        write_fact(f, "layout", "%s", cli_value(o, "layout").text);
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
    html_escaped(f, r->hardware);
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

static void show_histogram(const report *r, FILE *f, const report_curve *h)
{
    show_figure(r, f, h->name, report_title(h->title, REPORT_HTML).buffer, 1);
}

void report_write_page(const report *r, FILE *f)
{
    const report_curve *h = r->curve;
    const report_text process = report_process(r, REPORT_HTML);
    const time_t now = time(NULL);
    char when[64] = "";
    struct tm utc;
    if (gmtime_r(&now, &utc)) strftime(when, sizeof when, "%Y-%m-%d %H:%M UTC", &utc);
    fprintf(f,
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>%s – BlockGen</title>\n%s",
            process.buffer, html_head);
    fprintf(f, "</head>\n<body>\n<main>\n<header class=\"card\">\n<h1>%s</h1>\n<div class=\"quiet\">%s</div>\n",
            process.buffer, report_cuts(r, REPORT_HTML).buffer);
    fputs(r->protons
              ? "<div class=\"quiet\">Leading order: every jet is one parton. Jets ordered in p<sub>T</sub> are the "
                "partons ordered in p<sub>T</sub>; no jet algorithm is involved.</div>\n"
              : "<div class=\"quiet\">Partonic cross section: two partons of a fixed energy, no parton densities, "
                "α<sub>s</sub> fixed.</div>\n",
          f);
    fprintf(f, "<p class=\"sigma\">σ = %s</p>\n", report_sigma(r, REPORT_HTML).buffer);
    if (r->result->warming_up)
        fputs("<p class=\"note\">Interrupted while still adapting: σ is a first estimate and the distributions are "
              "empty.</p>\n",
              f);
    else if (r->result->interrupted)
        fputs("<p class=\"note\">Interrupted before its goal; everything here is from the points that were "
              "made.</p>\n",
              f);
    else if (!r->result->accepted)
        fputs("<p class=\"note\">No point is inside the cuts; the distributions are empty.</p>\n", f);
    fputs("</header>\n<div class=\"facts\">\n", f);
    write_result(r, f);
    write_question(r, f);
    write_algorithm(r, f);
    write_machine(r, f);
    fputs("</div>\n<section class=\"card\"><h2>Command line</h2><pre><code>", f);
    html_escaped(f, r->command_line);
    fprintf(f, "</code></pre><div class=\"quiet\">blockgen %s, %s</div></section>\n<div class=\"figures\">\n",
            bg_version(), when);
    show_figure(r, f, "pt", r->protons ? "p<sub>T</sub> of all jets [GeV]" : "p<sub>T</sub> of all gluons [GeV]", 0);
    show_figure(r, f, "eta", r->protons ? "pseudorapidity of all jets" : "pseudorapidity of all gluons", 0);
    for (int k = 2 * r->n_out; k < r->curves; k++) show_histogram(r, f, &h[k]);
    for (int k = 0; k < r->n_out; k++) show_histogram(r, f, &h[2 * k]); /* first all pT, then all eta */
    for (int k = 0; k < r->n_out; k++) show_histogram(r, f, &h[2 * k + 1]);
    fprintf(
        f,
        "</div>\n<p class=\"quiet\">%s are numbered by falling p<sub>T</sub>; there is no jet algorithm. Error bars "
        "are standard errors.%s",
        r->protons ? "Jets, which are partons at this order," : "Gluons",
        r->variations->scales ? " Shaded bands: μ<sub>R</sub> and μ<sub>F</sub> times ½, 1 and 2, without ½ and 2 "
                                "together."
                              : "");
    fputs(" The pictures are drawn from the CSV files by <a href=\"" REPORT_SCRIPT "\">" REPORT_SCRIPT
          "</a>; <a href=\"" REPORT_YODA "\">" REPORT_YODA "</a> has all distributions for YODA and Rivet.</p>\n"
          "</main>\n</body>\n</html>\n",
          f);
}
