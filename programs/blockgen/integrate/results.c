/* The result of an integration: as JSON, as text, and what must be said about it. */
#include "console.h"
#include "integrate/parts.h"
#include "process.h"
#include "report/parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

int integrate_has_protons(const run *r) { return bg_process_has_protons(r->subject); }

const char *integrate_pdf(const run *r) { return cli_process_densities(r->subject, &r->integration); }

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

/* Those that are there: most runs have none of them. */
static void print_jet_cuts(json *j, const bg_jet_cuts *c)
{
    const struct {
        const char *name;
        double value;
    } cut[] = {{"pt1_min", c->leading_pt_min[0]},
               {"pt2_min", c->leading_pt_min[1]},
               {"pt3_min", c->leading_pt_min[2]},
               {"pt4_min", c->leading_pt_min[3]},
               {"pt_max", c->pt_max},
               {"eta_min", c->eta_min},
               {"dr_max", c->dr_max},
               {"mass_max", c->mass_max},
               {"kt_min", c->kt_min}};
    for (size_t k = 0; k < sizeof cut / sizeof *cut; k++)
        if (cut[k].value > 0.) json_real(j, cut[k].name, cut[k].value);
    if (c->kt_min > 0.) json_real(j, "kt_radius", c->kt_radius);
}

static void print_question(json *j, const run *r, const bg_options *o)
{
    const bg_cuts *c = &r->integration.cuts;
    cli_word phase_space = {""};
    json_text(j, "version", bg_version());
    json_text(j, "date", r->date);
    json_text(j, "command", r->command_line);
    json_text(j, "process", r->process);
    json_integer(j, "n_out", r->n_out);
    json_text(j, "beams", integrate_has_protons(r) ? "p p" : "partonic");
    if (integrate_has_protons(r)) {
        json_text(j, "pdf", integrate_pdf(r));
        json_text(j, "scale", cli_process_scale(&r->integration));
        json_real(j, "mur", r->integration.mur);
        json_real(j, "muf", r->integration.muf);
    } else {
        json_null(j, "pdf");
        json_null(j, "scale");
    }
    json_real(j, "sqrts", r->integration.sqrts);
    json_open(j, "cuts", '{');
    json_real(j, "pt_min", c->pt_min);
    json_real(j, "eta_max", c->eta_max);
    json_real(j, "dr_min", c->dr_min);
    json_real(j, "mass_min", c->mass_min);
    json_real(j, "ht_min", c->ht_min);
    print_jet_cuts(j, &r->integration.jet_cuts);
    json_close(j);
    if (integrate_has_protons(r))
        json_text(j, "alpha_s", "of the parton densities");
    else
        json_real(j, "alpha_s", o->alpha_s);
    (void)bg_integration_get(&r->integration, "phase-space", phase_space.text, sizeof phase_space.text, NULL);
    json_text(j, "phase_space", phase_space.text);
}

static void print_result(json *j, const run *r, const bg_result *s)
{
    json_real(j, "sigma_pb", s->sigma_pb);
    json_real(j, "error_pb", s->error_pb);
    json_unsigned(j, "points", s->points);
    json_unsigned(j, "accepted", s->accepted);
    json_unsigned(j, "evaluated", s->evaluated);
    json_unsigned(j, "warmup_points", s->warmup_points);
    json_unsigned(j, "nonfinite", s->nonfinite);
    json_unsigned(j, "unstable", s->unstable);
    json_unsigned(j, "rescued", s->rescued);
    json_integer(j, "iterations", s->iterations);
    json_real(j, "chi2_per_dof", s->chi2_per_dof);
    json_real(j, "error_scale", s->error_scale);
    json_real(j, "max_weight_pb", s->max_weight_pb);
    json_real(j, "unweighting_efficiency", s->unweighting);
    json_real(j, "seconds", s->seconds);
    json_real(j, "seconds_phase_space", s->seconds_phase_space);
    json_real(j, "seconds_matrix_element", s->seconds_matrix_element);
    if (r->integration.hybrid) {
        json_real(j, "seconds_copies", s->seconds_copies);
        json_real(j, "seconds_waiting", s->seconds_waiting);
    }
    json_real(j, "ns_per_point", 1e9 * s->seconds / (double)(s->points + s->warmup_points));
}

