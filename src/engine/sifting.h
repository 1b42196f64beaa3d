/* The sieve (estimate/sieve.h) while an integration goes on: what is known of the estimate, and how many points are kept. */
#ifndef BG_ENGINE_SIFTING_H
#define BG_ENGINE_SIFTING_H

#include "accumulate/tally.h"
#include "estimate/sieve.h"

enum { BG_MOST_COEFFICIENTS = BG_MAX_LEGS * (BG_MAX_LEGS - 1) / 2 * (BG_MAX_LEGS * (BG_MAX_LEGS - 1) / 2 + 1) / 2 };

/* Part of the state of an integration: plain data. */
typedef struct bg_sifting {
    int32_t on;           /* 0: every point inside the cuts gets its |M|^2 */
    int32_t coefficients; /* of the learned factor; 0: there is none, -1: and a lesson has found none worth having */
    int64_t legs;         /* of the process */
    double scale;         /* of E */
    double threshold;     /* of the iteration under way */
    double mean,
        spread;     /* of e over trial points: its mean, and that of its square over the square of its mean, less 1 */
    double inside;  /* share of the trial points that are inside the cuts */
    double kept[3]; /* sums over all points kept so far, with e at the present scale: e/p, w/p, w^2/(e p) */
    double coefficient[BG_MOST_COEFFICIENTS];
} bg_sifting;

/* A sieve that is on, and knows nothing. */
void bg_sifting_begin(bg_sifting *sifting, int legs);

/* Takes in the points of a finished iteration, and makes the means of e and w equal. Returns the factor that all e become
 * larger by. */
double bg_sifting_take(bg_sifting *sifting, const bg_tally *tally);

/* Relative spread of w/e. */
double bg_sifting_rms(const bg_sifting *sifting);

/* The mean of e over the threshold, sigma/T, that gives the least error for the time, with the costs of a trial point and of a |M|^2:
 * the share of trial points that is kept where hardly any e is above T. */
double bg_sifting_best_share(const bg_sifting *sifting, double trial, double exact);

/* The share of trial points that is kept then, about: points with e above T count once. */
double bg_sifting_kept_share(const bg_sifting *sifting, double share);

/* Sets that threshold. */
void bg_sifting_keep(bg_sifting *sifting, double share);

/* What a batch of points is to be sieved with. */
bg_sieve bg_sifting_sieve(const bg_sifting *sifting, const estimate_plan *plan);

int bg_sifting_is_sound(const bg_sifting *sifting, const bg_sifting *begun);

#endif
