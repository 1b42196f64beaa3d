#include "jsonread.h"
#include "files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DEPTH = 64 };

typedef struct reader {
    const char *at;
    int line, depth;
    const char *problem; /* the first one */
} reader;

static int fail(reader *r, const char *problem)
{
    if (!r->problem) r->problem = problem;
    return -1;
}

static void skip_space(reader *r)
{
    while (*r->at == ' ' || *r->at == '\t' || *r->at == '\r' || *r->at == '\n') r->line += *r->at++ == '\n';
}

static int hex4(const char *s, unsigned *code)
{
    *code = 0;
    for (int k = 0; k < 4; k++) {
        const char c = s[k];
        const int digit = c >= '0' && c <= '9'   ? c - '0'
                          : c >= 'a' && c <= 'f' ? c - 'a' + 10
                          : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                 : -1;
        if (digit < 0) return -1;
        *code = *code * 16 + (unsigned)digit;
    }
    return 0;
}

/* A \u escape, or two of them (a surrogate pair), as UTF-8. Returns the end of what was written. */
static char *read_unicode(reader *r, char *out)
{
    unsigned code, low;
    if (hex4(r->at, &code)) {
        fail(r, "\\u without four hexadecimal digits");
        return out;
    }
    r->at += 4;
    if (code >= 0xD800 && code < 0xDC00) {
        if (r->at[0] != '\\' || r->at[1] != 'u' || hex4(r->at + 2, &low) || low < 0xDC00 || low > 0xDFFF) {
            fail(r, "half of a surrogate pair");
            return out;
        }
        r->at += 6;
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }
    if (code < 0x80) {
        *out++ = (char)code;
    } else {
        const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
        static const unsigned lead[] = {0, 0xC0, 0xE0, 0xF0};
        *out++ = (char)(lead[more] | code >> (6 * more));
        for (int k = more - 1; k >= 0; k--) *out++ = (char)(0x80 | (code >> (6 * k) & 0x3F));
    }
    return out;
}

