/* The blocks of the color matrix between irreps of H = S_{N-2} x S_2 (fourier.h), and their Cholesky factors. */
#ifndef BG_COLOR_FORMS_H
#define BG_COLOR_FORMS_H

#include "color/fourier.h"

/* Appends the factors of all blocks to tables whose steps are there already. `c`: the color factors of factor.h; the
 * irreps of S_{N-2} have the given dimensions and places in the transform. 0, or -1 without memory. */
int bg_color_add_forms(color_fourier *f, int irreps, const int *dimension, const int *offset, const int64_t *c,
                       int threads);

/* The same for strings: the cosets are skeletons, the group is all of S_n, and `c` are the functions of strings.h. */
int bg_color_add_string_forms(color_fourier *f, int irreps, const int *dimension, const int *offset, const int64_t *c,
                              int threads);

#endif
