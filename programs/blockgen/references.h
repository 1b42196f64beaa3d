/* What a run stands on, and how it is cited. */
#ifndef BG_PROGRAM_REFERENCES_H
#define BG_PROGRAM_REFERENCES_H

typedef struct reference {
    const char *key;                      /* of BibTeX */
    const char *kind;                     /* "article", "software", "misc", "inproceedings" */
    const char *authors;                  /* "Family, Given and Family, Given" */
    const char *title;                    /* NULL: it is called by its number */
    const char *journal, *volume, *pages; /* NULL: none */
    int year;
    const char *arxiv, *doi; /* NULL: none */
    const char *note;        /* NULL: none */
} reference;

/* The references by what they are for. */
enum {
    REFERENCE_PROGRAM,
    REFERENCE_ALGORITHMS,
    REFERENCE_ORDERED,
    REFERENCE_DRESSED,
    REFERENCE_COLOR_SUM,
    REFERENCE_RANDOM,
    REFERENCE_FLAT,
    REFERENCE_ADAPTIVE,
    REFERENCE_DENSITIES,
    REFERENCE_TOY_DENSITIES,
    REFERENCE_LHEF,
    REFERENCE_LHEF_3,
    REFERENCE_LHEH5,
    REFERENCE_LHEH5_2,
    REFERENCES
};
extern const reference references[REFERENCES];

/* What each of them is for: "parton densities and their format". */
extern const char *const reference_uses[REFERENCES];

#endif