static void print_algorithm(json *j, const run *r, const bg_result *s, const bg_options *o)
{
    cli_word word;
    cli_json_axes(j, o);
    cli_json_helicity_sampling(j, o);
    json_text(j, "estimate", s->estimated ? "on" : "off");
    json_text(j, "color_sampling", cli_color_sampling(o, &word));
    if (o->color == BG_COLOR_SAMPLED && o->color_sampling == BG_COLORS_COHERENT)
        json_integer(j, "color_group", o->color_group);
    else
        json_null(j, "color_group");
    json_text(j, "hardware", s->hardware);
    json_bool(j, "hybrid", r->integration.hybrid);
    json_integer(j, "threads", o->threads);
    json_integer(j, "ranks", s->ranks);
    json_unsigned(j, "seed", o->seed);
}

/* Every class; a process of one subprocess is its own. */
static void print_classes(json *j, const run *r, const bg_result *s)
{
    json_open(j, "classes", '[');
    for (int k = 0; k < bg_process_classes(r->subject); k++) {
        bg_process_class c;
        bg_process_class_init(&c);
        (void)bg_process_class_at(r->subject, k, &c, NULL); /* k is in its range */
        json_open(j, NULL, '{');
        json_text(j, "process", c.name);
        json_integer(j, "channels", c.channels);
        json_integer(j, "quark_lines", c.quark_lines);
        json_real(j, "sigma_pb", r->classes ? r->classes[k].sigma_pb : s->sigma_pb);
        json_real(j, "error_pb", r->classes ? r->classes[k].error_pb : s->error_pb);
        json_real(j, "chi2_per_dof", r->classes ? r->classes[k].chi2_per_dof : s->chi2_per_dof);
        json_unsigned(j, "points", r->classes ? r->classes[k].points : s->points);
        json_close(j);
    }
    json_close(j);
}

/* Cross sections with other scales, and what the members of the densities say; null where they were asked for and the run was
 * interrupted before them. */
static void print_variations(json *j, const run *r)
{
    const bg_variations *v = &r->variations;
    const char *asked = r->integration.variations;
    if (!asked || !*asked) return;
    json_open(j, "variations", '{');
    if (v->scales) {
        json_open(j, "scale", '{');
        json_real(j, "up_pb", v->scale_up_pb);
        json_real(j, "down_pb", v->scale_down_pb);
        json_real(j, "relative_error", v->precision);
        json_open(j, "sigmas", '[');
        for (int k = 0; k < v->scales; k++) {
            json_open(j, NULL, '{');
            json_real(j, "mur", v->mur[k]);
            json_real(j, "muf", v->muf[k]);
            json_real(j, "sigma_pb", v->scale_pb[k]);
            json_close(j);
        }
        json_close(j);
        json_close(j);
    } else if (strstr(asked, "scale")) {
        json_null(j, "scale");
    }
    if (v->members) {
        json_open(j, "pdf", '{');
        json_real(j, "error_pb", v->pdf_error_pb);
        json_real(j, "up_pb", v->pdf_up_pb);
        json_real(j, "down_pb", v->pdf_down_pb);
        json_integer(j, "members", v->members);
        json_text(j, "error_type", v->pdf_error_type);
        json_close(j);
    } else if (strstr(asked, "pdf")) {
        json_null(j, "pdf");
    }
    json_unsigned(j, "points", v->points);
    json_real(j, "seconds", v->seconds);
    json_close(j);
}

void integrate_print_json(const run *r, const report *about)
{
    json j = json_start(stdout);
    json_open(&j, NULL, '{');
    print_question(&j, r, about->options);
    print_result(&j, r, about->result);
    print_variations(&j, r);
    print_algorithm(&j, r, about->result, about->options);
    print_classes(&j, r, about->result);
    json_bool(&j, "interrupted", about->result->interrupted);
    json_bool(&j, "still_adapting", about->result->warming_up);
    json_close(&j);
}

