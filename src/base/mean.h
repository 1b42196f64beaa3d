/* Mean and standard error of draws as they come (Welford), the same on every backend. */
#ifndef BG_BASE_MEAN_H
#define BG_BASE_MEAN_H

#include "base/scalar.h"

/* Draw number k = 0, 1, ...; mean and spread start at 0. */
BG_FN void mean_add(int k, double value, double *mean, double *spread)
{
    const double off = value - *mean;
    *mean += off / (k + 1);
    *spread += off * (value - *mean);
}

/* Standard error of the mean: 0 where nothing was drawn, NaN where one draw says nothing about it. */
BG_FN double mean_error(int sampled, int samples, double spread)
{
    return !sampled ? 0. : samples == 1 ? (double)NAN : sqrt(spread / (samples - 1.) / samples);
}

#endif
