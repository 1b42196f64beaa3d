/* The axes of an algorithm as words, and what makes no sense with them, before anything is computed. */
#include "console.h"
#include "options.h"

#include <stdio.h>
#include <string.h>

/* ---- words -------------------------------------------------------------------------------------------------- */

cli_word cli_value(const bg_options *options, const char *name)
{
    cli_word w = {""};
    (void)bg_options_get(options, name, w.text, sizeof w.text, NULL);
    return w;
}

void cli_json_axes(json *j, const bg_options *o)
{
    static const char *const axes[] = {"color", "recursion", "helicity", "kernel", "backend"};
    for (size_t k = 0; k < sizeof axes / sizeof *axes; k++) json_text(j, axes[k], cli_value(o, axes[k]).text);
}

void cli_json_helicity_sampling(json *j, const bg_options *o)
{
    json_text(j, "helicity_sampling",
              o->helicity == BG_HELICITY_SAMPLED ? cli_value(o, "helicity-sampling").text : NULL);
}

const char *cli_color_sampling(const bg_options *o, cli_word *word)
{
    if (o->color != BG_COLOR_SAMPLED) return NULL;
    if (o->recursion == BG_RECURSION_ORDERED) return "discrete";
    *word = cli_value(o, "color-sampling");
    return word->text;
}

cli_sentence cli_describe_algorithm(const bg_options *o)
{
    cli_sentence s;
    cli_word word;
    char colors[64] = "", helicities[40] = "";
    const char *how = cli_color_sampling(o, &word);
    if (how && o->color_sampling == BG_COLORS_COHERENT)
        snprintf(colors, sizeof colors, " (%s, groups of %d)", how, o->color_group);
    else if (how)
        snprintf(colors, sizeof colors, " (%s)", how);
    if (o->helicity == BG_HELICITY_SAMPLED)
        snprintf(helicities, sizeof helicities, " (%s)", cli_value(o, "helicity-sampling").text);
    snprintf(s.text, sizeof s.text, "color %s%s, %s recursion, helicity %s%s, %s kernel", cli_value(o, "color").text,
             colors, cli_value(o, "recursion").text, cli_value(o, "helicity").text, helicities,
             bg_options_have_fast_kernel(o) ? cli_value(o, "kernel").text : "paper");
    return s;
}

const char *cli_parse_range(const char *word, void *target)
{
    cli_range *range = target;
    int low, high, end = 0;
    if (sscanf(word, "%d:%d%n", &low, &high, &end) != 2 || word[end]) {
        end = 0;
        if (sscanf(word, "%d%n", &low, &end) != 1 || word[end]) low = 0;
        high = low;
    }
    if (low < BG_MIN_OUT || high > BG_MAX_OUT_DRESSED || low > high)
        return "a number of outgoing gluons from 2 to 12, or a range such as 2:6";
    range->low = low;
    range->high = high;
    return NULL;
}

/* ---- checks --------------------------------------------------------------------------------------------------------------- */

int cli_check_given(const cli_command *command, const cli_common *common)
{
    const bg_options *o = &common->options;
    const char *why = NULL;
    if (bg_options_are_automatic(o)) return CLI_DONE; /* what is drawn is not known yet */
    if (cli_given(common, "helicity-sampling") && o->helicity != BG_HELICITY_SAMPLED)
        why = "--helicity-sampling is for --helicity sampled";
    else if (cli_given(common, "samples") && o->samples > 1 && !bg_options_are_sampled(o))
        why = "--samples is for sampled colors, helicities or orderings; here nothing is sampled";
    else if (cli_given(common, "kernel") && o->kernel == BG_KERNEL_FAST && !bg_options_have_fast_kernel(o))
        why = "there is no fast kernel for these options; it is for --color summed (decomposition adjoint, vertex "
              "quartic) and for --color sampled --recursion dressed with coherent colors";
    if (!why) return CLI_DONE;
    cli_message(command->name, "%s (see blockgen %s --help)", why, command->name);
    return CLI_USAGE;
}

int cli_check_axes(const cli_command *command, const bg_options *options)
{
    bg_options o = *options;
    bg_process *process = NULL;
    bg_evaluator *evaluator = NULL;
    bg_error error;
    if (o.helicity == BG_HELICITY_FIXED) strcpy(o.helicities, "----");
    bg_status status = bg_process_create_gluons(&process, BG_MIN_OUT, &error);
    if (status == BG_OK) status = bg_evaluator_create(&evaluator, process, &o, &error);
    bg_evaluator_destroy(evaluator);
    bg_process_destroy(process);
    if (status != BG_OK) cli_message(command->name, "%s", error.message);
    return cli_exit_status(status);
}

int cli_exit_status(bg_status status)
{
    switch (status) {
    case BG_OK: return CLI_DONE;
    case BG_ERROR_ARGUMENT:
    case BG_ERROR_UNSUPPORTED:
    case BG_ERROR_POINT: return CLI_USAGE;
    case BG_ERROR_MEMORY:
    case BG_ERROR_DEVICE:
    case BG_ERROR_IO:
    case BG_ERROR_COMMUNICATOR: return CLI_FAILED;
    case BG_ERROR_INTERRUPTED: return cli_interrupted() ? CLI_INTERRUPTED : CLI_FAILED; /* the clock may stop, too */
    }
    return CLI_FAILED;
}
