/* blockgen: finds the subcommand and hands the rest of the line to it. */
#include "blockgen/blockgen.h"
#include "commands.h"
#include "console.h"
#include "options.h"
#include "suggest.h"

#include <stdio.h>
#include <string.h>

static const cli_entry commands[] = {
    {"me", command_me, "|M|^2 at given phase-space points"},
    {"integrate", command_integrate, "cross section within cuts"},
    {"generate", command_generate, "events in files that parton showers read"},
    {"event", command_event, "events of a file once more, with all that is computed on the way"},
    {"processes", command_processes, "the subprocesses that a process such as \"p p > 3j\" stands for"},
    {"bench", command_bench, "time and memory of every algorithm"},
    {"study", command_study, "remakes the figures of the paper, and ours"},
    {"selftest", command_selftest, "every algorithm on every backend against built-in reference values"},
    {"info", command_info, "version, hardware in use, what was built in"},
    {"cite", command_cite, "what to cite for a run, as text or BibTeX"},
    {"completion", command_completion, "a script that completes commands and options in a shell"},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

const cli_entry *command_at(int k) { return k >= 0 && k < COMMANDS ? &commands[k] : NULL; }

static void print_commands(FILE *out)
{
    fprintf(out, "Commands:\n");
    for (int k = 0; k < COMMANDS; k++) fprintf(out, "  %-10s %s\n", commands[k].name, commands[k].summary);
}

static void print_help(void)
{
    printf("Usage: blockgen COMMAND [OPTION]...\n"
           "Tree-level scattering of quarks and gluons with full color: matrix elements, cross sections, events.\n\n");
    print_commands(stdout);
    printf("\n  --version  print the version and the commit\n"
           "  --help     this text\n\n"
           "blockgen COMMAND --help describes a command.\n");
}

/* argv[1] names it. */
static int run_command(int argc, char **argv)
{
    for (int k = 0; k < COMMANDS; k++)
        if (!strcmp(argv[1], commands[k].name)) {
            int status = commands[k].run(argc - 1, argv + 1);
            cli_progress_clear();
            if (cli_output_failed(commands[k].name) && status != CLI_INTERRUPTED) status = CLI_FAILED;
            return status;
        }
    suggestion right = suggestion_for(argv[1]);
    for (int k = 0; k < COMMANDS; k++) suggestion_offer(&right, commands[k].name);
    cli_message(NULL, "unknown command '%s'%s%s%s (see blockgen --help)", argv[1],
                right.nearest ? "; did you mean " : "", right.nearest ? right.nearest : "", right.nearest ? "?" : "");
    return CLI_USAGE;
}

int main(int argc, char **argv)
{
    cli_install_signals();
    if (argc < 2) {
        cli_message(NULL, "no command given (see blockgen --help)");
        print_commands(stderr);
        return CLI_USAGE;
    }
    char help[] = "--help";
    char *of_command[] = {argv[0], argc > 2 ? argv[2] : NULL, help, NULL};
    if (!strcmp(argv[1], "help") && argc > 2) return run_command(3, of_command);
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
        print_help();
        return cli_output_failed(NULL) ? CLI_FAILED : CLI_DONE;
    }
    if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
        printf("blockgen %s\n", bg_version_string());
        return cli_output_failed(NULL) ? CLI_FAILED : CLI_DONE;
    }
    return run_command(argc, argv);
}
