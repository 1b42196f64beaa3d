/* A small JSON writer: values in the order they come, commas and indentation done here.
 *
 *     json j = json_start(stdout);
 *     json_open(&j, NULL, '{');
 *     json_text(&j, "version", bg_version());
 *     json_open(&j, "points", '[');
 *     json_real(&j, NULL, 1.5);
 *     json_close(&j);
 *     json_close(&j);        (ends the document with a newline)
 *
 * `key` is NULL inside an array and for the document itself. Write errors stay in the stream: check ferror().
 */
#ifndef BG_PROGRAM_JSON_H
#define BG_PROGRAM_JSON_H

#include <stdint.h>
#include <stdio.h>

enum { JSON_DEPTH = 16 };

typedef struct json {
    FILE *file;
    int depth;
    int count[JSON_DEPTH];  /* members so far */
    char close[JSON_DEPTH]; /* '}' or ']' */
} json;

json json_start(FILE *file);
void json_open(json *j, const char *key, char bracket); /* '{' or '[' */
void json_close(json *j);
void json_text(json *j, const char *key, const char *text); /* NULL gives null */
void json_real(json *j, const char *key, double x);         /* %.17g; null for NaN and infinities */
void json_integer(json *j, const char *key, int64_t x);
void json_unsigned(json *j, const char *key, uint64_t x);
void json_bool(json *j, const char *key, int x);
void json_null(json *j, const char *key);

/* Bytes of the UTF-8 character that stands at the beginning of a text, or 0 where there is none. */
int json_character(const char *text);

#endif