/* ---- text ---------------------------------------------------------------------------------------------------------- */

/* That sigma is not what was asked for, where a reader of the text cannot miss it. */
static void print_interruption(const bg_result *s)
{
    const char *who = s->interrupted ? "interrupted:" : "stopped:";
    if (s->warming_up && s->points)
        printf("%-13swhile the generator still adapted: sigma is a first estimate, its error may be far too small\n",
               who);
    else if (s->warming_up)
        printf("%-13sbefore there was a result\n", who);
    else if (s->interrupted)
        printf("interrupted: before the goal was reached: sigma is that of the points so far\n");
}

static void print_points(const bg_result *s)
{
    printf("points:      %llu, %.1f %% inside the cuts", (unsigned long long)s->points,
           s->points ? 100. * (double)s->accepted / (double)s->points : 0.);
    if (s->warming_up)
        printf(" (all of them warm-up points)");
    else if (s->warmup_points)
        printf(" (and %llu warm-up points before, which do not count)", (unsigned long long)s->warmup_points);
    printf("\n");
    if (s->estimated)
        printf(
            "estimate:    |M|^2 was computed at %llu of them and estimated at all (--estimate off: computed at all)\n",
            (unsigned long long)s->evaluated);
}

/* What every class adds, the largest first. */
static void list_classes(const run *r, const bg_result *s)
{
    const int count = bg_process_classes(r->subject);
    double before = INFINITY;
    int last = -1;
    printf("\n%-34s %8s %14s %12s %8s %10s\n", "class", "channels", "sigma/pb", "error/pb", "share", "points");
    for (int shown = 0; shown < count; shown++) {
        int next = -1;
        for (int k = 0; k < count; k++) {
            const double here = r->classes[k].sigma_pb;
            const int behind = here < before || (here == before && k > last);
            if (behind && (next < 0 || here > r->classes[next].sigma_pb)) next = k;
        }
        if (next < 0) break; /* what is no number is not shown */
        const bg_class_result *c = &r->classes[next];
        bg_process_class about;
        bg_process_class_init(&about);
        (void)bg_process_class_at(r->subject, next, &about, NULL);
        printf("%-34s %8d %14.5g %12.2g %7.2f%% %10llu\n", about.name, about.channels, c->sigma_pb, c->error_pb,
               100. * c->sigma_pb / s->sigma_pb, (unsigned long long)c->points);
        before = c->sigma_pb;
        last = next;
    }
    printf("\n");
}

/* Variations, in pb and in percent of sigma. */
static void print_changes(const run *r, const bg_result *s)
{
    const bg_variations *v = &r->variations;
    const char *asked = r->integration.variations;
    const double percent = 100. / s->sigma_pb;
    if (asked && *asked && !v->scales && !v->members) printf("variations:  none, the run was stopped before them\n");
    if (v->scales)
        printf("scales:      %.5g to %.5g pb  (+%.1f %%, -%.1f %%), muR and muF times 1/2, 1, 2\n", v->scale_down_pb,
               v->scale_up_pb, percent * (v->scale_up_pb - s->sigma_pb), percent * (s->sigma_pb - v->scale_down_pb));
    if (v->members)
        printf("densities:   +- %.3g pb  (%.2g %%; +%.3g, -%.3g pb), %d members (%s)\n", v->pdf_error_pb,
               percent * v->pdf_error_pb, v->pdf_up_pb, v->pdf_down_pb, v->members, v->pdf_error_type);
}

