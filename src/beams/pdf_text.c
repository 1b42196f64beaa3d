#include "beams/pdf_text.h"
#include "base/status.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 24 };

static int is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
static int is_end(char c) { return c == '\n' || c == '\0'; }

static const char *skip_blanks(const char *at)
{
    while (is_blank(*at)) at++;
    return at;
}

/* The beginning of a word for a message, whatever it consists of. */
static const char *shown(const char *word, char *text)
{
    int k = 0;
    for (; k < SHOWN - 1 && !is_end(word[k]) && !is_blank(word[k]); k++)
        text[k] = word[k] >= 0x20 && word[k] < 0x7f ? word[k] : '?';
    text[k] = '\0';
    return text;
}

bg_status text_refuse(const text_place *place, bg_error *error, const char *format, ...)
{
    char reason[BG_MESSAGE_LENGTH / 2];
    va_list args;
    va_start(args, format);
    vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    return bg_fail(error, BG_ERROR_IO, "%s, line %d: %s", place->path, place->line, reason);
}

const char *text_next_line(text_place *place)
{
    while (*place->at) {
        const char *line = skip_blanks(place->at);
        const char *end = strchr(line, '\n');
        place->at = end ? end + 1 : line + strlen(line);
        place->line++;
        if (!is_end(*line) && *line != '#') return line;
    }
    return NULL;
}

int text_is_rule(const char *line) { return !strncmp(line, "---", 3) && is_end(*skip_blanks(line + 3)); }

/* ---- numbers ------------------------------------------------------------------------------------------------------ */

static const char *skip_number(const char *word, double *number)
{
    char *end;
    if (!strchr("+-.0123456789", *word)) return NULL; /* neither nan nor inf */
    *number = strtod(word, &end);
    return end != word && isfinite(*number) ? end : NULL;
}

static bg_status add_number(text_numbers *numbers, double number, bg_error *error)
{
    if (numbers->count == numbers->room) {
        const size_t room = 2 * numbers->room + 64;
        double *more = realloc(numbers->number, room * sizeof *more);
        if (!more) return bg_fail(error, BG_ERROR_MEMORY, "no memory for %zu numbers of a parton density", room);
        numbers->number = more;
        numbers->room = room;
    }
    numbers->number[numbers->count++] = number;
    return BG_OK;
}

void text_numbers_release(text_numbers *numbers)
{
    free(numbers->number);
    memset(numbers, 0, sizeof *numbers);
}

/* Numbers from `at` to the end of the line. Characters of `between` stand for blanks. */
static bg_status read_numbers(const text_place *place, const char *at, const char *between, const char *what,
                              size_t most, text_numbers *numbers, bg_error *error)
{
    char text[SHOWN];
    numbers->count = 0;
    for (;;) {
        while (is_blank(*at) || (*at && strchr(between, *at)) || (*between && *at == '-' && is_blank(at[1]))) at++;
        if (is_end(*at)) return BG_OK;
        double number;
        const char *end = skip_number(at, &number);
        if (!end || !(is_end(*end) || is_blank(*end) || strchr(between, *end)))
            return text_refuse(place, error, "'%s' among %s is no number", shown(at, text), what);
        if (numbers->count == most) return text_refuse(place, error, "there are more than %zu %s", most, what);
        const bg_status status = add_number(numbers, number, error);
        if (status != BG_OK) return status;
        at = end;
    }
}

bg_status text_read_numbers(const text_place *place, const char *line, const char *what, size_t most,
                            text_numbers *numbers, bg_error *error)
{
    return read_numbers(place, line, "", what, most, numbers, error);
}

bg_status text_read_row(const text_place *place, const char *line, int count, double *row, bg_error *error)
{
    char text[SHOWN];
    const char *at = line;
    for (int k = 0; k < count; k++) {
        at = skip_blanks(at);
        if (is_end(*at)) return text_refuse(place, error, "%d values where %d are needed", k, count);
        const char *end = skip_number(at, &row[k]);
        if (!end || !(is_end(*end) || is_blank(*end)))
            return text_refuse(place, error, "'%s' is no number", shown(at, text));
        at = end;
    }
    at = skip_blanks(at);
    if (!is_end(*at)) return text_refuse(place, error, "'%s' behind the %d values of a line", shown(at, text), count);
    return BG_OK;
}

/* ---- entries ------------------------------------------------------------------------------------------------------ */

