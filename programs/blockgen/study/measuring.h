/* What the measurements of the pool share; nothing for the figures. A strategy is its number k (curves.h). */
#ifndef BG_PROGRAM_STUDY_MEASURING_H
#define BG_PROGRAM_STUDY_MEASURING_H

#include "study/pool.h"

#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))
/* Up to here an evaluator of summed colors is made in no time; at n_out = 10 its tables alone take half a minute. */
enum { MOST_READY = 9 };

#define NO_TIME_LEFT "the time for these measurements was used up"

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void measuring_why(char why[WHY_LENGTH], const char *format, ...);

/* Seconds until `end`, a time of cli_seconds(). */
double measuring_left(double end);

/* A line of progress: the whole run is what the limit allows. */
void measuring_show(const pool *p, const char *what, int k, int n_out, const char *where);

const char *measuring_backend(int place);
bg_options measuring_options(const pool *p, int place, int k);

/* NULL with the reason where there is no such evaluator. A strategy with a fast kernel must really get one: the paper's
 * own is another strategy. */
bg_evaluator *measuring_create(const pool *p, int place, int k, int n_out, char why[WHY_LENGTH]);

/* For qsort. */
int measuring_ascending(const void *a, const void *b);

void measuring_percent(pool *p, int place, double end); /* integrals.c */
void measuring_hybrid(pool *p, double end);             /* integrals.c */
void measuring_digits(pool *p, double end);             /* digits.c */

#endif
