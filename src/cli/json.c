#include "cli/json.h"

#include <inttypes.h>
#include <math.h>

json json_start(FILE *file)
{
    json j = {.file = file};
    return j;
}

static void quoted(FILE *file, const char *text)
{
    putc('"', file);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '"' || *c == '\\')
            fprintf(file, "\\%c", *c);
        else if (*c < 0x20)
            fprintf(file, "\\u%04x", (unsigned)*c);
        else
            putc(*c, file);
    }
    putc('"', file);
}

/* Members of the document and of its first level stand on lines of their own, deeper ones side by side. */
static void lead(json *j, const char *key)
{
    if (j->depth) {
        const int *count = &j->count[j->depth - 1];
        if (*count) putc(',', j->file);
        if (j->depth <= 2)
            fprintf(j->file, "\n%*s", 2 * j->depth, "");
        else if (*count)
            putc(' ', j->file);
        j->count[j->depth - 1]++;
    }
    if (key) {
        quoted(j->file, key);
        fputs(": ", j->file);
    }
}

void json_open(json *j, const char *key, char bracket)
{
    lead(j, key);
    putc(bracket, j->file);
    if (j->depth == JSON_DEPTH) return;
    j->count[j->depth] = 0;
    j->close[j->depth] = bracket == '{' ? '}' : ']';
    j->depth++;
}

void json_close(json *j)
{
    if (!j->depth) return;
    j->depth--;
    if (j->depth < 2 && j->count[j->depth]) fprintf(j->file, "\n%*s", 2 * j->depth, "");
    putc(j->close[j->depth], j->file);
    if (!j->depth) putc('\n', j->file);
}

void json_text(json *j, const char *key, const char *text)
{
    lead(j, key);
    if (text)
        quoted(j->file, text);
    else
        fputs("null", j->file);
}

void json_real(json *j, const char *key, double x)
{
    lead(j, key);
    if (isfinite(x))
        fprintf(j->file, "%.17g", x);
    else
        fputs("null", j->file);
}

void json_integer(json *j, const char *key, int64_t x)
{
    lead(j, key);
    fprintf(j->file, "%" PRId64, x);
}

void json_unsigned(json *j, const char *key, uint64_t x)
{
    lead(j, key);
    fprintf(j->file, "%" PRIu64, x);
}

void json_bool(json *j, const char *key, int x)
{
    lead(j, key);
    fputs(x ? "true" : "false", j->file);
}

void json_null(json *j, const char *key)
{
    lead(j, key);
    fputs("null", j->file);
}
