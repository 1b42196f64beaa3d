/* Ways to answer the question: the paper's five algorithms, and the strategies that are worth a comparison or a choice. This
 * is the one table of them; what is chosen, measured, tested or drawn names its rows.
 */
#ifndef BG_PROCESS_STRATEGY_H
#define BG_PROCESS_STRATEGY_H

#ifndef BLOCKGEN_EXPERIMENTAL
#define BLOCKGEN_EXPERIMENTAL
#endif
#include "blockgen/blockgen.h"

/* The name of an algorithm, and its axes into options. */
const char *bg_algorithm_word(bg_algorithm algorithm);
void bg_algorithm_apply(bg_options *options, bg_algorithm algorithm);

extern const bg_strategy bg_strategy_table[];
extern const int bg_strategy_rows;

/* A row by its name, or NULL, and its axes into options. */
const bg_strategy *bg_strategy_row(const char *name);
void bg_strategy_apply(bg_options *options, const bg_strategy *strategy);

#endif
