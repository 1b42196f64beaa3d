/* The reader of configuration.h. */
#include "configuration.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static int
fail(bg_error *error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    error->status = BG_ERROR_ARGUMENT;
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    return -1;
}

static char *trim(char *text)
{
    text += strspn(text, " \t\r\n");
    char *end = text + strlen(text);
    while (end > text && isspace((unsigned char)end[-1])) *--end = '\0';
    return text;
}

static int add_process(umami_configuration *c, const char *text, bg_error *error)
{
    bg_process *process;
    if (c->processes == UMAMI_MOST_PROCESSES)
        return fail(error, "there are more than %d processes", UMAMI_MOST_PROCESSES);
    if (bg_process_parse(&process, text, BG_MAX_FLAVORS, BG_ALL_LINES, error) != BG_OK) return -1;
    c->process[c->processes++] = process;
    if (bg_process_is_open(process)) return fail(error, "'%.200s' stands for several processes; name them", text);
    const int legs = 2 + bg_process_n_out(process);
    if (c->legs && legs != c->legs)
        return fail(error, "'%.200s' has %d legs, those before have %d", text, legs, c->legs);
    c->legs = legs;
    return 0;
}

/* One line, which is changed in place. */
static int read_line(umami_configuration *c, char *line, bg_error *error)
{
    line[strcspn(line, "#")] = '\0';
    line = trim(line);
    if (!*line) return 0;
    char *equals = strchr(line, '=');
    if (!equals) return fail(error, "'%.200s' is not of the form name = value", line);
    *equals = '\0';
    const char *name = trim(line), *value = trim(equals + 1);
    if (!strcmp(name, "process")) return add_process(c, value, error);
    return bg_options_set(&c->options, name, value, error) == BG_OK ? 0 : -1;
}

static int read_all(umami_configuration *c, FILE *file, const char *path, bg_error *error)
{
    char line[1024], why[BG_MESSAGE_LENGTH];
    for (int number = 1; fgets(line, sizeof line, file); number++) {
        const size_t length = strlen(line);
        int status = 0;
        if (length + 1 == sizeof line && line[length - 1] != '\n')
            status = fail(error, "the line has more than %zu characters", sizeof line - 2);
        else
            status = read_line(c, line, error);
        if (status == 0) continue;
        snprintf(why, sizeof why, "%s", error->message);
        return fail(error, "%.200s:%d: %.280s", path, number, why);
    }
    if (ferror(file)) return fail(error, "cannot read %.300s: %s", path, strerror(errno));
    if (!c->processes) return fail(error, "%.300s names no process, such as process = g g > 3g", path);
    return 0;
}

int umami_configuration_read(umami_configuration *c, const char *path, bg_error *error)
{
    const char *named = getenv("BLOCKGEN_UMAMI");
    memset(c, 0, sizeof *c);
    bg_options_init(&c->options);
    /* Whoever loads the library has a thread for each handle, and says where its arrays are. */
    c->options.threads = 1;
    snprintf(c->options.backend, sizeof c->options.backend, "cpu");
    if (named && *named) path = named;
    if (!path || !*path) return fail(error, "no file says which process it is (BLOCKGEN_UMAMI can name one)");
    FILE *file = fopen(path, "r");
    if (!file) return fail(error, "cannot read %.300s: %s", path, strerror(errno));
    int status = read_all(c, file, path, error);
    (void)fclose(file);
    c->cuda = !strcmp(c->options.backend, "cuda");
    if (status == 0 && !c->cuda && strcmp(c->options.backend, "cpu") != 0)
        status = fail(error, "backend is '%s'; it must be cpu or cuda, where the arrays are", c->options.backend);
    if (status != 0) umami_configuration_release(c);
    return status;
}

void umami_configuration_release(umami_configuration *c)
{
    for (int k = 0; k < c->processes; k++) bg_process_destroy(c->process[k]);
    c->processes = 0;
}
