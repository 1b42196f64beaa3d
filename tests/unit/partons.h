/* Processes with quarks for tests: |M|^2 of a process that is written as text, and the values of another program in
 * tests/data/quarks/reference.txt.
 */
#ifndef TEST_PARTONS_H
#define TEST_PARTONS_H

#include "support.h"

enum { REFERENCE_PROCESSES = 29, REFERENCE_POINTS = 5, REFERENCE_HELICITIES = 60, REFERENCE_LEGS = 7 };

/* One process of the file. Configurations that are not listed vanish. */
typedef struct parton_reference {
    char process[64];
    int n, n_out, points, helicities;
    double momenta[REFERENCE_POINTS * 4 * REFERENCE_LEGS]; /* [point][leg][4] */
    double me2[REFERENCE_POINTS];
    struct {
        char signs[REFERENCE_LEGS + 1];
        double me2; /* at the first point, without the average over incoming helicities */
    } helicity[REFERENCE_HELICITIES];
} parton_reference;

/* All of them, to be freed. */
parton_reference *parton_references(void);

/* What the file has for a configuration: 0 where it is not listed. */
double parton_reference_helicity(const parton_reference *r, const char *signs);

bg_process *process_of(const char *text);
int legs_of(const char *text); /* incoming and outgoing */
void evaluate_process(const char *text, const bg_options *options, uint64_t first_event, size_t count,
                      const double *momenta, double *me2, double *uncertainty);
double evaluate_process_one(const char *text, const bg_options *options, const double *momenta);

/* ... of one configuration of helicities, "+-+-" in the order of the legs. */
double evaluate_helicity(const char *text, const char *signs, const double *momenta);

/* The partons of a process as words, incoming first; and back, in another order of the legs where there is one. */
typedef struct parton_words {
    int n;
    char word[MOST_GLUONS][4];
} parton_words;

parton_words parton_words_of(const char *text);
void parton_words_write(const parton_words *p, const int *order, char *text, size_t size);

/* k! for k identical outgoing partons, all of them multiplied. */
double identical_factor(const char *text);

/* The instruction sets that the tests go through, 128-bit floats among them; NULL ends them. */
extern const char *const instruction_sets[];

#endif
