/* Real numbers as text, "%.16e" several times faster than printf(): most of what event files in text consist of.
 *
 * A number is scaled to 17 digits before the point in the 64 bits of a long double, with an error below 0.02 of the last digit. So
 * the text is off by less than 0.52 of it, at most 0.52e-16 of the number, while neighbors of a double are 1.11e-16 or more apart:
 * reading it gives the same number again. Numbers that are very large or small, and others than numbers, are left to printf().
 */
#include "events/format.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

enum { DIGITS = 17 };

#if LDBL_MANT_DIG >= 64

/* Powers of ten from 1e-59 to 1e59, rounded once, by the compiler. */
#define TEN(sign, tens)                                                                                                \
    1e##sign##tens##0L, 1e##sign##tens##1L, 1e##sign##tens##2L, 1e##sign##tens##3L, 1e##sign##tens##4L,                \
        1e##sign##tens##5L, 1e##sign##tens##6L, 1e##sign##tens##7L, 1e##sign##tens##8L, 1e##sign##tens##9L
static const long double up[] = {TEN(+, 0), TEN(+, 1), TEN(+, 2), TEN(+, 3), TEN(+, 4), TEN(+, 5)};
static const long double down[] = {TEN(-, 0), TEN(-, 1), TEN(-, 2), TEN(-, 3), TEN(-, 4), TEN(-, 5)};

static long double power_of_ten(int k) { return k < 0 ? down[-k] : up[k]; }

/* Digits and exponent of a number above 0; 0 where it is out of range. */
static int split(double x, uint64_t *digits, int *exponent)
{
    if (!(x > 1e-30 && x < 1e30)) return 0;
    int e = (int)floor(log10(x));
    for (int tries = 0; tries < 3;
         tries++) { /* the logarithm may be off by one next to powers of ten, and so may rounding */
        const uint64_t d = (uint64_t)((long double)x * power_of_ten(DIGITS - 1 - e) + 0.5L);
        if (d < UINT64_C(10000000000000000))
            e--;
        else if (d >= UINT64_C(100000000000000000))
            e++;
        else {
            *digits = d;
            *exponent = e;
            return 1;
        }
    }
    return 0;
}

#else

static int split(double x, uint64_t *digits, int *exponent)
{
    (void)x;
    (void)digits;
    (void)exponent;
    return 0;
}

#endif

size_t events_format_real(double x, char *to)
{
    uint64_t digits;
    int exponent;
    char *at = to;
    if (x == 0. && !signbit(x)) return (size_t)sprintf(to, "0.0000000000000000e+00");
    if (!split(fabs(x), &digits, &exponent)) return (size_t)snprintf(to, EVENTS_REAL, "%.16e", x);
    if (x < 0.) *at++ = '-';
    for (int k = DIGITS; k > 1; k--, digits /= 10) at[k] = (char)('0' + digits % 10);
    at[0] = (char)('0' + digits);
    at[1] = '.';
    at += DIGITS + 1;
    *at++ = 'e';
    *at++ = exponent < 0 ? '-' : '+';
    const int size = exponent < 0 ? -exponent : exponent;
    *at++ = (char)('0' + size / 10);
    *at++ = (char)('0' + size % 10);
    return (size_t)(at - to);
}
