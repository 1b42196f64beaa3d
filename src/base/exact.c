#include "base/exact.h"

#include <math.h>

void bg_exact_carry(bg_exact *sum)
{
    int64_t carry = 0;
    for (int k = 0; k + 1 < BG_EXACT_DIGITS; k++) {
        const int64_t d = sum->digit[k] + carry;
        const int64_t low = (int64_t)((uint64_t)d & 0xffffffffu);
        carry = (d - low) / 4294967296; /* exact: the difference is a multiple */
        sum->digit[k] = low;
    }
    sum->digit[BG_EXACT_DIGITS - 1] += carry;
}

void bg_exact_merge(bg_exact *a, const bg_exact *b)
{
    bg_exact c = *b;
    bg_exact_carry(&c);
    bg_exact_carry(a);
    for (int k = 0; k < BG_EXACT_DIGITS; k++) a->digit[k] += c.digit[k];
    bg_exact_carry(a);
}

double bg_exact_value(const bg_exact *sum)
{
    bg_exact s = *sum;
    double value = 0., sign = 1.;
    bg_exact_carry(&s);
    if (s.digit[BG_EXACT_DIGITS - 1] < 0) { /* the digits of the absolute value convert without cancellation */
        for (int k = 0; k < BG_EXACT_DIGITS; k++) s.digit[k] = -s.digit[k];
        bg_exact_carry(&s);
        sign = -1.;
    }
    for (int k = BG_EXACT_DIGITS - 1; k >= 0; k--)
        if (s.digit[k]) value += ldexp((double)s.digit[k], 32 * k - 1074);
    return sign * value;
}
