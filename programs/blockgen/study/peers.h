/* What other programs take, for comparison. One table, peers.c, with its sources. */
#ifndef BG_PROGRAM_STUDY_PEERS_H
#define BG_PROGRAM_STUDY_PEERS_H

#include "study/figure.h"

enum { PEERS_ONE_THREAD, PEERS_GPU };
enum { PEERS_FULL_SUM = 1, PEERS_SAMPLED = 2 };

/* Adds those of a place (PEERS_...) whose question is among `questions` to a panel as curves of their own. `divide`: by how
 * many cores their times are divided, 1 as they were measured. */
void peers_add(figure *f, int panel, int place, unsigned questions, int divide);

/* The paper's color sum written straight, on the GPU: its two parts, ns. 0 where there is no figure. */
double peers_straight(int n_out, int color_sum);

/* The color matrix of that at n_out = 8, bytes. */
double peers_color_matrix(void);

/* A sentence with source and machine. */
const char *peers_source(int place);

#endif
