/* The strategies that the figures show, and how their curves look. */
#ifndef BG_PROGRAM_STUDY_CURVES_H
#define BG_PROGRAM_STUDY_CURVES_H

/* Numbers of the study's own for some rows of the library's table. */
enum {
    TESS,
    LC,
    LC_ALL,
    FULL_PAPER,
    FULL,
    CO_SUM_PAPER,
    CO_SUM,
    CO_SUM_PAIRS,
    CO_MC,
    CO_MC_ONE,
    CO_MC_PAIRS,
    CD_MC,
    COHERENT,
    COHERENT_PAIRS,
    STRATEGIES
};

typedef struct figure_style {
    const char *name;  /* in the data; of a strategy also its name in the library, such as "co-sum" */
    const char *title; /* in the legend, with gnuplot's indices */
    int color;         /* of plot_colors; -1, -2, ...: grays, for other programs */
    int dash;          /* 1 solid, 2 dashed, 3 dotted */
    int point;         /* which symbol */
} figure_style;

extern const figure_style study_curves[STRATEGIES];

#endif
