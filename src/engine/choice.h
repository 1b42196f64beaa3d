/* Which algorithm for which question: what stands behind `auto`. */
#ifndef BG_ENGINE_CHOICE_H
#define BG_ENGINE_CHOICE_H

#include "process/process.h"

typedef enum bg_wish { BG_WISH_MATRIX_ELEMENT, BG_WISH_CROSS_SECTION } bg_wish;

/* Whether any of color, recursion and helicity is automatic. */
int bg_options_automatic(const bg_options *options);

/* Fills the automatic ones in for a backend and a question; the others are kept. Where nothing fits to them, what is
 * filled in makes no sense with them either, and bg_plan_create() says so. */
void bg_options_resolve(bg_options *options, int n_out, const char *backend, bg_wish wish);

#endif
