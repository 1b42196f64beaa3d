/* index.html: all figures of a run on one page. */
#include "files.h"
#include "html.h"
#include "options.h"
#include "plot.h"
#include "study/figures.h"

static void write_link(FILE *f, const figure *g, const char *ending, const char *title)
{
    fprintf(f, "<a href=\"%s.%s\">%s</a> ", g->name, ending, title);
}

static void write_figure(FILE *f, const figure *g)
{
    const char *best = g->drawn & PLOT_SVG ? "svg" : "png";
    const int drawn = g->drawn & (PLOT_PNG | PLOT_SVG);
    fprintf(f, "<figure class=\"card\" id=\"%s\">\n<h2>", g->name);
    html_escaped(f, g->title);
    fputs("</h2>\n", f);
    if (drawn)
        fprintf(f, "<a href=\"%s.%s\"><img src=\"%s.%s\" alt=\"%s\"></a>\n", g->name, best, g->name, best, g->name);
    fputs("<p>", f);
    html_escaped(f, g->caption);
    fputs("</p>\n<figcaption><span>", f);
    write_link(f, g, "csv", "CSV");
    write_link(f, g, "json", "JSON");
    write_link(f, g, "md", "tables");
    write_link(f, g, "txt", "caption");
    if (g->drawn & PLOT_PNG) write_link(f, g, "png", "PNG");
    if (g->drawn & PLOT_SVG) write_link(f, g, "svg", "SVG");
    fputs("</span></figcaption>\n</figure>\n", f);
}

static void write_page(FILE *f, const figure *figures, const int *wanted)
{
    fprintf(f,
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>BlockGen: study</title>\n%s"
            "</head>\n<body>\n<main>\n<header class=\"card\">\n<h1>Many-gluon amplitudes: the study</h1>\n"
            "<div class=\"quiet\">blockgen %s</div>\n<p>",
            html_head, bg_version());
    for (int k = 0; k < STUDY_FIGURES; k++)
        if (wanted[k]) fprintf(f, "<a href=\"#%s\">%s</a> ", figures[k].name, figures[k].name);
    fputs("</p>\n</header>\n", f);
    for (int k = 0; k < STUDY_FIGURES; k++)
        if (wanted[k]) write_figure(f, &figures[k]);
    fputs("</main>\n</body>\n</html>\n", f);
}

int study_write_page(const figure *figures, const int *wanted, const char *command, const char *folder)
{
    files_text t;
    files_start(&t);
    if (t.file) write_page(t.file, figures, wanted);
    return files_finish(command, &t, folder, "index.html");
}
