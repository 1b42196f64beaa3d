/* Arrays of numpy: "\x93NUMPY", version, length of the header, and the header, a dictionary of Python such as
 *     {'descr': '<f8', 'fortran_order': False, 'shape': (1000, 6, 4), }
 * and behind it the numbers.
 */
#include "me/npy.h"
#include "me/lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAGIC = 6, MOST_HEADER = 1 << 16 };

/* The value of a key, or NULL. */
static const char *find(const char *header, const char *key)
{
    const char *at = strstr(header, key);
    if (!at) return NULL;
    at += strlen(key);
    return at + strspn(at, " :");
}

static const char *kind_of_doubles(void)
{
    const int one = 1;
    char first;
    memcpy(&first, &one, 1);
    return first ? "'<f8'" : "'>f8'";
}

/* "(1000, 6, 4)": the first number, and the product of the others, which is 1 where there is none. */
static int read_shape(const char *text, size_t *rows, size_t *numbers)
{
    char *end;
    *numbers = 1;
    if (*text != '(') return 0;
    *rows = strtoull(text + 1, &end, 10);
    if (end == text + 1) return 0;
    for (;;) {
        end += strspn(end, ", ");
        if (*end == ')') return 1;
        const char *from = end;
        const size_t next = strtoull(from, &end, 10);
        if (end == from) return 0;
        *numbers = next > LINE_NUMBERS || *numbers > LINE_NUMBERS ? LINE_NUMBERS + 1 : *numbers * next; /* too many */
    }
}

static void read_header(npy_array *a, const char *header)
{
    const char *kind = find(header, "'descr'"), *order = find(header, "'fortran_order'"),
               *shape = find(header, "'shape'");
    size_t rows = 0, numbers = 0;
    if (!kind || !order || !shape || !read_shape(shape, &rows, &numbers)) {
        snprintf(a->trouble, sizeof a->trouble, "the header of the array is not understood");
        return;
    }
    if (numbers == 1) { /* one point */
        numbers = rows;
        rows = 1;
    }
    if (strncmp(kind, kind_of_doubles(), 5))
        snprintf(a->trouble, sizeof a->trouble, "the array is of %.*s; it must be of doubles, %s",
                 (int)strcspn(kind, ",}"), kind, kind_of_doubles());
    else if (strncmp(order, "False", 5))
        snprintf(a->trouble, sizeof a->trouble,
                 "the array is in Fortran's order; numpy.ascontiguousarray() turns it round");
    else if (numbers % 4 || numbers < 4 * (2 + BG_MIN_OUT) || numbers > LINE_NUMBERS)
        snprintf(a->trouble, sizeof a->trouble,
                 "the array has the shape %.*s); it must be (points, n, 4) or (points, 4 n) with n from %d to %d",
                 (int)strcspn(shape, ")"), shape, 2 + BG_MIN_OUT, 2 + BG_MAX_OUT_DRESSED);
    a->rows = rows;
    a->row = numbers * sizeof(double);
}

int npy_begins(char first) { return first == '\x93'; }

size_t npy_open(npy_array *a, const char *bytes, size_t length)
{
    static const char magic[] = "\x93NUMPY";
    unsigned char version = 0, size[4] = {0};
    if (length < MAGIC + 6) return 0;
    memcpy(&version, bytes + MAGIC, 1);
    memcpy(size, bytes + MAGIC + 2, version == 1 ? 2 : 4);
    const size_t start = MAGIC + 2 + (version == 1 ? 2u : 4u);
    const size_t header = size[0] + ((size_t)size[1] << 8) + ((size_t)size[2] << 16) + ((size_t)size[3] << 24);
    if (memcmp(bytes, magic, MAGIC) || version < 1 || version > 3 || header > MOST_HEADER) {
        snprintf(a->trouble, sizeof a->trouble, "this is neither text nor an array of numpy");
        return length;
    }
    if (length < start + header) return 0;
    char *text = malloc(header + 1);
    if (!text) {
        snprintf(a->trouble, sizeof a->trouble, "no memory for the header of the array");
        return length;
    }
    memcpy(text, bytes + start, header);
    text[header] = '\0';
    read_header(a, text);
    free(text);
    return start + header;
}
