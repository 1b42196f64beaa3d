/* The largest weight W of a class of events, and the threshold of its sieve, from a survey of trial points.
 *
 * W is such that points above it carry at most a given share of the cross section. A point of the weight w that a sieve
 * (estimate/sieve.h) has kept with the probability p comes with w/p, so W depends on the threshold T: with a high one few |M|^2
 * are computed and w/p = T w/e reaches far beyond the largest w, with a low one nearly all points are computed and W is that of w
 * alone. With the costs t of a trial point and x of an |M|^2 an event costs
 *
 *     (t + x kept(T)) W(T) / sigma ,
 *
 * and T is chosen where that is least. A survey has the estimates e of many points, and w of a few, which were drawn by them. So
 * w/p = (w/e) max(e, T) is taken as a product of independent numbers: max(e, T) of all points, and w/e as it is among the exact
 * ones. That knows the tail from far fewer exact values than points that lie in it would take; where w/e and e do depend on each
 * other, the share above W is another one than was asked for, and nothing else is wrong.
 *
 * Few points say little about a tail. From the largest ones on, which are as good as TAIL points of equal share, e and w/e are
 * taken to fall off with a power of theirs, the one that these points have (Hill 1975). And W is such that points above it
 * carry the given share together with some part of the standard deviation of what they carry. Ratios w/e beyond 256 count as 256: what
 * is above W there is an overweight, which is kept and told.
 */
#ifndef BG_EVENTS_SURVEY_H
#define BG_EVENTS_SURVEY_H

#include <stddef.h>
#include <stdint.h>

typedef struct bg_survey_point {
    uint64_t number;
    double weight; /* e, then w/p; without a sieve w */
} bg_survey_point;

typedef struct bg_survey {
    bg_survey_point *point[2]; /* estimates of all points inside the cuts; exact weights of those that were kept */
    size_t count[2], room[2];
    int exact;                    /* which of them is noted now; without a sieve always the first */
    double threshold;             /* with which points were kept */
    struct bg_spectrum *spectrum; /* what is made of them, once */
    int failed;                   /* no memory */
} bg_survey;

void bg_survey_note(bg_survey *survey, uint64_t number, double weight);
void bg_survey_free(bg_survey *survey);

/* A threshold that keeps so many of the points at most, to be evaluated: all that have large estimates are among them. Without points it
 * is 0, and there is nothing to be found. */
double bg_survey_first_threshold(bg_survey *survey, double count);

/* How many points a sieve with this threshold would keep. */
double bg_survey_kept(const bg_survey *survey, double threshold);

/* How W and T are chosen. */
typedef struct bg_survey_rule {
    double overweight;    /* share of the cross section that points above W may carry, */
    double margin;        /* ... together with so many of its standard deviations */
    double trials, exact; /* what all trial points of the survey cost; one |M|^2 */
} bg_survey_rule;

typedef struct bg_survey_result {
    double largest, threshold; /* W, T */
    double kept,
        sum; /* points that the sieve keeps (or all), and the sum of their weights, for all trials of the survey */
    double excess; /* share of that sum above W */
    double error;  /* of the share of points above W, relative */
    double cost;   /* of an event */
} bg_survey_result;

/* Either of the following looks at a survey, without and with a sieve. */
typedef bg_survey_result bg_survey_look(bg_survey *survey, const bg_survey_rule *rule);
bg_survey_look bg_survey_plain, bg_survey_sieved;

/* The power of the share of overweights that the cost of an event falls with. */
double bg_survey_slope(bg_survey *survey, const bg_survey_rule *rule, bg_survey_look *look);

#endif
