/* A number that counts the operations on it, to see what the stations really cost (base/scalar.h, BG_COUNTED). */
#ifndef TESTS_COUNTED_H
#define TESTS_COUNTED_H

#include <cmath>

struct counted {
    double value;
    bool unit; /* literally 1 or -1: a compiler leaves it out */

    counted() : value(0.), unit(false) {}
    counted(double x) : value(x), unit(x == 1. || x == -1.) {}
    explicit operator double() const { return value; }

    static inline double operations = 0.;
    static counted result(double x)
    {
        operations += 1.;
        return product(x);
    }
    static counted product(double x)
    {
        counted r;
        r.value = x;
        return r;
    }
};

inline counted operator+(counted a, counted b) { return counted::result(a.value + b.value); }
inline counted operator-(counted a, counted b) { return counted::result(a.value - b.value); }
inline counted operator/(counted a, counted b) { return counted::result(a.value / b.value); }
inline counted operator*(counted a, counted b)
{
    return a.unit || b.unit ? counted::product(a.value * b.value) : counted::result(a.value * b.value);
}
inline counted operator*(double a, counted b) { return counted::result(a * b.value); }
inline counted operator-(counted a)
{
    a.value = -a.value;
    return a;
}
inline counted &operator+=(counted &a, counted b) { return a = a + b; }
inline counted &operator-=(counted &a, counted b) { return a = a - b; }
inline counted &operator*=(counted &a, counted b) { return a = a * b; }
inline int operator<(counted a, counted b) { return a.value < b.value; }
inline int operator==(counted a, counted b) { return a.value == b.value; }
inline int operator>(counted a, counted b) { return a.value > b.value; }
inline int operator<=(counted a, counted b) { return a.value <= b.value; }
inline int operator>=(counted a, counted b) { return a.value >= b.value; }
inline counted sqrt(counted a) { return counted::result(std::sqrt(a.value)); }

typedef counted real, element;
typedef int mask;

#endif
