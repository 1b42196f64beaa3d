/* What flow.c calls for gluons alone and for quark lines: weights of all color structures of a point. */
#ifndef BG_EVENTS_PARTS_H
#define BG_EVENTS_PARTS_H

#include "events/flow.h"

/* Gluons: number b N! + r is the ordering 0, alpha, last, beta, where alpha beta is the word of rank r and beta has b
 * letters, up to half of them. */
typedef struct flow_gluons flow_gluons;
flow_gluons *bg_flow_gluons_create(const bg_subprocess *process);
void bg_flow_gluons_destroy(flow_gluons *gluons);
uint64_t bg_flow_gluons_count(int letters);

/* 0, or -1 without memory. */
int bg_flow_gluons_weigh(flow_gluons *gluons, const double *momenta, const uint32_t *configuration, double *weight);

/* Quarks: numbers are those of color/strings.h with inverse words. */
typedef struct flow_quarks flow_quarks;
flow_quarks *bg_flow_quarks_create(const bg_subprocess *process);
void bg_flow_quarks_destroy(flow_quarks *quarks);
int bg_flow_quarks_weigh(flow_quarks *quarks, const double *momenta, const uint32_t *configuration, double *weight);

#endif