void integrate_print_text(const run *r, const report *about)
{
    const bg_result *s = about->result;
    const bg_options *o = about->options;
    printf("%s\n", report_process(about, REPORT_PLAIN).buffer);
    if (integrate_has_protons(r))
        printf("protons:     %s, scale %s (muR %g, muF %g), alpha_s of the parton densities\n", integrate_pdf(r),
               cli_process_scale(&r->integration), r->integration.mur, r->integration.muf);
    else
        printf("partonic:    fixed energy of the two partons, no parton densities, alpha_s = %g (fixed)\n", o->alpha_s);
    printf("cuts:        %s\n", report_cuts(about, REPORT_PLAIN).buffer);
    print_interruption(s);
    if (s->error_pb > 0.)
        printf("sigma:       %s  (%.2g %%)\n", report_sigma(about, REPORT_PLAIN).buffer,
               100. * s->error_pb / s->sigma_pb);
    else
        printf("sigma:       %s\n", report_sigma(about, REPORT_PLAIN).buffer);
    print_changes(r, s);
    if (r->classes) list_classes(r, s);
    if (isfinite(s->chi2_per_dof)) printf("chi2/dof:    %.2f  (%d iterations)\n", s->chi2_per_dof, s->iterations);
    print_points(s);
    if (s->nonfinite)
        printf("left out:    %llu points whose weight was not a finite number\n", (unsigned long long)s->nonfinite);
    if (s->unstable)
        printf("unstable:    %llu points (%.2g %%), %llu evaluated again in 128-bit floats\n",
               (unsigned long long)s->unstable, s->accepted ? 100. * (double)s->unstable / (double)s->accepted : 0.,
               (unsigned long long)s->rescued);
    printf("weights:     largest %.3g pb, unweighting efficiency %.2g %%\n", s->max_weight_pb, 100. * s->unweighting);
    printf("time:        %.2f s, %.4g ns a point (phase space %.0f %%)\n", s->seconds,
           1e9 * s->seconds / (double)(s->points + s->warmup_points),
           100. * s->seconds_phase_space / (s->seconds_phase_space + s->seconds_matrix_element + 1e-12));
    if (r->integration.hybrid)
        printf("hybrid:      points %.3g s (%d CPU thread%s, their sum), copies %.3g s, matrix elements %.3g s, CPU "
               "waiting %.3g s\n",
               s->seconds_phase_space, o->threads, o->threads == 1 ? "" : "s", s->seconds_copies,
               s->seconds_matrix_element, s->seconds_waiting);
    printf("algorithm:   %s\n", cli_describe_algorithm(o).text);
    printf("ran on:      %s (%s), %d thread%s", o->backend, s->hardware, o->threads, o->threads == 1 ? "" : "s");
    if (s->ranks > 1) printf(" on each of %d ranks", s->ranks);
    printf(", seed %llu\n", (unsigned long long)o->seed);
}

/* ---- warnings ------------------------------------------------------------------------------------------------------ */

void integrate_warn(const run *r, const bg_result *s)
{
    const bg_integration *w = &r->integration;
    if (w->seconds > 0. && s->warming_up && !s->interrupted)
        cli_message(INTEGRATE,
                    "warning: the time was over while the generator still adapted; sigma is that of %llu points, its "
                    "error may be too small",
                    (unsigned long long)s->points);
    if (s->interrupted)
        cli_message(INTEGRATE, "interrupted %s; sigma is that of %llu points%s",
                    s->warming_up ? "while the generator still adapted" : "before the goal was reached",
                    (unsigned long long)s->points, s->warming_up ? ", its error may be far too small" : "");
    if (!s->accepted)
        cli_message(INTEGRATE, "warning: none of %llu points is inside the cuts", (unsigned long long)s->points);
    else if (!(s->error_pb > 0.))
        cli_message(INTEGRATE, "warning: %llu points are too few to know the error", (unsigned long long)s->points);
    if (w->precision > 0. && !s->interrupted && !(w->seconds > 0.) && !(s->error_pb <= w->precision * s->sigma_pb))
        cli_message(INTEGRATE, "warning: the precision was not reached in %d iterations", s->iterations);
    enum { VISIBLE = 101 }; /* percent: a class that adds next to nothing is not worth a word */
    if (100. * s->error_scale > VISIBLE)
        cli_message(
            INTEGRATE,
            "warning: the iterations differ by more than their errors (chi2/dof = %.3g): the error of sigma was "
            "widened by %.2g and may still be too small%s",
            s->chi2_per_dof, s->error_scale,
            w->phase_space == BG_PHASE_SPACE_RAMBO && w->cuts.pt_min > 0. ? "; --phase-space adaptive converges" : "");
}
