/* Sets of parton densities, as LHAPDF 6 keeps them: SET/SET.info and SET/SET_0000.dat, SET_0001.dat, ..
 *
 * A set is named "SET", or "SET:MEMBER" or "SET/MEMBER" for a member other than 0; instead of its name a path to its folder
 * will do. It is looked for in the folders of the lists LHAPDF_DATA_PATH and LHAPATH, in $CONDA_PREFIX/share/LHAPDF, and in
 * share/LHAPDF below /usr/local and /usr. One small set is a part of the library (BG_PDF_BUILT_IN): it needs no files.
 *
 * Files are not trusted: everything is checked before it is used, and what is wrong is refused with file, line and reason.
 */
#ifndef BG_BEAMS_PDF_H
#define BG_BEAMS_PDF_H

#include "beams/pdf_grid.h"

#include <stddef.h>

/* The densities of the benchmark in hep-ph/0204316, evolved at leading order: for first steps and tests. */
#define BG_PDF_BUILT_IN BG_BUILT_IN_PDF

#define BG_ONE_SIGMA 68.268949213708589717 /* percent of a normal distribution, 100 erf(1/sqrt(2)) */

enum { BG_PDF_NAME = 128, BG_PDF_PATH = 1024, BG_PDF_TEXT = 512 };

typedef struct bg_pdf {
    char name[BG_PDF_NAME];
    char file[BG_PDF_PATH]; /* of the member; empty for the built-in set */
    char description[BG_PDF_TEXT];
    char error_type[32]; /* replicas, hessian, ..; "unknown" where the set does not say */
    double confidence;   /* percent, of the errors that members stand for */
    int member, members;
    int id;                            /* LHAPDF's number of the member; -1 where the set has none */
    int particle;                      /* PDG id of the hadron */
    int order;                         /* of QCD: 0 is leading order; -1 where the set does not say */
    double x_min, x_max, q_min, q_max; /* of the grid; Q in GeV */
    pdf_grid grid;
    double *block; /* that the grid points to */
} bg_pdf;

/* Reads a set; NULL and "" are the built-in one. To be released by bg_pdf_close(). */
bg_status bg_pdf_open(bg_pdf **pdf, const char *name, bg_error *error);

/* The same set with another member than the name says. */
bg_status bg_pdf_open_member(bg_pdf **pdf, const char *name, int member, bg_error *error);

/* A member of a set from two texts, each ended by a zero; the paths are for messages and for the name. */
bg_status bg_pdf_parse(bg_pdf **pdf, const char *info_path, const char *info, const char *grid_path, const char *grid,
                       int member, bg_error *error);

void bg_pdf_close(bg_pdf *pdf);

/* The folders that are looked at, separated by ", ". */
void bg_pdf_places(char *text, size_t size);

#endif