/* The colon of a line that begins an entry, NULL of any other. */
static char *colon_of(char *line)
{
    if (is_blank(*line) || *line == '-') return NULL;
    for (char *at = line; !is_end(*at); at++)
        if (*at == ':' && (is_blank(at[1]) || is_end(at[1]))) return at;
    return NULL;
}

static bg_status add_entry(const text_place *place, text_entries *entries, char *key, char *colon, bg_error *error)
{
    if (entries->count == entries->room) {
        const size_t room = 2 * entries->room + 64;
        text_entry *more = realloc(entries->entry, room * sizeof *more);
        if (!more) return bg_fail(error, BG_ERROR_MEMORY, "no memory for %zu entries of %s", room, place->path);
        entries->entry = more;
        entries->room = room;
    }
    *colon = '\0';
    entries->entry[entries->count++] = (text_entry){key, colon + 1, place->line};
    return BG_OK;
}

/* A value without what stands around it: blanks, the ends of lines, quotation marks. */
static void trim(text_entry *entry)
{
    char *first = entry->value, *last = first + strlen(first);
    while (is_blank(*first) || *first == '\n') first++;
    while (last > first && (is_blank(last[-1]) || last[-1] == '\n')) last--;
    if (last > first + 1 && (*first == '"' || *first == '\'') && last[-1] == *first) {
        first++;
        last--;
    }
    *last = '\0';
    entry->value = first;
}

/* Lines that begin no entry belong to the one before, whose value gets longer in place. */
static bg_status split(text_place *place, text_entries *entries, char *text, bg_error *error)
{
    char word[SHOWN];
    char *tail = NULL; /* where the last value ends */
    int open = 0;      /* 1: it is a list that has not ended */
    for (char *line = text, *next; *line; line = next) {
        char *end = strchr(line, '\n');
        next = end ? end + 1 : line + strlen(line);
        place->line++;
        const char *start = skip_blanks(line);
        if (is_end(*start) || *start == '#') {
            memset(line, ' ', (size_t)(next - line));
            continue;
        }
        if (end) *end = '\0';
        char *colon = open ? NULL : colon_of(line);
        if (!colon && !(tail && (open || is_blank(*line) || *line == '-')))
            return text_refuse(place, error, "'%s' begins no entry \"Key: value\"", shown(start, word));
        if (colon) {
            const bg_status status = add_entry(place, entries, line, colon, error);
            if (status != BG_OK) return status;
            open = *skip_blanks(colon + 1) == '[' && !strchr(colon + 1, ']');
        } else {
            memset(tail, ' ', (size_t)(line - tail));
            if (strchr(line, ']')) open = 0;
        }
        tail = end ? end : next;
    }
    for (size_t k = 0; k < entries->count; k++) trim(&entries->entry[k]);
    return BG_OK;
}

bg_status text_read_entries(text_place *place, text_entries *entries, int *ruled, bg_error *error)
{
    text_place ahead = *place;
    const char *begin = place->at, *end = begin, *line;
    *ruled = 0;
    while (!*ruled && (line = text_next_line(&ahead)) != NULL) {
        *ruled = text_is_rule(line);
        if (!*ruled) end = ahead.at;
    }
    const size_t length = (size_t)(end - begin);
    memset(entries, 0, sizeof *entries);
    entries->path = place->path;
    entries->copy = malloc(length + 1);
    if (!entries->copy) return bg_fail(error, BG_ERROR_MEMORY, "no memory for the entries of %s", place->path);
    memcpy(entries->copy, begin, length);
    entries->copy[length] = '\0';
    const bg_status status = split(place, entries, entries->copy, error);
    if (status == BG_OK) *place = ahead;
    return status;
}

void text_entries_release(text_entries *entries)
{
    free(entries->copy);
    free(entries->entry);
    memset(entries, 0, sizeof *entries);
}

const text_entry *text_find(const text_entries *entries, const char *key)
{
    for (size_t k = entries->count; k-- > 0;)
        if (!strcmp(entries->entry[k].key, key)) return &entries->entry[k];
    return NULL;
}

bg_status text_read_list(const text_entries *entries, const text_entry *entry, size_t most, text_numbers *numbers,
                         bg_error *error)
{
    const text_place place = {entries->path, entry->value, entry->line};
    return read_numbers(&place, entry->value, "[],", entry->key, most, numbers, error);
}
