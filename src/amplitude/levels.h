/* The last steps of building a program: what program.c does with levels.c. */
#ifndef BG_AMPLITUDE_LEVELS_H
#define BG_AMPLITUDE_LEVELS_H

#include "amplitude/program.h"

/* Where the parts of a workspace are, with so many numbers of currents. */
void bg_program_lay_out(quark_program *p, uint32_t currents);

/* While steps are made, places are counted within their part. */
void bg_program_move_to_places(quark_program *p);

/* Sorts the steps into levels. 0, or -1 without memory. */
int bg_program_sort(quark_program *p);

#endif
