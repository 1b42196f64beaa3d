/* The command line of every subcommand, from one table.
 *
 * A subcommand describes its own options in an array of cli_option; the axes of an algorithm (color,
 * recursion, ...) and --json, --quiet, --help come with every one that asks for them. The same tables
 * give the parser and the --help text.
 *
 *     double precision = 0.01;
 *     const cli_option own[] = {
 *         CLI_REAL("precision", 0, "P", &precision, 1e-9, 1., "relative error to stop at"),
 *         CLI_LAST,
 *     };
 *     const cli_command command = {.name = "integrate", .summary = "total cross section", .own = own, .axes = 1};
 *     cli_common common;
 *     int status;
 *     if (cli_parse(&command, argc, argv, &common, &status)) return status;   (after --help or bad usage)
 *
 * Options may be written --name VALUE, --name=VALUE, -n VALUE or -nVALUE and may stand anywhere; the word after
 * an option that takes a value is that value even when it begins with '-' (helicities do). "--" ends them.
 */
#ifndef BG_PROGRAM_OPTIONS_H
#define BG_PROGRAM_OPTIONS_H

#include "blockgen/blockgen.h"
#include "json.h"

/* Exit statuses of the program. */
enum { CLI_DONE = 0, CLI_FAILED = 1, CLI_USAGE = 2, CLI_INTERRUPTED = 130 };

typedef enum cli_kind {
    CLI_KIND_LAST = 0,
    CLI_KIND_FLAG,     /* int *: set to 1 */
    CLI_KIND_CHOICE,   /* int *: index of the word in `choices` */
    CLI_KIND_INTEGER,  /* int * */
    CLI_KIND_UNSIGNED, /* uint64_t * */
    CLI_KIND_REAL,     /* double * */
    CLI_KIND_TEXT,     /* const char **: the word itself */
    CLI_KIND_CUSTOM    /* whatever `parse` makes of the word */
} cli_kind;

/* Parses a word into `target`. Returns NULL, or what the value must be ("it must be " is put before it). */
typedef const char *cli_parse_function(const char *word, void *target);

typedef struct cli_option {
    const char *name; /* without the dashes */
    char letter;      /* short form, or 0 */
    cli_kind kind;
    const char *argument; /* name of the value in --help; NULL: from the choices, or none */
    void *target;         /* left alone unless the option is given */
    const char *const *choices;
    double low, high;  /* of numbers, inclusive */
    const char *valid; /* the range in words, where low and high do not say it; may be NULL */
    cli_parse_function *parse;
    const char *help; /* what it does, with its default */
} cli_option;

#define CLI_FLAG(name, letter, target, help)                                                                           \
    {                                                                                                                  \
        name, letter, CLI_KIND_FLAG, NULL, target, NULL, 0., 0., NULL, NULL, help                                      \
    }
#define CLI_CHOICE(name, letter, target, choices, help)                                                                \
    {                                                                                                                  \
        name, letter, CLI_KIND_CHOICE, NULL, target, choices, 0., 0., NULL, NULL, help                                 \
    }
#define CLI_INTEGER(name, letter, argument, target, low, high, help)                                                   \
    {                                                                                                                  \
        name, letter, CLI_KIND_INTEGER, argument, target, NULL, low, high, NULL, NULL, help                            \
    }
/* uint64_t; `high` is 0 where all are good */
#define CLI_UNSIGNED(name, letter, argument, target, low, high, help)                                                  \
    {                                                                                                                  \
        name, letter, CLI_KIND_UNSIGNED, argument, target, NULL, low, high, NULL, NULL, help                           \
    }
#define CLI_REAL(name, letter, argument, target, low, high, help)                                                      \
    {                                                                                                                  \
        name, letter, CLI_KIND_REAL, argument, target, NULL, low, high, NULL, NULL, help                               \
    }
