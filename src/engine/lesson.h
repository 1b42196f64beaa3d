/* A lesson: points with their estimates and exact values, from which the learned factor of a class (estimate/learned.h) is fitted.
 *
 * Estimates of many points come first. A threshold makes the sieve keep as many of them as are wanted, and their exact values
 * come second. Three of four are what the factor is fitted to. The others say whether it is worth having, and how good it is:
 * points that were fitted would flatter it.
 */
#ifndef BG_ENGINE_LESSON_H
#define BG_ENGINE_LESSON_H

#include "backend/batch.h"
#include "engine/sifting.h"

/* Legs of processes that have a factor: below, estimates are exact or nearly so; above, there are too many coefficients. */
enum {
    BG_LESSON_LEAST_LEGS = 6,
    BG_LESSON_MOST_LEGS = 8,
    BG_LESSON_NUMBERS = 2 * BG_LESSON_MOST_LEGS * (BG_LESSON_MOST_LEGS - 1) / 2
};

/* What a factor is for: an integral wants w/e with little spread, events want few that are large. */
typedef enum bg_lesson_aim { BG_LESSON_FOR_INTEGRAL, BG_LESSON_FOR_EVENTS } bg_lesson_aim;

/* Exact values that a lesson needs at least, and trial points for each of them. */
#define BG_LESSON_EACH 8        /* for each coefficient */
#define BG_LESSON_EACH_EVENTS 6 /* ... and for events */
#define BG_LESSON_TRIALS 24

/* ... for so many legs; 0: there is no factor. */
double bg_lesson_points(int legs, bg_lesson_aim aim);

/* Whether so many exact values are enough for masses of three legs as well. */
int bg_lesson_has_masses(int legs, bg_lesson_aim aim, double points);

typedef struct bg_lesson_estimate {
    uint64_t number;
    double value; /* e */
} bg_lesson_estimate;

typedef struct bg_lesson_exact {
    uint64_t number;
    double value; /* w/p */
    double u[BG_LESSON_NUMBERS];
} bg_lesson_exact;

typedef struct bg_lesson {
    estimate_plan plan; /* rows are legs */
    bg_lesson_aim aim;
    int threads;
    bg_lesson_estimate *estimate;
    bg_lesson_exact *exact;
    size_t estimates, exacts, estimate_room, exact_room;
    double threshold;
    int failed; /* no memory */
} bg_lesson;

/* For so many exact values. `threads`: of the fit. */
bg_status bg_lesson_begin(bg_lesson *lesson, const bg_subprocess *process, bg_lesson_aim aim, double points,
                          int threads, bg_error *error);
void bg_lesson_free(bg_lesson *lesson);

/* Where points go, by turns. */
bg_sink bg_lesson_estimates(bg_lesson *lesson);
bg_sink bg_lesson_exacts(bg_lesson *lesson);

/* The threshold that keeps so many points, at most; 0 where there are none. */
double bg_lesson_threshold(bg_lesson *lesson, double points);

/* Gives the sieve a factor, or the mark that there is none worth having. The same points give the same numbers in any order. */
bg_status bg_lesson_learn(bg_lesson *lesson, bg_sifting *sifting, bg_error *error);

#endif
