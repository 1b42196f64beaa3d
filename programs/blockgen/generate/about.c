#include "generate/about.h"
#include "console.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ABOUT_MOST_EVENTS 9007199254740992. /* whole numbers up to 2^53 are numbers of floating point */

/* Options of the library on which no event depends, or which say where things are kept. */
static int is_left_out(const char *name)
{
    static const char *const names[] = {"algorithm", "samples", "device", "threads",    "instruction-set",
                                        "time",      "hybrid",  "resume", "checkpoint", "checkpoint-interval",
                                        "force",     NULL};
    for (int k = 0; names[k]; k++)
        if (!strcmp(name, names[k])) return 1;
    return 0;
}

void about_list(const about_run *run, const char *process,
                void (*line)(const char *name, const char *value, void *user), void *user)
{
    char value[ABOUT_VALUE];
    line("process", process, user);
    if (run->process.flavors != CLI_PROCESS_NOT_GIVEN) {
        snprintf(value, sizeof value, "%d", run->process.flavors);
        line("flavors", value, user);
    }
    if (run->process.lines != CLI_PROCESS_NOT_GIVEN) {
        snprintf(value, sizeof value, "%d", run->process.lines);
        line("quark-lines", run->process.lines == BG_ALL_LINES ? "all" : value, user);
    }
    if (run->generation.events) { /* what is learned before the first one depends on how many there are to be */
        snprintf(value, sizeof value, "%llu", (unsigned long long)run->generation.events);
        line("events", value, user);
    }
    line("weighted", run->generation.weighted ? "yes" : "no", user);
    snprintf(value, sizeof value, "%.17g", run->generation.overweight);
    line("overweight", value, user);
    line("shower-scale", run->generation.softest_scale ? "softest" : "event", user);
    for (int k = 0; bg_option_at(k); k++) {
        const bg_option *o = bg_option_at(k);
        if (is_left_out(o->name)) continue;
        const bg_status status = o->owner == BG_OPTION_OF_INTEGRATION
                                     ? bg_integration_get(&run->integration, o->name, value, sizeof value, NULL)
                                     : bg_options_get(&run->options, o->name, value, sizeof value, NULL);
        if (status == BG_OK) line(o->name, value, user);
    }
}

static void add_line(const char *name, const char *value, void *user)
{
    char *text = user;
    const size_t used = strlen(text);
    snprintf(text + used, ABOUT_LENGTH - used, "%s = %s\n", name, value);
}

void about_write(const about_run *run, const char *process, char *text)
{
    text[0] = '\0';
    about_list(run, process, add_line, text);
}

/* A text that a run is held against. */
typedef struct comparison {
    const char *text;
    char *its, *ours;
    int differs;
} comparison;

/* Everything but what is chosen when the run begins: the treatment of colors and helicities, the backend. */
static int is_known_before(const char *name)
{
    const bg_option *o = bg_option_find(name);
    return !o || o->owner == BG_OPTION_OF_INTEGRATION || !strcmp(name, "seed");
}

static void compare_line(const char *name, const char *value, void *user)
{
    comparison *c = user;
    char line[ABOUT_VALUE];
    const size_t length = (size_t)snprintf(line, sizeof line, "%s = ", name);
    if (c->differs || !is_known_before(name) || !strcmp(value, "auto")) return;
    for (const char *at = c->text; *at; at += strcspn(at, "\n"), at += *at == '\n') {
        if (strncmp(at, line, length) != 0) continue;
        const size_t there = strcspn(at + length, "\n");
        if (there == strlen(value) && !memcmp(at + length, value, there)) return;
        snprintf(c->its, ABOUT_VALUE, "%.*s", (int)(length + there), at);
        c->differs = 1;
    }
    if (!c->differs) snprintf(c->its, ABOUT_VALUE, "no %s", name);
    snprintf(c->ours, ABOUT_VALUE, "%s%s", line, value);
    c->differs = 1;
}

int about_differs(const char *text, const about_run *run, const char *process, char *its, char *ours)
{
    comparison c = {text, its, ours, 0};
    about_list(run, process, compare_line, &c);
    return c.differs;
}

/* ---- reading ---------------------------------------------------------------------------------------------------------- */

static bg_status not_so(bg_error *error, const char *name, const char *value, const char *what)
{
    return cli_fail(error, BG_ERROR_ARGUMENT, "%s is '%.100s'; it must be %s", name, value, what);
}

static int read_number(const char *value, double low, double high, double *number)
{
    char *end;
    *number = strtod(value, &end);
    return end != value && !*end && *number >= low && *number <= high;
}

static int read_whole(const char *value, double low, double high, double *number)
{
    return read_number(value, low, high, number) && *number == floor(*number);
}

static int read_choice(const char *value, const char *off, const char *on, int *chosen)
{
    *chosen = !strcmp(value, on);
    return *chosen || !strcmp(value, off);
}

static bg_status set_own(about_run *run, const char *name, const char *value, int *known, bg_error *error)
{
    double number;
    *known = 1;
    if (!strcmp(name, "process")) {
        run->process.text = value;
    } else if (!strcmp(name, "flavors")) {
        if (!read_whole(value, 3., 5., &number)) return not_so(error, name, value, "3, 4 or 5");
        run->process.flavors = (int)number;
    } else if (!strcmp(name, "quark-lines")) {
        const char *wrong = cli_parse_lines(value, &run->process.lines);
        if (wrong) return not_so(error, name, value, wrong);
    } else if (!strcmp(name, "events")) {
        if (!read_whole(value, 1., ABOUT_MOST_EVENTS, &number)) return not_so(error, name, value, "a number of events");
        run->generation.events = (uint64_t)number;
    } else if (!strcmp(name, "weighted")) {
        if (!read_choice(value, "no", "yes", &run->generation.weighted)) return not_so(error, name, value, "yes or no");
    } else if (!strcmp(name, "overweight")) {
        if (!read_number(value, 0., 0.5, &number)) return not_so(error, name, value, "0 to 0.5");
        run->generation.overweight = number;
    } else if (!strcmp(name, "shower-scale")) {
        if (!read_choice(value, "event", "softest", &run->generation.softest_scale))
            return not_so(error, name, value, "event or softest");
    } else {
        *known = 0;
    }
    return BG_OK;
}

bg_status about_set(about_run *run, const char *name, const char *value, bg_error *error)
{
    int known;
    const bg_status status = set_own(run, name, value, &known, error);
    if (known) return status;
    const bg_option *o = bg_option_find(name);
    if (o && o->owner == BG_OPTION_OF_INTEGRATION) return bg_integration_set(&run->integration, name, value, error);
    return bg_options_set(&run->options, name, value, error);
}

/* Cuts off blanks at both ends. */
static char *trim(char *text)
{
    text += strspn(text, " \t");
    for (size_t length = strlen(text); length && strchr(" \t\r", text[length - 1]); length--) text[length - 1] = '\0';
    return text;
}

int about_read(const char *command, const char *path, char *text, about_run *run)
{
    bg_error error;
    for (char *line = text; line && *line;) {
        char *next = strchr(line, '\n'), *equals;
        if (next) *next++ = '\0';
        if (*line != '#' && (equals = strchr(line, '=')) != NULL) {
            *equals = '\0';
            if (about_set(run, trim(line), trim(equals + 1), &error) != BG_OK) {
                cli_message(command, "'%s' has an option that this program does not take: %s", path, error.message);
                return CLI_USAGE;
            }
        }
        line = next;
    }
    if (run->process.text) return CLI_DONE;
    cli_message(command, "'%s' does not say of which process its events are", path);
    return CLI_USAGE;
}
