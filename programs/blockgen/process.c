#include "process.h"
#include "console.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of --flavors and --quark-lines. */
enum { FLAVORS = 5, LINES = 3 };
_Static_assert(BG_MIN_FLAVORS == 3 && BG_MAX_FLAVORS == 5, "the range in the text of --flavors");
_Static_assert(BG_MAX_LINES == 5, "the range in the texts of --quark-lines");

const char *cli_parse_lines(const char *word, void *target)
{
    int lines = BG_ALL_LINES;
    if (strcmp(word, "all") != 0) {
        char *end;
        const long number = strtol(word, &end, 10);
        if (end == word || *end || number < 0 || number > BG_MAX_LINES) return "a whole number from 0 to 5, or all";
        lines = (int)number;
    }
    *(int *)target = lines;
    return NULL;
}

int cli_process_make(const char *command, const cli_process *p, bg_process **process)
{
    bg_error error;
    const int flavors = p->flavors != CLI_PROCESS_NOT_GIVEN, lines = p->lines != CLI_PROCESS_NOT_GIVEN;
    *process = NULL;
    if (p->text && p->n_out) {
        cli_message(command, "-n and --process exclude each other; give one of them");
        return CLI_USAGE;
    }
    const bg_status status =
        p->text ? bg_process_parse(process, p->text, flavors ? p->flavors : FLAVORS, lines ? p->lines : LINES, &error)
                : bg_process_create_gluons(process, p->n_out, &error);
    if (status != BG_OK) {
        cli_message(command, "%s", error.message);
        return cli_exit_status(status);
    }
    if (!bg_process_is_open(*process) && (flavors || lines)) {
        char name[128];
        cli_process_name(p, name, sizeof name);
        cli_message(command, "%s has no effect: '%s' has neither p nor j", flavors ? "--flavors" : "--quark-lines",
                    name);
        bg_process_destroy(*process);
        *process = NULL;
        return CLI_USAGE;
    }
    return CLI_DONE;
}

int cli_process_check_given(const char *command, const cli_process *p, const cli_common *common,
                            const bg_process *process)
{
    static const char *const of_protons[] = {"pdf", "scale", "mur", "muf", NULL};
    char name[128];
    cli_process_name(p, name, sizeof name);
    if (bg_process_has_protons(process)) {
        if (!cli_given(common, "alpha-s")) return CLI_DONE;
        cli_message(command, "--alpha-s has no effect: in '%s' the coupling is that of the parton densities", name);
        return CLI_USAGE;
    }
    for (int k = 0; of_protons[k]; k++) {
        if (!cli_given(common, of_protons[k])) continue;
        cli_message(command, "--%s has no effect: '%s' has no protons", of_protons[k], name);
        return CLI_USAGE;
    }
    return CLI_DONE;
}

void cli_process_recursion(cli_common *common, const bg_process *process)
{
    bg_process_class c;
    bg_process_class_init(&c);
    if (!process || common->options.color != BG_COLOR_SAMPLED || cli_given(common, "recursion")) return;
    if (common->algorithm < 0 && bg_process_class_at(process, 0, &c, NULL) == BG_OK && c.quark_lines)
        common->options.recursion = BG_RECURSION_AUTO;
}

void cli_process_name(const cli_process *p, char *name, size_t size)
{
    if (p->text)
        snprintf(name, size, "%s", p->text);
    else
        snprintf(name, size, "g g > %d g", p->n_out);
}

const char *cli_process_densities(const bg_process *process, const bg_integration *w)
{
    if (!bg_process_has_protons(process)) return NULL;
    return w->pdf && *w->pdf ? w->pdf : BG_BUILT_IN_PDF " (built in, for first steps and tests)";
}

const char *cli_process_scale(const bg_integration *w) { return w->scale && *w->scale ? w->scale : "ht/2"; }
