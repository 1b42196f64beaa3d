/* What straight_code.c finds for the code of one process, which it is compiled with. */
#ifndef BG_TESTS_STRAIGHT_CODE_H
#define BG_TESTS_STRAIGHT_CODE_H

typedef struct straight_check {
    int legs;
    int pdg[8];
    int structures;    /* amplitudes that the code computes */
    double amplitudes; /* the largest difference from those of the program, of the largest amplitude */
    double colors;     /* that of the color sums of all configurations, of their sum; 0 where the code has none */
} straight_check;

/* At a point of the process, momenta [leg][4]. */
typedef straight_check straight_checker(const double *momenta);

#endif
