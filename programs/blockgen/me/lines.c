#include "me/lines.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TOLERANCE 1e-6 /* of the total energy, for a point to count as physical */

/* ---- reading ----------------------------------------------------------------------------------------------- */

int reader_open(reader *in, const char *name)
{
    struct stat about;
    const int standard = !name || !strcmp(name, "-");
    in->title = standard ? "<stdin>" : name;
    in->file = standard ? STDIN_FILENO : open(name, O_RDONLY);
    if (in->file < 0) return errno;
    if (!fstat(in->file, &about) && S_ISREG(about.st_mode)) in->size = (double)about.st_size;
    return 0;
}

void reader_close(reader *in)
{
    free(in->buffer);
    if (in->file > STDIN_FILENO) close(in->file);
}

/* Forgets what there is of a line that was too long, up to its end. */
static void skip_rest(reader *in)
{
    const char *start = in->buffer + in->from, *end = in->to > in->from ? memchr(start, '\n', in->to - in->from) : NULL;
    const size_t length = end ? (size_t)(end - start) + 1 : in->to - in->from;
    in->from += length;
    in->read += (double)length;
    in->overlong = !end;
}

/* The next row of an array. */
static int take_row(reader *in, char **line, size_t *length)
{
    npy_array *a = &in->array;
    const size_t there = in->to - in->from;
    if (a->trouble[0] || !a->rows || there < a->row) {
        if (!a->trouble[0] && in->ended && (a->rows || there))
            snprintf(a->trouble, sizeof a->trouble,
                     "the array is cut short, or something stands behind its last point");
        return 0;
    }
    *line = in->buffer + in->from;
    *length = a->row;
    in->from += a->row;
    in->read += (double)a->row;
    in->number++;
    a->rows--;
    return 1;
}

/* Finds out whether the file is an array; returns whether that is known. */
static int begin(reader *in)
{
    if (in->begun || in->to == in->from) return in->begun;
    const char *bytes = in->buffer + in->from;
    const size_t header = npy_begins(*bytes) ? npy_open(&in->array, bytes, in->to - in->from) : 0;
    if (npy_begins(*bytes) && !header && in->ended)
        snprintf(in->array.trouble, sizeof in->array.trouble, "the header of the array is cut short");
    in->begun = header || !npy_begins(*bytes) || in->ended;
    in->from += header;
    in->read += (double)header;
    return in->begun;
}

int reader_take(reader *in, char **line, size_t *length)
{
    if (!begin(in)) return 0;
    if (in->array.row || in->array.trouble[0]) return take_row(in, line, length);
    if (in->overlong) skip_rest(in);
    if (in->overlong) return 0;
    char *start = in->buffer + in->from, *end = in->to > in->from ? memchr(start, '\n', in->to - in->from) : NULL;
    in->overlong = !end && in->to - in->from > LINE_LENGTH;
    if (!end && !in->overlong && !(in->ended && in->to > in->from)) return 0;
    *line = start;
    *length = end ? (size_t)(end - start) : in->to - in->from;
    start[*length] = '\0'; /* there is room for it */
    in->from += *length + (end != NULL);
    in->read += (double)*length + (end != NULL);
    in->number++;
    return 1;
}

int reader_is_ready(const reader *in)
{
    struct pollfd one = {in->file, POLLIN, 0};
    return poll(&one, 1, 0) != 0;
}

int reader_read(reader *in)
{
    enum { LEAST = 1 << 16 };
    if (in->from) memmove(in->buffer, in->buffer + in->from, in->to - in->from);
    in->to -= in->from;
    in->from = 0;
    if (in->room - in->to < LEAST) {
        char *more = realloc(in->buffer, 2 * in->room + LEAST + 1);
        if (!more) return ENOMEM;
        in->buffer = more;
        in->room = 2 * in->room + LEAST;
    }
    const ssize_t got = read(in->file, in->buffer + in->to, in->room - in->to);
    if (got < 0) return errno;
    in->to += (size_t)got;
    in->ended = !got;
    return 0;
}

/* ---- a line ----------------------------------------------------------------------------------------------- */

static line_kind check_numbers(int count, const double *numbers, int *n_out, char *reason, size_t size)
{
    bg_error error;
    *n_out = count / 4 - 2;
    if (bg_check_point(*n_out, numbers, TOLERANCE, &error) == BG_OK) return LINE_POINT;
    snprintf(reason, size, "%s", error.message);
    return LINE_BAD;
}

line_kind line_parse(char *line, size_t length, double numbers[LINE_NUMBERS], int *n_out, char *reason, size_t size)
{
    int count = 0;
    *n_out = 0;
    if (length > LINE_LENGTH) {
        snprintf(reason, size, "the line has more than %d bytes", LINE_LENGTH);
        return LINE_BAD;
    }
    char *comment = memchr(line, '#', length);
    if (comment) {
        length = (size_t)(comment - line);
        *comment = '\0';
    }
    if (strlen(line) != length) {
        snprintf(reason, size, "there is a zero byte in the line");
        return LINE_BAD;
    }
    for (char *at = line;;) {
        while (isspace((unsigned char)*at)) at++;
        if (!*at) break;
        char *end;
        const double x = strtod(at, &end);
        if (end == at || (*end && *end != ',' && !isspace((unsigned char)*end))) {
            const int width = (int)strcspn(at, " \t\r\n\v\f");
            for (int k = 0; k < width; k++) /* nothing that a terminal would obey */
                if (!isprint((unsigned char)at[k])) at[k] = '?';
            snprintf(reason, size, "'%.*s' is not a number", width > 40 ? 40 : width, at);
            return LINE_BAD;
        }
        if (count < LINE_NUMBERS) numbers[count] = x;
        if (count <= 1000000) count++;
        at = end + strspn(end, " \t");
        if (*at == ',') at++;
    }
    if (!count) return LINE_EMPTY;
    if (count % 4 || count < 4 * (2 + BG_MIN_OUT) || count > LINE_NUMBERS) {
        snprintf(reason, size, "%d numbers; a point has 4 for each of %d to %d gluons (%d to %d numbers)", count,
                 2 + BG_MIN_OUT, 2 + BG_MAX_OUT_DRESSED, 4 * (2 + BG_MIN_OUT), LINE_NUMBERS);
        return LINE_BAD;
    }
    return check_numbers(count, numbers, n_out, reason, size);
}

line_kind row_parse(const char *row, size_t length, double numbers[LINE_NUMBERS], int *n_out, char *reason, size_t size)
{
    memcpy(numbers, row, length);
    return check_numbers((int)(length / sizeof *numbers), numbers, n_out, reason, size);
}
