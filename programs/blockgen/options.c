/* From a command line to settings, and from settings to values. */
#include "options.h"
#include "console.h"
#include "files.h"
#include "suggest.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- finding an option ---------------------------------------------------------------------------------------- */

/* An option of the program or of the library. */
typedef struct found {
    const cli_option *own;
    const bg_option *library;
    int negated; /* --no-NAME of a flag that is set by default */
} found;

typedef struct setting {
    found option;
    const char *value; /* of a flag: yes or no */
    char title[400];   /* as it was written: "--color", "-n", "run.cfg:3: color" */
} setting;

typedef struct line {
    const cli_command *command;
    cli_shared shared;
    cli_common *common;
    setting settings[CLI_MOST_SETTINGS];
    int count;
} line;

/* Whether a list has the name; its last entry is NULL. */
static int has_name(const char *const *list, const char *name)
{
    while (*list && strcmp(*list, name) != 0) list++;
    return *list != NULL;
}

int cli_takes(const cli_command *command, const bg_option *o)
{
    if (o->owner == BG_OPTION_OF_INTEGRATION)
        return command->integration && !(command->without && has_name(command->without, o->name));
    return command->algorithm && (!command->only || has_name(command->only, o->name));
}

const char *cli_standard(const cli_command *command, const bg_option *o)
{
    static const char *const open[] = {"color", "recursion", "helicity"};
    for (size_t k = 0; command->chooses && k < sizeof open / sizeof *open; k++)
        if (!strcmp(o->name, open[k])) return "auto";
    if (command->precision && !strcmp(o->name, "precision")) return command->precision;
    return o->standard;
}

static int is_set_by_default(const bg_option *o) { return o->kind == BG_OPTION_FLAG && !strcmp(o->standard, "yes"); }

static int is_flag(const found *f)
{
    return f->own ? f->own->kind == CLI_KIND_FLAG : f->library->kind == BG_OPTION_FLAG;
}

static int find_by_name(const line *l, const char *name, found *f)
{
    const cli_option *const tables[] = {l->command->own, l->shared.table};
    memset(f, 0, sizeof *f);
    for (int t = 0; t < 2; t++)
        for (const cli_option *o = tables[t]; o && o->name; o++)
            if (!strcmp(o->name, name)) {
                f->own = o;
                return 1;
            }
    for (int k = 0; bg_option_at(k); k++) {
        const bg_option *o = bg_option_at(k);
        f->negated = is_set_by_default(o) && !strncmp(name, "no-", 3) && !strcmp(o->name, name + 3);
        if (!cli_takes(l->command, o) || !(f->negated || !strcmp(o->name, name))) continue;
        f->library = o;
        return 1;
    }
    return 0;
}

static int find_by_letter(const line *l, char letter, found *f)
{
    const cli_option *const tables[] = {l->command->own, l->shared.table};
    memset(f, 0, sizeof *f);
    for (int t = 0; t < 2; t++)
        for (const cli_option *o = tables[t]; o && o->name; o++)
            if (o->letter == letter) f->own = o;
    return f->own != NULL;
}

static const char *nearest(const line *l, const char *name)
{
    suggestion s = suggestion_for(name);
    for (const cli_option *o = l->command->own; o && o->name; o++) suggestion_offer(&s, o->name);
    for (const cli_option *o = l->shared.table; o->name; o++) suggestion_offer(&s, o->name);
    for (int k = 0; bg_option_at(k); k++)
        if (cli_takes(l->command, bg_option_at(k))) suggestion_offer(&s, bg_option_at(k)->name);
    return s.nearest;
}

/* ---- what is said when it is wrong -------------------------------------------------------------------------------- */

static int bad_usage(const line *l, const char *what)
{
    cli_message(l->command->name, "%s (see blockgen %s --help)", what, l->command->name);
    return CLI_USAGE;
}

/* `where`: of a file, "run.cfg:3: ", or "". */
static int unknown_option(const line *l, const char *where, const char *word, const char *name)
{
    char text[768];
    const char *right = nearest(l, name);
    snprintf(text, sizeof text, "%.300sunknown option '%.200s'%s%s%s", where, word, right ? "; did you mean --" : "",
             right ? right : "", right ? "?" : "");
    return bad_usage(l, text);
}

static int add_setting(line *l, const found *f, const char *value, const char *title)
{
    if (l->count == CLI_MOST_SETTINGS) return bad_usage(l, "there are more than 256 options");
    setting *s = &l->settings[l->count++];
    s->option = *f;
    s->value = value;
    snprintf(s->title, sizeof s->title, "%s", title);
    return CLI_DONE;
}

/* ---- the walk along the line ------------------------------------------------------------------------------------- */

