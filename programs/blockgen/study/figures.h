/* The figures, in the order of the paper; each fills a figure from what the pool has. */
#ifndef BG_PROGRAM_STUDY_FIGURES_H
#define BG_PROGRAM_STUDY_FIGURES_H

#include "study/figure.h"

typedef struct study_figure {
    const char *name, *title;
    const char *paper; /* which figure of the paper it answers; NULL: none */
    unsigned needs;    /* NEED_... of pool.h */
    void (*make)(const pool *p, figure *f);
} study_figure;

enum { STUDY_FIGURES = 12 };
extern const study_figure study_figures[STUDY_FIGURES];

void make_tess_lc(const pool *p, figure *f);     /* parallel.c */
void make_overhead(const pool *p, figure *f);    /* percent.c */
void make_color_sum(const pool *p, figure *f);   /* colorsum.c */
void make_gpu_memory(const pool *p, figure *f);  /* memory.c */
void make_cpu_memory(const pool *p, figure *f);  /* memory.c */
void make_cpu_time(const pool *p, figure *f);    /* times.c */
void make_gpu_time(const pool *p, figure *f);    /* times.c */
void make_cpu_gpu(const pool *p, figure *f);     /* times.c */
void make_hybrid(const pool *p, figure *f);      /* hybrid.c */
void make_one_percent(const pool *p, figure *f); /* percent.c */
void make_accuracy(const pool *p, figure *f);    /* accuracy.c */
void make_events(const pool *p, figure *f);      /* times.c */

/* page.c: DIR/index.html with those of the STUDY_FIGURES figures that are wanted. CLI_DONE, or CLI_FAILED after a message of
 * the command. */
int study_write_page(const figure *figures, const int *wanted, const char *command, const char *folder);

/* ---- what they share (figures.c) ---------------------------------------------------------------------------- */

figure_kind figure_kind_of(pool_source source);

/* The curve of |M|^2 of each strategy of the list. Notes what is missing. Returns the curve of the first. */
int figures_add_times(const pool *p, figure *f, int panel, int place, const int *list, int count);

/* The short name of a place, for the title of a panel: "1 thread of AMD EPYC", "NVIDIA H200". */
void figures_place(const pool *p, int place, char *text, size_t size);

/* Sentences about where the numbers are from. */
void figures_say_cpu(const pool *p, figure *f, int place);
void figures_say_gpu(const pool *p, figure *f);

#endif
