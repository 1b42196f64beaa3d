/* index.html: the figures of a run with their captions on one page. */
#include "console.h"
#include "files.h"
#include "plot.h"
#include "study/figure.h"

#include <string.h>

#define NAME "study"

static void write_escaped(FILE *out, const char *text)
{
    for (; *text; text++) switch (*text) {
        case '&': fputs("&amp;", out); break;
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        default: putc(*text, out);
        }
}

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<title>BlockGen: figures of the study</title>\n"
    "<style>\n"
    ":root{color-scheme:light dark}\n"
    "body{max-width:1100px;margin:0 auto;padding:1.5rem;font:16px/1.5 system-ui,sans-serif}\n"
    "figure{margin:2rem 0}img{max-width:100%;height:auto;background:#fff}figcaption{margin-top:.5rem}\n"
    "</style>\n</head>\n<body>\n<h1>Figures of the study</h1>\n";

static void write_figure(const figure *f, FILE *out)
{
    fprintf(out, "<figure id=\"%s\">\n<h2>", f->name);
    write_escaped(out, f->title);
    fputs("</h2>\n", out);
    if (f->drawn) {
        fprintf(out, "<img src=\"%s.%s\" alt=\"", f->name, f->drawn & PLOT_SVG ? "svg" : "png");
        write_escaped(out, f->title);
        fputs("\">\n", out);
    }
    fputs("<figcaption>", out);
    write_escaped(out, f->caption);
    fprintf(out,
            "<br>\n<a href=\"%s.csv\">numbers (CSV)</a> <a href=\"%s.json\">JSON</a> <a href=\"%s.md\">tables</a> "
            "<a href=\"%s.txt\">caption, and what was left out</a></figcaption>\n</figure>\n",
            f->name, f->name, f->name, f->name);
}

int figure_page(const figure *figures, const int *wanted, int count, const char *folder)
{
    files_text t;
    files_start(&t);
    if (t.file) {
        fprintf(t.file, "%s<p>blockgen %s</p>\n", head, bg_version());
        for (int k = 0; k < count; k++)
            if (wanted[k]) write_figure(&figures[k], t.file);
        fputs("</body>\n</html>\n", t.file);
    }
    return files_finish(NAME, &t, folder, "index.html");
}
