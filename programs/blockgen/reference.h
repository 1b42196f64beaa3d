/* Built-in phase-space points and the values of |M|^2 there (alpha_s = 0.118), for blockgen selftest. */
#ifndef BG_PROGRAM_REFERENCE_H
#define BG_PROGRAM_REFERENCE_H

enum { REFERENCE_MAX_OUT = 8 };

typedef struct reference_helicity {
    const char *helicities; /* physical, incoming first */
    double me2;             /* at the first point, color-summed, no helicity average */
} reference_helicity;

typedef struct reference_set {
    int points;
    const double *momenta; /* [point][2 + n_out][4] */
    const double *full;    /* full sum, or NULL (n_out 6 to 8: points only) */
    const double *leading; /* leading color, 0 where it is not known */
    const reference_helicity *helicities;
    int helicity_count;
} reference_set;

/* n_out 2 to 8. */
const reference_set *reference_values(int n_out);

/* Processes with one to three quark lines, distinct and identical flavors. */
typedef struct reference_process {
    const char *text;
    reference_set values; /* leading color: NULL */
} reference_process;

/* k = 0, 1, ..; NULL past the last. */
const reference_process *reference_process_at(int k);

#endif
