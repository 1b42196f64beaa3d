/* What other programs take, for comparison: bench/peers/peers.json, which is built into the program. */
#ifndef BG_PROGRAM_STUDY_PEERS_H
#define BG_PROGRAM_STUDY_PEERS_H

#include "study/figure.h"

enum { PEERS_ONE_THREAD, PEERS_GPU };
enum { PEERS_FULL_SUM = 1, PEERS_SAMPLED = 2 };

/* Adds those of a place (PEERS_...) whose question is among `questions` to a panel as curves of their own. */
void peers_add(figure *f, int panel, int place, unsigned questions);

/* Adds what whole processes of other programs keep in memory, bytes. */
void peers_add_memory(figure *f, int panel);

/* The textbook implementation of the paper's color sum, on the GPU: its two parts, ns. 0 where there is no number. */
double peers_textbook(int n_out, int color_sum);

/* The color matrix of that at n_out = 8, bytes: (8!)^2 numbers of 8 bytes. */
double peers_color_matrix(void);

/* A sentence with source and machine. */
const char *peers_source(int place);

#endif