/* One option at argv[k]; moves k behind its value. */
static int read_option(line *l, int argc, char **argv, int *k)
{
    char text[512], name[64], title[80];
    const char *word = argv[*k];
    const int is_long = word[1] == '-';
    const char *equals = is_long ? strchr(word, '=') : NULL;
    const int length = equals ? (int)(equals - word - 2) : (int)strlen(word) - 2;
    found f;
    snprintf(name, sizeof name, "%.*s", is_long ? length : 1, is_long ? word + 2 : word + 1);
    if (length >= (int)sizeof name || !(is_long ? find_by_name(l, name, &f) : find_by_letter(l, word[1], &f)))
        return unknown_option(l, "", word, is_long ? name : word + 1);
    snprintf(title, sizeof title, "%s%s", is_long ? "--" : "-", name);
    const char *attached = is_long ? (equals ? equals + 1 : NULL) : (word[2] ? word + 2 : NULL);
    if (is_flag(&f)) {
        if (!attached) return add_setting(l, &f, "yes", title);
        snprintf(text, sizeof text, "option %s takes no value, but '%.200s' was given", title, word);
        return bad_usage(l, text);
    }
    const char *value = attached ? attached : *k + 1 < argc ? argv[++*k] : NULL;
    if (value) return add_setting(l, &f, value, title);
    snprintf(text, sizeof text, "option '%.200s' needs a value", word);
    return bad_usage(l, text);
}

static int read_line(line *l, int argc, char **argv)
{
    char text[512];
    int only_operands = 0, status = CLI_DONE;
    for (int k = 1; k < argc && status == CLI_DONE; k++) {
        const char *word = argv[k];
        if (!only_operands && !strcmp(word, "--")) {
            only_operands = 1;
        } else if (!only_operands && word[0] == '-' && word[1]) {
            status = read_option(l, argc, argv, &k);
            if (status == CLI_DONE && l->settings[l->count - 1].option.own &&
                l->settings[l->count - 1].option.own->target == &l->shared.help)
                return CLI_DONE; /* the rest does not matter any more */
        } else if (l->common->operand_count >= l->command->max_operands ||
                   l->common->operand_count >= CLI_MOST_OPERANDS) {
            snprintf(text, sizeof text, "unexpected argument '%.200s'", word);
            status = bad_usage(l, text);
        } else {
            l->common->operands[l->common->operand_count++] = word;
        }
    }
    return status;
}

/* ---- a file of options ---------------------------------------------------------------------------------------------- */

static char *trim(char *text)
{
    text += strspn(text, " \t\r");
    char *end = text + strlen(text);
    while (end > text && isspace((unsigned char)end[-1])) *--end = '\0';
    return text;
}

/* A value may stand in quotation marks, as in a shell. */
static char *unquote(char *text)
{
    const size_t length = strlen(text);
    if (length < 2 || text[0] != '"' || text[length - 1] != '"') return text;
    text[length - 1] = '\0';
    return text + 1;
}

/* "name = value", changed in place; a line of the file. */
static int read_entry(line *l, const char *file, int number, char *text)
{
    char where[320], message[768];
    found f;
    snprintf(where, sizeof where, "%.280s:%d: ", file, number);
    text[strcspn(text, "#")] = '\0';
    text = trim(text);
    if (!*text) return CLI_DONE;
    char *equals = strchr(text, '=');
    if (!equals) {
        snprintf(message, sizeof message, "%s'%.200s' is not of the form name = value", where, text);
        return bad_usage(l, message);
    }
    *equals = '\0';
    const char *name = trim(text), *value = unquote(trim(equals + 1));
    if (!find_by_name(l, name, &f)) return unknown_option(l, where, name, name);
    char title[400];
    snprintf(title, sizeof title, "%s%s", where, name);
    const int truth = !strcmp(value, "yes") || !strcmp(value, "no");
    if (f.own && f.own->target == &l->shared.config) return bad_usage(l, "a file of options cannot name another");
    if (f.own && f.own->target == &l->shared.help) return bad_usage(l, "a file of options cannot ask for help");
    if (is_flag(&f) && !truth) {
        snprintf(message, sizeof message, "%s is '%.200s'; it must be yes or no", title, value);
        return bad_usage(l, message);
    }
    return add_setting(l, &f, value, title);
}

