#include "estimate/cholesky.h"

#include <math.h>

#define LEAST_LEFT 1e-14

size_t bg_cholesky(size_t n, double *matrix, double *left)
{
    for (size_t i = 0; i < n; i++) {
        double *row = matrix + i * n;
        const double diagonal = row[i];
        for (size_t j = 0; j <= i; j++) {
            const double *other = matrix + j * n;
            double sum = row[j];
            for (size_t k = 0; k < j; k++) sum -= row[k] * other[k];
            if (j < i) {
                row[j] = sum / other[j];
                continue;
            }
            *left = sum;
            if (!(sum > LEAST_LEFT * diagonal)) return i;
            row[i] = sqrt(sum);
        }
    }
    return n;
}

void bg_cholesky_solve(size_t n, const double *factor, double *b)
{
    for (size_t i = 0; i < n; i++) {
        const double *row = factor + i * n;
        for (size_t k = 0; k < i; k++) b[i] -= row[k] * b[k];
        b[i] /= row[i];
    }
    for (size_t i = n; i-- > 0;) {
        const double *row = factor + i * n;
        b[i] /= row[i];
        for (size_t k = 0; k < i; k++) b[k] -= row[k] * b[i];
    }
}