#define CLI_TEXT(name, letter, argument, target, help)                                                                 \
    {                                                                                                                  \
        name, letter, CLI_KIND_TEXT, argument, target, NULL, 0., 0., NULL, NULL, help                                  \
    }
#define CLI_CUSTOM(name, letter, argument, target, parse, help)                                                        \
    {                                                                                                                  \
        name, letter, CLI_KIND_CUSTOM, argument, target, NULL, 0., 0., NULL, parse, help                               \
    }
#define CLI_LAST                                                                                                       \
    {                                                                                                                  \
        NULL, 0, CLI_KIND_LAST, NULL, NULL, NULL, 0., 0., NULL, NULL, NULL                                             \
    }

typedef struct cli_command {
    const char *name;     /* "me" */
    const char *operands; /* as shown in the usage line, "[FILE]"; NULL: none */
    const char *summary;  /* one line */
    const char *details;  /* paragraphs for --help, may be NULL */
    const cli_option *own;
    int axes; /* 1: takes the axes of an algorithm */
    int max_operands;
} cli_command;

/* What the shared options said. */
typedef struct cli_common {
    bg_options options; /* the preset first, then every axis that was given */
    int algorithm;      /* bg_algorithm of --algorithm, or -1 */
    unsigned given;     /* CLI_GIVEN_... of the axes that were given explicitly */
    int json, quiet;
    int operand_count;
    const char *operands[8];
} cli_common;

/* Axes that were given by name, for commands that loop over those that were not. */
enum {
    CLI_GIVEN_COLOR = 1 << 0,
    CLI_GIVEN_RECURSION = 1 << 1,
    CLI_GIVEN_HELICITY = 1 << 2,
    CLI_GIVEN_KERNEL = 1 << 3,
    CLI_GIVEN_BACKEND = 1 << 4,
    CLI_GIVEN_VERTEX = 1 << 5,
    CLI_GIVEN_SAMPLES = 1 << 6,
    CLI_GIVEN_THREADS = 1 << 7,
    CLI_GIVEN_HELICITY_SAMPLING = 1 << 8
};

/* Parses argv[1..]. Returns 0 when the command is to go on; otherwise 1, with the exit status (0 after --help, 2
 * after bad usage, 1 where the backend that was asked for is not there), and everything there was to say is said. */
int cli_parse(const cli_command *command, int argc, char **argv, cli_common *common, int *status);

/* Refuses options that were given and would have nothing to say: --helicity-sampling without sampled helicities,
 * --samples where nothing is sampled, --kernel fast where there is none. Says which, and returns as the next. */
int cli_check_given(const cli_command *command, const cli_common *common);

/* Whether anything is drawn at random. */
int cli_is_sampled(const bg_options *options);

/* Refuses combinations of axes that make no sense at any n_out, before any input is read. Says why and returns
 * the exit status, or CLI_DONE. */
int cli_check_axes(const cli_command *command, const bg_options *options);

/* For CLI_CUSTOM: a number of outgoing gluons or a range "2:6" into a cli_range. */
typedef struct cli_range {
    int low, high;
} cli_range;
const char *cli_parse_range(const char *word, void *target);

/* The exit status that belongs to a status of the library. */
int cli_exit_status(bg_status status);

/* Words of the axes, indexed by the enumerations of blockgen.h; NULL ends each. */
extern const char *const cli_color_words[];
extern const char *const cli_recursion_words[];
extern const char *const cli_kernel_words[];
extern const char *const cli_vertex_words[];
extern const char *const cli_orderings_words[];
extern const char *const cli_decomposition_words[];
extern const char *const cli_layout_words[];
extern const char *const cli_helicity_sampling_words[];
extern const char *const cli_color_sampling_words[];
extern const char *const cli_backend_words[];

/* "summed", "sampled", or the helicities themselves. */
const char *cli_helicity_word(const bg_options *options);

/* The axes that were resolved, as members of the object that is open. */
void cli_json_axes(json *j, const bg_options *options);

#endif
