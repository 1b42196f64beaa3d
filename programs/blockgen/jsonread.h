/* A small JSON reader: a whole document becomes a tree, to look things up in.
 *
 *     char why[128];
 *     json_value *document = json_read_file("old.json", why, sizeof why);
 *     const json_value *results = json_member(document, "results");
 *     for (const json_value *r = results ? results->first : NULL; r; r = r->next)
 *         printf("%g\n", json_number(json_member(r, "ns_per_event"), NAN));
 *     json_free(document);
 */
#ifndef BG_PROGRAM_JSONREAD_H
#define BG_PROGRAM_JSONREAD_H

#include <stddef.h>

typedef enum json_kind { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_TEXT, JSON_ARRAY, JSON_OBJECT } json_kind;

typedef struct json_value json_value;
struct json_value {
    json_kind kind;
    char *key;         /* inside an object, otherwise NULL */
    char *text;        /* JSON_TEXT, UTF-8 */
    double number;     /* JSON_NUMBER */
    json_value *first; /* of an array or object */
    json_value *next;  /* of the same array or object */
};

/* NULL where the text is not one JSON document (or memory is short); `why` says what and in which line. */
json_value *json_read(const char *text, char *why, size_t size);

/* The same of a file. `why` begins with "cannot read" where the file itself is the problem. */
json_value *json_read_file(const char *path, char *why, size_t size);

/* Accepts NULL. */
void json_free(json_value *value);

/* All four accept NULL and values of another kind: then NULL, or what to take instead. */
const json_value *json_member(const json_value *object, const char *key);
double json_number(const json_value *value, double otherwise);
const char *json_string(const json_value *value, const char *otherwise);
int json_boolean(const json_value *value, int otherwise);

#endif
