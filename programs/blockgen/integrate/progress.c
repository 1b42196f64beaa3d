/* What a run says before and while it computes: what was chosen, how far it is, how long it will take. */
#include "backends.h"
#include "console.h"
#include "integrate/parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- before ----------------------------------------------------------------------------------------------------- */

/* What would be chosen if nothing had been asked for, where that is something else. */
static void find_automatic(run *r, const bg_process *process, const bg_options *chosen)
{
    bg_options open = r->common.options, other = *chosen;
    if (bg_options_are_automatic(&r->common.options) && !cli_given(&r->common, "color")) return;
    bg_options_set_automatic(&open);
    const bg_purpose purpose = bg_integration_purpose(&open, &r->integration);
    if (bg_choose(process, &open, purpose, &r->automatic, &other, NULL) != BG_OK ||
        (purpose == bg_integration_purpose(&r->common.options, &r->integration) && other.color == chosen->color &&
         other.recursion == chosen->recursion && other.helicity == chosen->helicity &&
         other.helicity_sampling == chosen->helicity_sampling))
        r->automatic.strategy[0] = '\0';
}

/* Whether there is anything to announce: what makes no sense is refused by the integration, with its reason. */
static int makes_sense(const run *r, const bg_process *process)
{
    bg_generator *generator = NULL;
    if (bg_process_is_open(process)) return 1;
    const bg_status status =
        bg_generator_create(&generator, process, &r->common.options, &r->integration, NULL); /* knows all cuts */
    bg_generator_destroy(generator);
    return status == BG_OK && r->common.options.samples == 1;
}

void integrate_announce(run *r, const bg_process *process)
{
    char fallback[BG_NOTE_LENGTH];
    bg_options chosen = r->common.options;
    bg_choice choice;
    bg_choice_init(&choice);
    bg_choice_init(&r->automatic);
    const bg_purpose purpose = bg_integration_purpose(&r->common.options, &r->integration);
    if (!makes_sense(r, process) || bg_choose(process, &r->common.options, purpose, &choice, &chosen, NULL) != BG_OK)
        return;
    find_automatic(r, process, &chosen);
    r->told_backend = backend_fallback(&r->common.options, fallback, sizeof fallback);
    if (r->common.quiet) return;
    if (r->told_backend) cli_message(INTEGRATE, "%s", fallback);
    cli_message(INTEGRATE, "%s, %s: %s; on %s", r->process,
                bg_options_are_automatic(&r->common.options) ? "chosen automatically" : "as asked for",
                cli_describe_algorithm(&chosen).text, backend_hardware(&chosen).text);
    cli_progress(0, -1., "adapting, first round ...");
}

/* ---- how far --------------------------------------------------------------------------------------------------------- */

/* Points that the goal asks for, those that only adapt left aside; 0: unknown yet, or the goal is a time. An error of few
 * points is a guess, and so is what follows from it. */
static double points_needed(const run *r, const bg_result *now)
{
    const bg_integration *w = &r->integration;
    if (w->points) return (double)w->points;
    if (!(w->precision > 0.) || !(now->error_pb > 0.) || !(now->sigma_pb > 0.)) return 0.;
    return (double)now->points * pow(now->error_pb / now->sigma_pb / w->precision, 2.);
}

/* Share of the way to the goal: of the points, of the time, or of the inverse variance. */
static double fraction_done(const run *r, const bg_result *now)
{
    const bg_integration *w = &r->integration;
    const double needed = points_needed(r, now);
    double fraction = 0.;
    if (!now->warming_up && needed > 0.) fraction = (double)now->points / needed;
    if (w->seconds > 0.) fraction = fmax(fraction, now->seconds / w->seconds);
    return fraction < 1. ? fraction : 1.;
}

/* Seconds that are left, by the rate of all points so far; below 0: unknown. */
static double seconds_left(const run *r, const bg_result *now)
{
    const double all = (double)(now->points + now->warmup_points), needed = points_needed(r, now);
    const double counted = now->warming_up ? 0. : (double)now->points;
    double left = -1.;
    if (needed > 0. && all > 0. && now->seconds > 0.) left = fmax(needed - counted, 0.) * now->seconds / all;
    if (r->integration.seconds > 0.) {
        const double most = fmax(r->integration.seconds - now->seconds, 0.);
        left = left < 0. || left > most ? most : left;
    }
    return left;
}

typedef struct duration {
    char text[32];
} duration;

/* "40 s", "12 min", "5 h", "9 days": an estimate deserves no more digits. */
static duration in_words(double seconds)
{
    duration d;
    if (seconds < 120.)
        snprintf(d.text, sizeof d.text, "%.0f s", seconds);
    else if (seconds < 7200.)
        snprintf(d.text, sizeof d.text, "%.0f min", seconds / 60.);
    else if (seconds < 172800.)
        snprintf(d.text, sizeof d.text, "%.0f h", seconds / 3600.);
    else
        snprintf(d.text, sizeof d.text, "%.3g days", seconds / 86400.);
    return d;
}

/* Once, where somebody's own choice of an algorithm will take very long. */
static void warn_of_length(run *r, double left)
{
    enum { VERY_LONG = 900 };
    char other[128] = "";
    if (r->told_long || !r->automatic.strategy[0] || left < VERY_LONG) return;
    r->told_long = 1;
    const double ratio = r->automatic.precision / r->integration.precision;
    if (r->integration.precision > 0. && r->automatic.seconds > 0.)
        snprintf(other, sizeof other, " (%s for such a precision on %s)",
                 in_words(fmax(1., r->automatic.seconds * ratio * ratio)).text, r->automatic.machine);
    cli_message(INTEGRATE,
                "this will take about %s; --color auto --recursion auto --helicity auto, the default, chooses what is "
                "fastest%s",
                in_words(left).text, other);
}

int integrate_progress(const bg_result *now, void *user)
{
    run *r = user;
    if (now->note[0] && !r->told_trouble) cli_message(INTEGRATE, "warning: %s", now->note);
    r->told_trouble = now->note[0] != '\0';
    const double left = seconds_left(r, now);
    char line[200], rest[64] = "", error[48] = "";
    if (!r->common.quiet) warn_of_length(r, left);
    if (now->error_pb > 0.)
        snprintf(error, sizeof error, " +- %.2g pb (%.2g %%)", now->error_pb, 100. * now->error_pb / now->sigma_pb);
    if (left >= 0.) snprintf(rest, sizeof rest, ", about %s left", in_words(left).text);
    const double all = (double)(now->points + now->warmup_points);
    if (now->warming_up && !(now->sigma_pb > 0.))
        snprintf(line, sizeof line, "adapting, first round: %.3g points%s", all, rest);
    else if (now->warming_up)
        snprintf(line, sizeof line, "adapting: sigma ~ %.3g pb, %.3g points%s", now->sigma_pb, all, rest);
    else
        snprintf(line, sizeof line, "sigma = %.5g%s, %.3g points, %.3g/s%s", now->sigma_pb, error, (double)now->points,
                 all / now->seconds, rest);
    cli_progress(r->common.quiet, fraction_done(r, now), line);
    return cli_interrupted();
}
