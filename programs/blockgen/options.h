/* The command line of every subcommand.
 *
 * The library has a table of its options: those of an algorithm, and those of an integration. A command says which of them
 * it takes, and has a table of its own for the rest; --json, --quiet, --config and --help come with every one. The same
 * tables give the parser, files of --config and the --help text (help.c).
 *
 *     const char *folder = NULL;
 *     const cli_option own[] = {
 *         {.name = "histograms", .kind = CLI_KIND_TEXT, .argument = "DIR", .target = &folder, .help = "..."},
 *         {.name = NULL},
 *     };
 *     const cli_command command = {.name = "integrate", .summary = "total cross section", .own = own,
 *                                  .algorithm = 1, .integration = &integration};
 *     cli_common common;
 *     int status;
 *     if (cli_parse(&command, argc, argv, &common, &status)) return status;   (after --help or bad usage)
 *
 * Options may be written --name VALUE, --name=VALUE, -n VALUE or -nVALUE and may stand anywhere; the word after
 * an option that takes a value is that value even when it begins with '-' (helicities do). "--" ends them. Counts may be
 * written 1e6.
 */
#ifndef BG_PROGRAM_OPTIONS_H
#define BG_PROGRAM_OPTIONS_H

#include "blockgen/blockgen.h"
#include "json.h"

/* Exit statuses of the program. */
enum { CLI_DONE = 0, CLI_FAILED = 1, CLI_USAGE = 2, CLI_INTERRUPTED = 130 };

/* ---- a command and its options ------------------------------------------------------------------------------- */

typedef enum cli_kind {
    CLI_KIND_FLAG,    /* int *: set to 1 */
    CLI_KIND_CHOICE,  /* int *: index of the word in `choices` */
    CLI_KIND_INTEGER, /* int * */
    CLI_KIND_REAL,    /* double * */
    CLI_KIND_TEXT,    /* const char **: the word itself */
    CLI_KIND_CUSTOM   /* whatever `parse` makes of the word */
} cli_kind;

/* Parses a word into `target`. Returns NULL, or what the value must be ("it must be " is put before it). */
typedef const char *cli_parse_function(const char *word, void *target);

/* An option of the program's own. */
typedef struct cli_option {
    const char *name; /* without the dashes; NULL ends a table */
    char letter;      /* short form, or 0 */
    cli_kind kind;
    const char *argument; /* name of the value in --help; NULL: from the choices, or none */
    void *target;         /* left alone unless the option is given */
    const char *const *choices;
    double low, high; /* of numbers, inclusive */
    cli_parse_function *parse;
    const char *help; /* what it does, with its default */
} cli_option;

typedef struct cli_command {
    const char *name;     /* "me" */
    const char *operands; /* as shown in the usage line, "[FILE]"; NULL: none */
    const char *summary;  /* one line */
    const char *details;  /* paragraphs for --help, may be NULL */
    const cli_option *own;
    int algorithm;               /* 1: takes the library's options of an algorithm */
    const char *const *only;     /* of them only these, NULL at the end; NULL: all */
    int chooses;                 /* 1: color, recursion and helicity are chosen unless they are given */
    const char *precision;       /* the command's own default of --precision, for --help; NULL: the library's */
    bg_integration *integration; /* takes the library's options of an integration, into this; NULL: it does not */
    const char *const *without;  /* of them not these, NULL at the end; NULL: all */
    int max_operands;
    const char *const *operand_values; /* that the operands may be, NULL at the end; NULL: anything. For completion */
    int silent;                        /* --help prints nothing: another rank does */
} cli_command;

enum {
    CLI_MOST_SETTINGS = 256, /* on a command line and in a file of options, together */
    CLI_MOST_OPERANDS = 64
};

/* What was said on the command line, but for the command's own options. */
typedef struct cli_common {
    bg_options options;                        /* the preset first, then every axis that was given */
    int algorithm;                             /* bg_algorithm of --algorithm, or -1 */
    const bg_option *given[CLI_MOST_SETTINGS]; /* options of the library that were given */
    int given_count;
    int json, quiet;
    int operand_count;
    const char *operands[CLI_MOST_OPERANDS];
} cli_common;

/* Parses argv[1..]. Returns 0 when the command is to go on; otherwise 1, with the exit status (0 after --help, 2
 * after bad usage, 1 where the backend that was asked for is not there), and everything there was to say is said. */
int cli_parse(const cli_command *command, int argc, char **argv, cli_common *common, int *status);

/* Says whether an option of the library was given: some commands loop over the values of those that were not. */
int cli_given(const cli_common *common, const char *name);

/* Says whether a command takes an option of the library's table. */
int cli_takes(const cli_command *command, const bg_option *option);

/* The default of an option of the library for a command: a command that chooses has axes of its own, and one may have a
 * precision of its own. */
const char *cli_standard(const cli_command *command, const bg_option *option);

/* The options that every command has: --json, --quiet, --config, --help. */
enum { CLI_SHARED = 5 };
typedef struct cli_shared {
    const char *config;
    int help;
    cli_option table[CLI_SHARED];
} cli_shared;

/* help.c: the text of --help. */
void cli_print_help(const cli_command *command, const cli_option *shared);

/* From now on cli_parse() shows the tables of the command to `visit` instead of reading the line, and the command ends;
 * NULL: as before. For completion.c, which wants the options of all commands. */
typedef void cli_visitor(const cli_command *command, const cli_option *shared, void *user);
void cli_visit(cli_visitor *visit, void *user);

/* ---- checks before anything is computed -------------------------------------------------------------------------- */

/* Refuses options that were given and would have nothing to say: --helicity-sampling without sampled helicities,
 * --samples where nothing is sampled, --kernel fast where there is none. Says which, and returns as the next. */
int cli_check_given(const cli_command *command, const cli_common *common);

/* Refuses combinations of axes that make no sense at any n_out, before any input is read. Says why and returns
 * the exit status, or CLI_DONE. */
int cli_check_axes(const cli_command *command, const bg_options *options);

/* For CLI_KIND_CUSTOM: a number of outgoing gluons or a range "2:6" into a cli_range. */
typedef struct cli_range {
    int low, high;
} cli_range;
const char *cli_parse_range(const char *word, void *target);

/* The exit status that belongs to a status of the library. */
int cli_exit_status(bg_status status);

/* ---- options as words ----------------------------------------------------------------------------------------------- */

typedef struct cli_word {
    char text[32];
} cli_word;

/* The value of an option of an algorithm as it is written on the command line: cli_value(o, "color").text. */
cli_word cli_value(const bg_options *options, const char *name);

/* The axes that were resolved, as members of the object that is open. */
void cli_json_axes(json *j, const bg_options *options);

/* The member "helicity_sampling": how helicities are drawn, or null where they are not sampled. */
void cli_json_helicity_sampling(json *j, const bg_options *options);

/* How colors are drawn: "coherent", "discrete", ...; NULL where they are not sampled. */
const char *cli_color_sampling(const bg_options *options, cli_word *word);

/* All of it in words: "color sampled (coherent, groups of 32), dressed recursion, helicity sampled (invariants), fast
 * kernel". */
typedef struct cli_sentence {
    char text[320];
} cli_sentence;
cli_sentence cli_describe_algorithm(const bg_options *options);

#endif