/* The options of --config, to be set before those of the line. The values are used until the program ends. */
static int read_config(line *l)
{
    static char *text; /* of the one file that a run may have */
    const setting *of_line = NULL;
    char why[160];
    int count = 0, number = 0, status = CLI_DONE;
    for (int k = 0; k < l->count; k++)
        if (l->settings[k].option.own && l->settings[k].option.own->target == &l->shared.config)
            l->shared.config = l->settings[k].value;
    if (!l->shared.config) return CLI_DONE;
    free(text);
    text = files_read(l->shared.config, why, sizeof why);
    setting *kept = text ? malloc(sizeof l->settings) : NULL;
    if (!kept) {
        cli_message(l->command->name, "%s: %s", l->shared.config, text ? "no memory for its options" : why);
        return text || !strncmp(why, "cannot read", 11) ? CLI_FAILED : CLI_USAGE;
    }
    memcpy(kept, l->settings, sizeof l->settings);
    of_line = kept;
    count = l->count;
    l->count = 0;
    for (char *at = text, *next; at && status == CLI_DONE; at = next) {
        next = strchr(at, '\n');
        if (next) *next++ = '\0';
        status = read_entry(l, l->shared.config, ++number, at);
    }
    for (int k = 0; k < count && status == CLI_DONE; k++)
        status = add_setting(l, &of_line[k].option, of_line[k].value, of_line[k].title);
    free(kept);
    return status;
}

/* ---- values ---------------------------------------------------------------------------------------------------------- */

/* A number of the program's own option. Whole ones may be written 1e6. Returns whether it is one in its range. */
static int read_number(const cli_option *o, const char *word, double *x)
{
    char *end = NULL;
    if (!*word || isspace((unsigned char)*word)) return 0;
    *x = strtod(word, &end);
    if (*end || !(*x >= o->low && *x <= o->high)) return 0;
    return o->kind == CLI_KIND_REAL || (*x == floor(*x) && !word[strspn(word, "0123456789.eE+-")]);
}

/* What the value of an own option must be. */
static void say_range(const cli_option *o, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int k = 0; o->kind == CLI_KIND_CHOICE && o->choices[k] && used < size; k++)
        used += (size_t)snprintf(text + used, size - used, "%s%s",
                                 !k                  ? ""
                                 : o->choices[k + 1] ? ", "
                                                     : " or ",
                                 o->choices[k]);
    if (o->kind == CLI_KIND_INTEGER) snprintf(text, size, "a whole number from %.0f to %.0f", o->low, o->high);
    if (o->kind == CLI_KIND_REAL) snprintf(text, size, "a number from %g to %g", o->low, o->high);
}

/* Stores the value of an own option. Returns 0, or 1 with what it must be. */
static int store_own(const cli_option *o, const char *word, char *must, size_t size)
{
    double x = 0.;
    say_range(o, must, size);
    switch (o->kind) {
    case CLI_KIND_FLAG: *(int *)o->target = !strcmp(word, "yes"); return 0;
    case CLI_KIND_TEXT: *(const char **)o->target = word; return 0;
    case CLI_KIND_CHOICE:
        for (int k = 0; o->choices[k]; k++)
            if (!strcmp(word, o->choices[k])) {
                *(int *)o->target = k;
                return 0;
            }
        return 1;
    case CLI_KIND_INTEGER:
        if (!read_number(o, word, &x)) return 1;
        *(int *)o->target = (int)x;
        return 0;
    case CLI_KIND_REAL:
        if (!read_number(o, word, &x)) return 1;
        *(double *)o->target = x;
        return 0;
    case CLI_KIND_CUSTOM: {
        const char *reason = o->parse(word, o->target);
        if (reason) snprintf(must, size, "%s", reason);
        return reason != NULL;
    }
    }
    return 1;
}

static int apply(line *l, const setting *s)
{
    char text[1024], must[256];
    const found *f = &s->option;
    bg_error error;
    if (f->own) {
        if (!store_own(f->own, s->value, must, sizeof must)) return CLI_DONE;
        snprintf(text, sizeof text, "%s is '%.200s'; it must be %s", s->title, s->value, must);
        return bad_usage(l, text);
    }
    const char *value = !f->negated ? s->value : !strcmp(s->value, "yes") ? "no" : "yes";
    const bg_status status = f->library->owner == BG_OPTION_OF_INTEGRATION
                                 ? bg_integration_set(l->command->integration, f->library->name, value, &error)
                                 : bg_options_set(&l->common->options, f->library->name, value, &error);
    if (status == BG_OK) {
        l->common->given[l->common->given_count++] = f->library;
        return CLI_DONE;
    }
    /* "color is 'x'; it must be ...": the name as it was written instead of the library's */
    const char *rest = error.message;
    if (!strncmp(rest, f->library->name, strlen(f->library->name))) rest += strlen(f->library->name);
    snprintf(text, sizeof text, "%s%s%s", s->title, rest == error.message ? ": " : "", rest);
    return bad_usage(l, text);
}

static int is_preset(const setting *s) { return s->option.library && !strcmp(s->option.library->name, "algorithm"); }

