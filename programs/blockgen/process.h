/* The process that a command is about: --process, --flavors and --quark-lines, or -n for gluons alone. */
#ifndef BG_PROGRAM_PROCESS_H
#define BG_PROGRAM_PROCESS_H

#include "options.h"

typedef struct cli_process {
    const char *text; /* of --process; NULL: not given */
    int n_out;        /* of -n; 0: not given */
    int flavors, lines;
} cli_process;

enum { CLI_PROCESS_NOT_GIVEN = -2 };
#define CLI_PROCESS_NONE                                                                                               \
    {                                                                                                                  \
        .flavors = CLI_PROCESS_NOT_GIVEN, .lines = CLI_PROCESS_NOT_GIVEN                                               \
    }

/* For --quark-lines: a number or "all". */
cli_parse_function cli_parse_lines;

/* Rows of a command's options. */
#define CLI_GLUONS_OPTION(p)                                                                                           \
    {                                                                                                                  \
        .name = "n-out", .letter = 'n', .kind = CLI_KIND_INTEGER, .argument = "N_OUT", .target = &(p)->n_out,          \
        .low = BG_MIN_OUT, .high = BG_MAX_OUT_DRESSED, .help = "short for --process \"g g > N_OUT g\""                 \
    }
#define CLI_PROCESS_OPTION(p)                                                                                          \
    {                                                                                                                  \
        .name = "process", .kind = CLI_KIND_TEXT, .argument = "PROCESS", .target = &(p)->text,                         \
        .help = "what scatters, such as \"u g > u g g\" or \"2 21 > 2 21 21\""                                         \
    }
#define CLI_FLAVOR_OPTIONS(p)                                                                                          \
    {.name = "flavors",                                                                                                \
     .kind = CLI_KIND_INTEGER,                                                                                         \
     .argument = "N",                                                                                                  \
     .target = &(p)->flavors,                                                                                          \
     .low = BG_MIN_FLAVORS,                                                                                            \
     .high = BG_MAX_FLAVORS,                                                                                           \
     .help = "light flavors in p and j, 3 to 5 (5)"},                                                                  \
    {                                                                                                                  \
        .name = "quark-lines", .kind = CLI_KIND_CUSTOM, .argument = "K|all", .target = &(p)->lines,                    \
        .parse = cli_parse_lines, .help = "most quark lines of a subprocess of p and j, 0 to 5 (3)"                    \
    }

/* Makes it; says what is wrong otherwise, and returns the exit status. */
int cli_process_make(const char *command, const cli_process *p, bg_process **process);

/* Refuses options that were given and have no effect on this process: of densities and scales without protons, of the coupling with
 * them. Says which, and returns the exit status or CLI_DONE. */
int cli_process_check_given(const char *command, const cli_process *p, const cli_common *common,
                            const bg_process *process);

/* With quarks, sampled colors have one recursion: where none was asked for, it is left to the library. */
void cli_process_recursion(cli_common *common, const bg_process *process);

/* As the process is called in output: what was given, or g g > N g. */
void cli_process_name(const cli_process *p, char *name, size_t size);

/* The parton densities of the protons in words; NULL where there are none. And their scale. */
const char *cli_process_densities(const bg_process *process, const bg_integration *integration);
const char *cli_process_scale(const bg_integration *integration);

#endif
