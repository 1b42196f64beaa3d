#include "options.h"
#include "console.h"
#include "engine/choice.h"
#include "backend/plan.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- words of the axes ------------------------------------------------------------------------- */

const char *const cli_color_words[] = {"summed", "sampled", "leading", "auto", NULL};
const char *const cli_recursion_words[] = {"ordered", "dressed", "auto", NULL};
const char *const cli_kernel_words[] = {"fast", "paper", NULL};
const char *const cli_vertex_words[] = {"quartic", "tensor", NULL};
const char *const cli_orderings_words[] = {"all", "one", NULL};
const char *const cli_decomposition_words[] = {"adjoint", "trace", NULL};
const char *const cli_layout_words[] = {"events", "cooperative", NULL};
const char *const cli_helicity_sampling_words[] = {"angle",    "phase",      "linear", "circular",
                                                   "adaptive", "invariants", NULL};
const char *const cli_color_sampling_words[] = {"auto", "continuous", "discrete", "coherent", NULL};
const char *const cli_backend_words[] = {"auto", "cpu", "cuda", NULL};
static const char *const algorithm_words[] = {"tess", "lc", "co-sum", "co-mc", "cd-mc", NULL};

const char *cli_helicity_word(const bg_options *o)
{
    return o->helicity == BG_HELICITY_SUMMED    ? "summed"
           : o->helicity == BG_HELICITY_SAMPLED ? "sampled"
           : o->helicity == BG_HELICITY_AUTO    ? "auto"
                                                : o->helicities;
}

void cli_json_axes(json *j, const bg_options *o)
{
    json_text(j, "color", cli_color_words[o->color]);
    json_text(j, "recursion", cli_recursion_words[o->recursion]);
    json_text(j, "helicity", cli_helicity_word(o));
    json_text(j, "kernel", cli_kernel_words[o->kernel]);
    json_text(j, "backend", o->backend);
}

