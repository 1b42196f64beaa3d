/* blockgen processes: the classes of subprocesses that a process stands for. */
#include "commands.h"
#include "console.h"
#include "json.h"
#include "options.h"
#include "process.h"

#include <stdio.h>

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
    cli_process asked = CLI_PROCESS_NONE;
    const cli_option own[] = {CLI_FLAVOR_OPTIONS(&asked), {.name = NULL}};
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
    int status;
    if (cli_parse(&command, argc, argv, &common, &status)) return status;
    if (!common.operand_count) {
        cli_message(command.name, "no process given, such as \"p p > 3j\" (see blockgen processes --help)");
        return CLI_USAGE;
    }
    asked.text = common.operands[0];
    status = cli_process_make(command.name, &asked, &process);
    if (status != CLI_DONE) return status;
    if (common.json)
        as_json(common.operands[0], process);
    else
        as_text(process);
    bg_process_destroy(process);
    return CLI_DONE;
}
