/* What a grid or a table of directions is told of the importances that it learns from. */
#ifndef BG_PHASESPACE_LEARNING_H
#define BG_PHASESPACE_LEARNING_H

/* What importances are, and how much they know. */
typedef struct bg_learning {
    int power;     /* of the weights of points, which are summed up */
    double points; /* (sum of w)^2 / (sum of w^2): so many points of equal weight would know as much */
} bg_learning;

/* The part of a step that so many points are good for, half of it being for `half` times the power. Few points tell more about
 * themselves than about what they were drawn from. */
static inline double learning_trust(const bg_learning *how, double half)
{
    return how->points / (how->points + half * how->power);
}

#endif