/* summed, sampled, auto or a string of + and -. */
static const char *parse_helicity(const char *word, void *target)
{
    bg_options *o = target;
    const size_t length = strlen(word);
    if (!strcmp(word, "summed")) {
        o->helicity = BG_HELICITY_SUMMED;
    } else if (!strcmp(word, "sampled")) {
        o->helicity = BG_HELICITY_SAMPLED;
    } else if (!strcmp(word, "auto")) {
        o->helicity = BG_HELICITY_AUTO;
    } else if (length >= 2 + BG_MIN_OUT && length <= 2 + BG_MAX_OUT_DRESSED && strspn(word, "+-") == length) {
        o->helicity = BG_HELICITY_FIXED;
        memset(o->helicities, 0, sizeof o->helicities);
        memcpy(o->helicities, word, length);
    } else {
        return "summed, sampled, auto or 4 to 14 signs such as +-+--+, incoming gluons first";
    }
    return NULL;
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

/* ---- the shared tables --------------------------------------------------------------------------- */

/* The axes as the table sees them: enumerations are plain integers here. */
typedef struct axes {
    bg_options *options;
    int algorithm, color, recursion, kernel, backend, helicity_sampling, color_sampling, vertex, decomposition,
        orderings, layout, no_rescue;
} axes;

static void axes_from_options(axes *a)
{
    const bg_options *o = a->options;
    a->color = (int)o->color;
    a->recursion = (int)o->recursion;
    a->kernel = (int)o->kernel;
    a->helicity_sampling = (int)o->helicity_sampling;
    a->color_sampling = (int)o->color_sampling;
    a->vertex = (int)o->vertex;
    a->decomposition = (int)o->decomposition;
    a->orderings = (int)o->orderings;
    a->layout = (int)o->layout;
}

static void axes_to_options(const axes *a)
{
    bg_options *o = a->options;
    o->color = (bg_color)a->color;
    o->recursion = (bg_recursion)a->recursion;
    o->kernel = (bg_kernel)a->kernel;
    o->helicity_sampling = (bg_helicity_sampling)a->helicity_sampling;
    o->color_sampling = (bg_color_sampling)a->color_sampling;
    o->vertex = (bg_vertex)a->vertex;
    o->decomposition = (bg_decomposition)a->decomposition;
    o->orderings = (bg_orderings)a->orderings;
    o->layout = (bg_layout)a->layout;
    o->rescue = !a->no_rescue;
    snprintf(o->backend, sizeof o->backend, "%s", cli_backend_words[a->backend]);
}

enum { AXES = 20, SHARED = 4 };

static void fill_axes_table(axes *a, cli_option table[AXES])
{
    bg_options *o = a->options;
    const cli_option filled[AXES] = {
        CLI_CHOICE("algorithm", 0, &a->algorithm, algorithm_words,
                   "one of the paper's algorithms; sets the axes below, those that are given override it"),
        CLI_CHOICE("color", 0, &a->color, cli_color_words, "how colors are treated (summed); auto: the fastest, of recursion and helicity too"),
        CLI_CHOICE("recursion", 0, &a->recursion, cli_recursion_words, "currents of the recursion (ordered)"),
        CLI_CUSTOM("helicity", 0, "summed|sampled|auto|STRING", o, parse_helicity,
                   "how helicities are treated (summed); STRING like +-+--+, incoming first"),
        CLI_CHOICE("kernel", 0, &a->kernel, cli_kernel_words, "the fastest kernel, or the paper's own (fast)"),
        CLI_CHOICE("backend", 0, &a->backend, cli_backend_words, "where to run (auto: cuda where a device is there)"),
        CLI_CHOICE("helicity-sampling", 0, &a->helicity_sampling, cli_helicity_sampling_words,
                   "how sampled helicities are drawn (angle)"),
        CLI_CHOICE("color-sampling", 0, &a->color_sampling, cli_color_sampling_words,
                   "how sampled colors of the dressed recursion are drawn (auto: coherent, or continuous with the paper's kernel)"),
        CLI_INTEGER("color-group", 0, "K", &o->color_group, 0, 32,
                    "coherent sampling: events that share colors, a power of two, 0 for a good choice (0)"),
        CLI_CHOICE("vertex", 0, &a->vertex, cli_vertex_words,
                   "four-gluon vertex of the ordered recursion: explicit, or an auxiliary tensor (quartic)"),
        CLI_CHOICE("decomposition", 0, &a->decomposition, cli_decomposition_words,
                   "basis of the color sum; trace is for n_out <= 4 (adjoint)"),
        CLI_CHOICE("orderings", 0, &a->orderings, cli_orderings_words,
                   "leading color: all orderings, or one random ordering a draw (all)"),
        CLI_CHOICE("layout", 0, &a->layout, cli_layout_words,
                   "leading color: one lane an event, or several (events; tess: cooperative)"),
        CLI_INTEGER("samples", 0, "K", &o->samples, 1, INT_MAX, "draws a point where something is sampled (1)"),
        CLI_INTEGER("threads", 0, "N", &o->threads, 0, 4096, "CPU threads, 0 for all cores (0)"),
        CLI_INTEGER("device", 0, "K", &o->device, 0, INT_MAX, "which device of a GPU backend (the first; MPI ranks take turns)"),
        CLI_UNSIGNED("seed", 0, "S", &o->seed, 0, 0, "seed of the random numbers (1)"),
        CLI_REAL("alpha-s", 0, "X", &o->alpha_s, 1e-6, 10., "strong coupling (0.118)"),
        CLI_FLAG("no-rescue", 0, &a->no_rescue,
                 "do not evaluate unstable points (nearly collinear gluons) again in 128-bit floats"),
        CLI_LAST,
    };
    memcpy(table, filled, sizeof filled);
}

static void fill_shared_table(cli_common *common, int *help, cli_option table[SHARED])
{
    const cli_option filled[SHARED] = {
        CLI_FLAG("json", 0, &common->json, "results as one JSON document"),
        CLI_FLAG("quiet", 0, &common->quiet, "no progress on standard error"),
        CLI_FLAG("help", 'h', help, "this text"),
        CLI_LAST,
    };
    memcpy(table, filled, sizeof filled);
}

static unsigned given_flag(const char *name)
{
    static const struct {
        const char *name;
        unsigned flag;
    } flags[] = {{"color", CLI_GIVEN_COLOR},     {"recursion", CLI_GIVEN_RECURSION}, {"helicity", CLI_GIVEN_HELICITY},
                 {"kernel", CLI_GIVEN_KERNEL},   {"backend", CLI_GIVEN_BACKEND},     {"vertex", CLI_GIVEN_VERTEX},
                 {"samples", CLI_GIVEN_SAMPLES}, {"threads", CLI_GIVEN_THREADS},
                 {"helicity-sampling", CLI_GIVEN_HELICITY_SAMPLING}};
    for (size_t k = 0; k < sizeof flags / sizeof *flags; k++)
        if (!strcmp(name, flags[k].name)) return flags[k].flag;
    return 0;
}

/* ---- help ---------------------------------------------------------------------------------------- */

static void describe_value(const cli_option *o, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    if (o->argument) {
        snprintf(text, size, "%s", o->argument);
        return;
    }
    for (int k = 0; o->choices && o->choices[k] && used < size; k++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", k ? "|" : "", o->choices[k]);
}

static void print_options(const char *title, const cli_option *table)
{
    if (!table || !table->name) return;
    printf("\n%s\n", title);
    for (; table->name; table++) {
        char value[96], left[160], letter[8] = "";
        describe_value(table, value, sizeof value);
        if (table->letter) snprintf(letter, sizeof letter, "-%c, ", table->letter);
        snprintf(left, sizeof left, "  %s%s%s%s%s", letter, strlen(table->name) == 1 ? "-" : "--", table->name,
                 *value ? " " : "", value);
        if (strlen(left) <= 29)
            printf("%-30s%s\n", left, table->help);
        else
            printf("%s\n%30s%s\n", left, "", table->help);
    }
}

static void print_help(const cli_command *command, const cli_option *axes_table, const cli_option *shared)
{
    printf("Usage: blockgen %s [OPTION]...%s%s\n%s\n", command->name, command->operands ? " " : "",
           command->operands ? command->operands : "", command->summary);
    if (command->details) printf("\n%s\n", command->details);
    print_options("Options:", command->own);
    if (command->axes) print_options("The algorithm:", axes_table);
    print_options("Output:", shared);
    printf("\nExit status: 0 done; 1 it could not be done; 2 bad usage or bad input; 130 interrupted.\n");
}

/* ---- values -------------------------------------------------------------------------------------- */

static void say_range(const cli_option *o, char *text, size_t size)
{
    if (o->valid)
        snprintf(text, size, "%s", o->valid);
    else if (o->kind == CLI_KIND_UNSIGNED && !(o->high > 0.))
        snprintf(text, size, "a whole number from %.0f to %" PRIu64, o->low, UINT64_MAX);
    else if (o->kind == CLI_KIND_INTEGER || o->kind == CLI_KIND_UNSIGNED)
        snprintf(text, size, "a whole number from %.0f to %.0f", o->low, o->high);
    else
        snprintf(text, size, "a number from %g to %g", o->low, o->high);
}

/* Stores the value of an option. Returns 0, or 1 with what it must be. */
static int store_value(const cli_option *o, const char *word, char *must, size_t size)
{
    char *end = NULL;
    const int begins_well = word && *word && !isspace((unsigned char)*word);
    errno = 0;
    switch (o->kind) {
    case CLI_KIND_FLAG: *(int *)o->target = 1; return 0;
    case CLI_KIND_TEXT: *(const char **)o->target = word; return 0;
    case CLI_KIND_CHOICE:
        for (int k = 0; o->choices[k]; k++)
            if (!strcmp(word, o->choices[k])) {
                *(int *)o->target = k;
                return 0;
            }
        must[0] = '\0';
        for (int k = 0; o->choices[k]; k++) {
            const size_t used = strlen(must);
            snprintf(must + used, size - used, "%s%s", !k ? "" : o->choices[k + 1] ? ", " : " or ", o->choices[k]);
        }
        return 1;
    case CLI_KIND_INTEGER: {
        const long x = strtol(word, &end, 10);
        say_range(o, must, size);
        if (!begins_well || *end || errno || (double)x < o->low || (double)x > o->high) return 1;
        *(int *)o->target = (int)x;
        return 0;
    }
    case CLI_KIND_UNSIGNED: {
        const unsigned long long x = strtoull(word, &end, 10);
        say_range(o, must, size);
        if (!begins_well || *word == '-' || *end || errno || (double)x < o->low || (o->high > 0. && x > (uint64_t)o->high)) return 1;
        *(uint64_t *)o->target = x;
        return 0;
    }
    case CLI_KIND_REAL: {
        const double x = strtod(word, &end);
        say_range(o, must, size);
        if (!begins_well || *end || !(x >= o->low && x <= o->high)) return 1;
        *(double *)o->target = x;
        return 0;
    }
    case CLI_KIND_CUSTOM: {
        const char *reason = o->parse(word, o->target);
        if (reason) snprintf(must, size, "%s", reason);
        return reason != NULL;
    }
    case CLI_KIND_LAST: break;
    }
    return 1;
}

/* ---- the walk along the line --------------------------------------------------------------------- */

typedef struct walk {
    const cli_command *command;
    const cli_option *tables[3];
    cli_common *common;
    const int *help;
} walk;

static const cli_option *find_option(const walk *w, const char *name, size_t length, int letter)
{
    for (int t = 0; t < 3; t++)
        for (const cli_option *o = w->tables[t]; o && o->name; o++) {
            if (letter && o->letter == letter) return o;
            if (!letter && strlen(o->name) == length && !strncmp(o->name, name, length)) return o;
        }
    return NULL;
}

static int bad_usage(const walk *w, const char *what)
{
    cli_message(w->command->name, "%s (see blockgen %s --help)", what, w->command->name);
    return CLI_USAGE;
}

/* One pass: presets != 0 stores --algorithm and --help only, presets == 0 everything else. */
static int pass(const walk *w, int argc, char **argv, int presets)
{
    char text[512], must[256];
    w->common->operand_count = 0;
    int only_operands = 0;
    for (int k = 1; k < argc; k++) {
        const char *word = argv[k], *value = NULL;
        if (only_operands || word[0] != '-' || !word[1]) {
            if (w->common->operand_count >= w->command->max_operands || w->common->operand_count >= 8) {
                snprintf(text, sizeof text, "unexpected argument '%.200s'", word);
                return bad_usage(w, text);
            }
            w->common->operands[w->common->operand_count++] = word;
            continue;
        }
        if (!strcmp(word, "--")) {
            only_operands = 1;
            continue;
        }
        const int is_long = word[1] == '-';
        const char *equals = is_long ? strchr(word, '=') : NULL;
        const cli_option *o = is_long
                                  ? find_option(w, word + 2, equals ? (size_t)(equals - word - 2) : strlen(word + 2), 0)
                                  : find_option(w, NULL, 0, word[1]);
        if (!o) {
            snprintf(text, sizeof text, "unknown option '%.200s'", word);
            return bad_usage(w, text);
        }
        const char *attached = is_long ? (equals ? equals + 1 : NULL) : (word[2] ? word + 2 : NULL);
        if (o->kind == CLI_KIND_FLAG) {
            if (attached) {
                snprintf(text, sizeof text, "option --%s takes no value, but '%.200s' was given", o->name, word);
                return bad_usage(w, text);
            }
        } else {
            value = attached ? attached : k + 1 < argc ? argv[++k] : NULL;
            if (!value) {
                snprintf(text, sizeof text, "option '%.200s' needs a value", word);
                return bad_usage(w, text);
            }
        }
        const int early = !strcmp(o->name, "algorithm") || !strcmp(o->name, "help");
        if (early != presets) continue;
        if (store_value(o, value, must, sizeof must)) {
            snprintf(text, sizeof text, "%s%s is '%.200s'; it must be %s", is_long ? "--" : "-",
                     is_long ? o->name : (char[]){o->letter, '\0'}, value, must);
            return bad_usage(w, text);
        }
        w->common->given |= given_flag(o->name);
        if (*w->help) return CLI_DONE;
    }
    return CLI_DONE;
}

/* A backend that is asked for by name and is not there: it cannot be done, whatever the rest of the line says. */
static int check_backend(const cli_command *command, const bg_options *o)
{
    char description[128];
    bg_error error;
    if (!strcmp(o->backend, "auto") || bg_backend_probe(o->backend, description, sizeof description, &error) == BG_OK)
        return CLI_DONE;
    cli_message(command->name, "%s", error.message);
    return CLI_FAILED;
}

/* --color auto leaves recursion and helicity open too, unless they were given. How helicities are sampled says that they
 * are. */
static void choose_all(cli_common *common)
{
    bg_options *o = &common->options;
    if (common->algorithm >= 0) return;
    if (!(common->given & CLI_GIVEN_RECURSION)) o->recursion = BG_RECURSION_AUTO;
    if (!(common->given & CLI_GIVEN_HELICITY))
        o->helicity = common->given & CLI_GIVEN_HELICITY_SAMPLING ? BG_HELICITY_SAMPLED : BG_HELICITY_AUTO;
}

int cli_parse(const cli_command *command, int argc, char **argv, cli_common *common, int *status)
{
    cli_option axes_table[AXES], shared_table[SHARED];
    int help = 0;
    memset(common, 0, sizeof *common);
    common->algorithm = -1;
    bg_options_init(&common->options);
    axes a = {.options = &common->options, .algorithm = -1};
    fill_axes_table(&a, axes_table);
    fill_shared_table(common, &help, shared_table);
    const walk w = {command, {command->own, shared_table, command->axes ? axes_table : NULL}, common, &help};

    *status = pass(&w, argc, argv, 1);
    if (help) print_help(command, axes_table, shared_table);
    if (*status != CLI_DONE || help) {
        if (help && cli_output_failed(command->name)) *status = CLI_FAILED;
        return 1;
    }
    common->algorithm = a.algorithm;
    if (a.algorithm >= 0) bg_options_set_algorithm(&common->options, (bg_algorithm)a.algorithm, NULL);
    axes_from_options(&a);
    *status = pass(&w, argc, argv, 0);
    axes_to_options(&a);
    if (common->options.color == BG_COLOR_AUTO) choose_all(common);
    if (*status == CLI_DONE) *status = check_backend(command, &common->options);
    return *status != CLI_DONE;
}

int cli_is_sampled(const bg_options *o)
{
    return o->color == BG_COLOR_SAMPLED || o->helicity == BG_HELICITY_SAMPLED ||
           (o->color == BG_COLOR_LEADING && o->orderings == BG_ORDERINGS_ONE);
}

int cli_check_given(const cli_command *command, const cli_common *common)
{
    const bg_options *o = &common->options;
    const char *why = NULL;
    if (bg_options_automatic(o)) return CLI_DONE; /* what is drawn is not known yet */
    if (common->given & CLI_GIVEN_HELICITY_SAMPLING && o->helicity != BG_HELICITY_SAMPLED)
        why = "--helicity-sampling is for --helicity sampled";
    else if (common->given & CLI_GIVEN_SAMPLES && o->samples > 1 && !cli_is_sampled(o))
        why = "--samples is for sampled colors, helicities or orderings; here nothing is sampled";
    else if (common->given & CLI_GIVEN_KERNEL && o->kernel == BG_KERNEL_FAST && !bg_options_want_fast(o) &&
             !bg_options_want_coherent(o))
        why = "there is no fast kernel for these options; it is for --color summed (decomposition adjoint, vertex quartic) "
              "and for --color sampled --recursion dressed with coherent colors";
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
    case BG_ERROR_IO: return CLI_FAILED;
    }
    return CLI_FAILED;
}
