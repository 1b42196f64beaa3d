/* Points in a file of numpy.save(): an array of doubles of the shape (points, n, 4) or (points, 4 n). */
#ifndef BG_PROGRAM_ME_NPY_H
#define BG_PROGRAM_ME_NPY_H

#include <stddef.h>

typedef struct npy_array {
    size_t row;        /* bytes of a point, 0: the file is no array */
    size_t rows;       /* that are left */
    char trouble[160]; /* why it cannot be read, or "" */
} npy_array;

/* Whether a file that begins so may be an array: no text does. */
int npy_begins(char first);

/* Reads the header from the beginning of a file. Returns its bytes, or 0 where more are needed first. */
size_t npy_open(npy_array *array, const char *bytes, size_t length);

#endif