/* The preset first, then the axes that override it. */
static int apply_all(line *l)
{
    int status = CLI_DONE;
    for (int k = 0; k < l->count && status == CLI_DONE; k++) {
        if (!is_preset(&l->settings[k])) continue;
        bg_algorithm algorithm;
        status = apply(l, &l->settings[k]);
        if (status == CLI_DONE && bg_algorithm_parse(&algorithm, l->settings[k].value, NULL) == BG_OK)
            l->common->algorithm = (int)algorithm;
    }
    for (int k = 0; k < l->count && status == CLI_DONE; k++)
        if (!is_preset(&l->settings[k])) status = apply(l, &l->settings[k]);
    return status;
}

/* ---- all of it -------------------------------------------------------------------------------------------------------- */

int cli_given(const cli_common *common, const char *name)
{
    for (int k = 0; k < common->given_count; k++)
        if (!strcmp(common->given[k]->name, name)) return 1;
    return 0;
}

/* A backend that is asked for by name and is not there: it cannot be done, whatever the rest of the line says. */
static int check_backend(const cli_command *command, const bg_options *o)
{
    char description[BG_NOTE_LENGTH];
    bg_error error;
    if (!strcmp(o->backend, "auto") || bg_backend_probe(o->backend, description, sizeof description, &error) == BG_OK)
        return CLI_DONE;
    cli_message(command->name, "%s", error.message);
    return CLI_FAILED;
}

/* Options that go with one way of treating colors settle it. */
static bg_color implied_color(const cli_common *common)
{
    if (cli_given(common, "color-sampling") || cli_given(common, "color-group")) return BG_COLOR_SAMPLED;
    if (cli_given(common, "orderings") || cli_given(common, "layout")) return BG_COLOR_LEADING;
    return cli_given(common, "decomposition") ? BG_COLOR_SUMMED : BG_COLOR_AUTO;
}

static bg_recursion implied_recursion(const cli_common *common)
{
    if (cli_given(common, "color-sampling") || cli_given(common, "color-group")) return BG_RECURSION_DRESSED;
    return cli_given(common, "vertex") ? BG_RECURSION_ORDERED : BG_RECURSION_AUTO;
}

/* Leaves color, recursion and helicity open unless they were given, by name or as a preset. How helicities are sampled
 * says that they are. */
static void choose_all(cli_common *common)
{
    bg_options *o = &common->options;
    if (common->algorithm >= 0) return;
    if (!cli_given(common, "color")) o->color = implied_color(common);
    if (!cli_given(common, "recursion")) o->recursion = implied_recursion(common);
    if (!cli_given(common, "helicity"))
        o->helicity = cli_given(common, "helicity-sampling") ? BG_HELICITY_SAMPLED : BG_HELICITY_AUTO;
}

static void fill_shared(cli_shared *s, cli_common *common)
{
    const cli_option table[CLI_SHARED] = {
        {.name = "json", .kind = CLI_KIND_FLAG, .target = &common->json, .help = "results as one JSON document"},
        {.name = "quiet", .kind = CLI_KIND_FLAG, .target = &common->quiet, .help = "no progress on standard error"},
        {.name = "config",
         .kind = CLI_KIND_TEXT,
         .argument = "FILE",
         .target = &s->config,
         .help = "options from a file, one \"name = value\" per line; those of the command line override them"},
        {.name = "help", .letter = 'h', .kind = CLI_KIND_FLAG, .target = &s->help, .help = "this text"},
        {.name = NULL},
    };
    memcpy(s->table, table, sizeof table);
}

static struct {
    cli_visitor *visit;
    void *user;
} visitor;

void cli_visit(cli_visitor *visit, void *user)
{
    visitor.visit = visit;
    visitor.user = user;
}

int cli_parse(const cli_command *command, int argc, char **argv, cli_common *common, int *status)
{
    line *l = calloc(1, sizeof *l);
    if (!l) {
        cli_message(command->name, "no memory for the command line");
        *status = CLI_FAILED;
        return 1;
    }
    memset(common, 0, sizeof *common);
    common->algorithm = -1;
    bg_options_init(&common->options);
    l->command = command;
    l->common = common;
    fill_shared(&l->shared, common);
    if (visitor.visit) {
        visitor.visit(command, l->shared.table, visitor.user);
        free(l);
        *status = CLI_DONE;
        return 1;
    }
    *status = read_line(l, argc, argv);
    const int help = *status == CLI_DONE && l->count && l->settings[l->count - 1].option.own &&
                     l->settings[l->count - 1].option.own->target == &l->shared.help;
    if (help && !command->silent) {
        cli_print_help(command, l->shared.table);
        if (cli_output_failed(command->name)) *status = CLI_FAILED;
    }
    if (*status == CLI_DONE && !help) *status = read_config(l);
    if (*status == CLI_DONE && !help) *status = apply_all(l);
    if (command->chooses || common->options.color == BG_COLOR_AUTO) choose_all(common);
    if (*status == CLI_DONE && !help) *status = check_backend(command, &common->options);
    free(l);
    return help || *status != CLI_DONE;
}
