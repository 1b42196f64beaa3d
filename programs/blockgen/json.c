#include "json.h"

#include <inttypes.h>
#include <math.h>

json json_start(FILE *file)
{
    json j = {.file = file};
    return j;
}

int json_character(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    static const struct {
        unsigned char first, last; /* of the first byte */
        unsigned char low, high;   /* of the second */
        int bytes;
    } kind[] = {{0x01, 0x7f, 0, 0, 1},       {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
                {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
                {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4}};
    for (size_t k = 0; k < sizeof kind / sizeof *kind; k++) {
        if (*c < kind[k].first || *c > kind[k].last) continue;
        if (kind[k].bytes > 1 && (c[1] < kind[k].low || c[1] > kind[k].high)) return 0;
        for (int b = 2; b < kind[k].bytes; b++)
            if ((c[b] & 0xc0) != 0x80) return 0;
        return kind[k].bytes;
    }
    return 0;
}

static void quoted(FILE *file, const char *text)
{
    putc('"', file);
    for (const unsigned char *c = (const unsigned char *)text; *c;) {
        const int bytes = json_character((const char *)c);
        if (*c == '"' || *c == '\\')
            fprintf(file, "\\%c", *c);
        else if (*c < 0x20)
            fprintf(file, "\\u%04x", (unsigned)*c);
        else if (bytes)
            fwrite(c, 1, (size_t)bytes, file);
        else
            fputs("\\ufffd", file); /* a byte that is no text */
        c += bytes ? bytes : 1;
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
