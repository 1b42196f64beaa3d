/* What the pages of the program share: of an integration (report/page.c) and of a study (study/page.c). */
#ifndef BG_PROGRAM_HTML_H
#define BG_PROGRAM_HTML_H

#include <stdio.h>

/* Inside <head>: width and style. */
extern const char html_head[];

/* A text with everything replaced that HTML or UTF-8 would take amiss. */
void html_escaped(FILE *f, const char *text);

#endif
