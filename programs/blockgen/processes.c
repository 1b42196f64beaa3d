/* blockgen processes: the classes of subprocesses that a process stands for. */
#include "commands.h"
#include "console.h"
#include "json.h"
#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of --flavors and --quark-lines. */
enum { FLAVORS = 5, LINES = 3 };
_Static_assert(BG_MIN_FLAVORS == 3 && BG_MAX_FLAVORS == 5, "the range in the text of --flavors");
_Static_assert(BG_MAX_LINES == 5, "the range in the texts of --quark-lines");

/* For --quark-lines: a number or "all". */
static const char *parse_lines(const char *word, void *target)
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

static bg_process_class class_at(const bg_process *process, int k)
{
    bg_process_class c;
    bg_process_class_init(&c);
    (void)bg_process_class_at(process, k, &c, NULL); /* k is in its range */
    return c;
}

static void as_text(const bg_process *process)
{
    const int classes = bg_process_classes(process);
    int channels = 0;
    printf("%-44s %8s %12s\n", "process", "channels", "quark lines");
    for (int k = 0; k < classes; k++) {
        const bg_process_class c = class_at(process, k);
        printf("%-44s %8d %12d\n", c.name, c.channels, c.quark_lines);
        channels += c.channels;
    }
    printf("%d class%s, %d channel%s\n", classes, classes == 1 ? "" : "es", channels, channels == 1 ? "" : "s");
}

static void as_json(const char *text, const bg_process *process)
{
    json j = json_start(stdout);
    json_open(&j, NULL, '{');
    json_text(&j, "process", text);
    json_open(&j, "classes", '[');
    for (int k = 0; k < bg_process_classes(process); k++) {
        const bg_process_class c = class_at(process, k);
        json_open(&j, NULL, '{');
        json_text(&j, "process", c.name);
        json_integer(&j, "channels", c.channels);
        json_integer(&j, "quark_lines", c.quark_lines);
        json_close(&j);
    }
    json_close(&j);
    json_close(&j);
}

int command_processes(int argc, char **argv)
{
    enum { NOT_GIVEN = -2 };
    int flavors = NOT_GIVEN, lines = NOT_GIVEN;
    const cli_option own[] = {
        {.name = "flavors",
         .kind = CLI_KIND_INTEGER,
         .argument = "N",
         .target = &flavors,
         .low = BG_MIN_FLAVORS,
         .high = BG_MAX_FLAVORS,
         .help = "light flavors in p and j, 3 to 5 (5)"},
        {.name = "quark-lines",
         .kind = CLI_KIND_CUSTOM,
         .argument = "K|all",
         .target = &lines,
         .parse = parse_lines,
         .help = "most quark lines of a subprocess of p and j, 0 to 5 (3)"},
        {.name = NULL},
    };
    const cli_command command = {
        .name = "processes",
        .operands = "PROCESS",
        .summary = "Lists the classes of subprocesses that a process stands for.",
        .details =
            "PROCESS is such as \"u g > u g g\", \"g g > 4g\", \"2 21 > 2 21 21\" or \"p p > 3j\": p is a proton, j a\n"
            "gluon or any light quark or antiquark. Channels that differ by the names of flavors, by exchanging\n"
            "quarks and antiquarks or by exchanging the beams have the same matrix element and make a class.",
        .own = own,
        .max_operands = 1,
    };
    cli_common common;
    bg_process *process;
    bg_error error;
    int status;
    if (cli_parse(&command, argc, argv, &common, &status)) return status;
    if (!common.operand_count) {
        cli_message(command.name, "no process given, such as \"p p > 3j\" (see blockgen processes --help)");
        return CLI_USAGE;
    }
    if (bg_process_parse(&process, common.operands[0], flavors == NOT_GIVEN ? FLAVORS : flavors,
                         lines == NOT_GIVEN ? LINES : lines, &error) != BG_OK) {
        cli_message(command.name, "%s", error.message);
        return cli_exit_status(error.status);
    }
    if (!bg_process_is_open(process) && (flavors != NOT_GIVEN || lines != NOT_GIVEN)) {
        cli_message(command.name, "%s has no effect: '%s' has neither p nor j",
                    flavors != NOT_GIVEN ? "--flavors" : "--quark-lines", common.operands[0]);
        bg_process_destroy(process);
        return CLI_USAGE;
    }
    if (common.json)
        as_json(common.operands[0], process);
    else
        as_text(process);
    bg_process_destroy(process);
    return CLI_DONE;
}
