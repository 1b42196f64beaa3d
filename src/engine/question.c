#include "engine/question.h"
#include "base/status.h"
#include "process/options.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { VALUE = 1024 }; /* of an option: the longest are paths */

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
append(bg_question *q, const char *format, ...)
{
    const size_t used = strlen(q->text);
    va_list args;
    va_start(args, format);
    vsnprintf(q->text + used, sizeof q->text - used, format, args);
    va_end(args);
}

bg_status bg_question_write(bg_question *q, const bg_plan *plan, const bg_integration *integration,
                            const struct bg_histograms *histograms, bg_error *error)
{
    char booked[VALUE];
    const bg_subprocess *s = &plan->process;
    memset(q, 0, sizeof *q);
    append(q, "process=");
    for (int k = 0; k < s->n; k++) {
        append(q, "%s", !k ? "" : k == s->n_in ? " > " : " ");
        if (s->pdg[k] == BG_PDG_GLUON)
            append(q, "g");
        else
            append(q, "%d", s->pdg[k]);
    }
    append(q, "\n");
    for (int k = 0; k < bg_option_rows; k++) {
        const option_row *row = &bg_option_table[k];
        const int of_plan = row->shown.owner == BG_OPTION_OF_ALGORITHM;
        char value[VALUE];
        if (!row->shown.matters) continue;
        /* ours are whole, whatever size the caller's had */
        bg_options options = plan->options;
        bg_integration wish = *integration;
        options.size = sizeof options;
        wish.size = sizeof wish;
        const void *object = of_plan ? (const void *)&options : (const void *)&wish;
        const bg_status status = bg_option_print(row, object, value, sizeof value, error);
        if (status != BG_OK) return status;
        append(q, "%s=%s\n", row->shown.name, value);
    }
    bg_histograms_describe(histograms, booked, sizeof booked);
    append(q, "histograms=%s\n", booked);
    return BG_OK;
}

void bg_question_widen(bg_question *q, const bg_question *first, const char *process, const char *name,
                       const char *value)
{
    const char *rest = strchr(first->text, '\n');
    memset(q, 0, sizeof *q);
    append(q, "process=%s%s%s=%s\n", process, rest ? rest : "\n", name, value);
}

/* The next line of a text as a name and a value; 0 at the end. */
static int next_line(const char **at, char name[VALUE], char value[VALUE])
{
    const size_t length = strcspn(*at, "\n"), equals = strcspn(*at, "=\n");
    if (!**at) return 0;
    snprintf(name, VALUE, "%.*s", (int)equals, *at);
    snprintf(value, VALUE, "%.*s", (int)(equals < length ? length - equals - 1 : 0), *at + equals + (equals < length));
    *at += length + ((*at)[length] == '\n');
    return 1;
}

/* The value of a name; the option's default where the text does not know it. */
static void find_value(const bg_question *q, const char *name, char value[VALUE])
{
    const char *at = q->text;
    char other[VALUE];
    while (next_line(&at, other, value))
        if (!strcmp(name, other)) return;
    const bg_option *o = bg_option_find(name);
    snprintf(value, VALUE, "%s", o ? o->standard : "");
}

/* The names of `from`, looked up in both. */
static bg_status compare_names(const char *path, const bg_question *from, const bg_question *file,
                               const bg_question *run, bg_error *error)
{
    const char *at = from->text;
    char name[VALUE], there[VALUE], here[VALUE], ignored[VALUE];
    while (next_line(&at, name, ignored)) {
        find_value(file, name, there);
        find_value(run, name, here);
        if (strcmp(there, here))
            return bg_fail(error, BG_ERROR_ARGUMENT, "checkpoint '%s' is of another run: %s is %s there and %s here",
                           path, name, *there ? there : "not known", *here ? here : "not known");
    }
    return BG_OK;
}

bg_status bg_question_compare(const char *path, const bg_question *file, const bg_question *run, bg_error *error)
{
    if (memchr(file->text, '\0', sizeof file->text) == NULL)
        return bg_fail(error, BG_ERROR_ARGUMENT, "checkpoint '%s' is damaged: its question has no end", path);
    const bg_status status = compare_names(path, run, file, run, error);
    return status == BG_OK ? compare_names(path, file, file, run, error) : status;
}