/* A string; r->at stands on its opening quote. No escape grows when decoded, so the source bounds the size. */
static char *read_text(reader *r)
{
    static const char plain[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    const char *end = ++r->at;
    while (*end && *end != '"') end += *end == '\\' && end[1] ? 2 : 1;
    if (*end != '"') {
        fail(r, "a string without its closing quote");
        return NULL;
    }
    char *text = malloc((size_t)(end - r->at) + 1), *out = text;
    if (!text) {
        fail(r, "no memory");
        return NULL;
    }
    while (r->at < end && !r->problem) {
        const char c = *r->at++;
        if ((unsigned char)c < 0x20) {
            fail(r, "a control character in a string");
        } else if (c != '\\') {
            *out++ = c;
        } else if (*r->at == 'u') {
            r->at++;
            out = read_unicode(r, out);
        } else {
            const char *found = strchr(plain, *r->at++);
            if (found)
                *out++ = meant[found - plain];
            else
                fail(r, "an unknown escape in a string");
        }
    }
    *out = '\0';
    if (r->problem) {
        free(text);
        return NULL;
    }
    r->at = end + 1;
    return text;
}

static int read_value(reader *r, json_value *v);

static int read_members(reader *r, json_value *v, char close)
{
    json_value **end = &v->first;
    if (++r->depth > MOST_DEPTH) return fail(r, "brackets too deep");
    r->at++;
    skip_space(r);
    if (*r->at == close) {
        r->at++;
        r->depth--;
        return 0;
    }
    for (;;) {
        json_value *member = calloc(1, sizeof *member);
        if (!member) return fail(r, "no memory");
        *end = member;
        end = &member->next;
        skip_space(r);
        if (v->kind == JSON_OBJECT) {
            if (*r->at != '"') return fail(r, "a member of an object without a name");
            if (!(member->key = read_text(r))) return -1;
            skip_space(r);
            if (*r->at++ != ':') return fail(r, "a name without ':' after it");
        }
        if (read_value(r, member)) return -1;
        skip_space(r);
        const char c = *r->at;
        if (c != ',' && c != close) return fail(r, "neither ',' nor a closing bracket after a value");
        r->at++;
        if (c == close) break;
    }
    r->depth--;
    return 0;
}

static const char *skip_digits(const char *at)
{
    while (*at >= '0' && *at <= '9') at++;
    return at;
}

/* strtod takes more than JSON does ("inf", "0x1", "+1", "01", "1."), so the number is walked along first. */
static int read_number(reader *r, json_value *v)
{
    const char *digits = r->at + (*r->at == '-'), *at = skip_digits(digits);
    if (at == digits || *at == 'x' || *at == 'X') return fail(r, "something that is no value");
    int good = *digits != '0' || at == digits + 1;
    if (*at == '.') {
        digits = at + 1;
        at = skip_digits(digits);
        good &= at > digits;
    }
    if (*at == 'e' || *at == 'E') {
        digits = at + 1 + (at[1] == '+' || at[1] == '-');
        at = skip_digits(digits);
        good &= at > digits;
    }
    if (!good) return fail(r, "a number that is not written as JSON has it");
    v->kind = JSON_NUMBER;
    v->number = strtod(r->at, NULL);
    r->at = at;
    return 0;
}

static int read_value(reader *r, json_value *v)
{
    static const struct {
        const char *word;
        json_kind kind;
    } words[] = {{"null", JSON_NULL}, {"true", JSON_TRUE}, {"false", JSON_FALSE}};
    skip_space(r);
    switch (*r->at) {
    case '{': v->kind = JSON_OBJECT; return read_members(r, v, '}');
    case '[': v->kind = JSON_ARRAY; return read_members(r, v, ']');
    case '"': v->kind = JSON_TEXT; return (v->text = read_text(r)) ? 0 : -1;
    case '\0': return fail(r, "it ends too early");
    default: break;
    }
    for (int k = 0; k < 3; k++)
        if (!strncmp(r->at, words[k].word, strlen(words[k].word))) {
            v->kind = words[k].kind;
            r->at += strlen(words[k].word);
            return 0;
        }
    return read_number(r, v);
}

json_value *json_read(const char *text, char *why, size_t size)
{
    reader r = {text, 1, 0, NULL};
    json_value *v = calloc(1, sizeof *v);
    if (!v) {
        snprintf(why, size, "no memory");
        return NULL;
    }
    if (!read_value(&r, v)) {
        skip_space(&r);
        if (*r.at) fail(&r, "more after the end of the document");
    }
    if (!r.problem) return v;
    snprintf(why, size, "not JSON: %s, line %d", r.problem, r.line);
    json_free(v);
    return NULL;
}

json_value *json_read_file(const char *path, char *why, size_t size)
{
    char *text = files_read(path, why, size);
    json_value *v = text ? json_read(text, why, size) : NULL;
    free(text);
    return v;
}

void json_free(json_value *v)
{
    while (v) {
        json_value *next = v->next;
        json_free(v->first);
        free(v->key);
        free(v->text);
        free(v);
        v = next;
    }
}

const json_value *json_member(const json_value *object, const char *key)
{
    if (!object || object->kind != JSON_OBJECT) return NULL;
    for (const json_value *m = object->first; m; m = m->next)
        if (m->key && !strcmp(m->key, key)) return m;
    return NULL;
}

double json_number(const json_value *v, double otherwise)
{
    return v && v->kind == JSON_NUMBER ? v->number : otherwise;
}
const char *json_string(const json_value *v, const char *otherwise)
{
    return v && v->kind == JSON_TEXT ? v->text : otherwise;
}

int json_boolean(const json_value *v, int otherwise)
{
    return v && (v->kind == JSON_TRUE || v->kind == JSON_FALSE) ? v->kind == JSON_TRUE : otherwise;
}
