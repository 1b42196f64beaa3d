#include "study/peers.h"
#include "jsonread.h"
#include "study/recorded.h"

#include <string.h>

enum { MOST_PEERS_OUT = 8 };

/* The curves: whose numbers, and how they look. Those of the machine that BlockGen's own times are from come first. */
static const struct {
    int place;
    unsigned question;
    const char *program, *machine, *asked;
    figure_style style;
} table[] = {
    {PEERS_ONE_THREAD,
     PEERS_FULL_SUM,
     "madgraph",
     "epyc",
     "full-sum",
     {.name = "madgraph", .title = "MadGraph Fortran, EPYC", .color = -1, .dash = 1, .point = 0}},
    {PEERS_ONE_THREAD,
     PEERS_FULL_SUM,
     "cudacpp",
     "epyc",
     "full-sum",
     {.name = "cudacpp", .title = "MadGraph CUDACPP, EPYC", .color = -1, .dash = 2, .point = 1}},
    {PEERS_ONE_THREAD,
     PEERS_FULL_SUM,
     "comix",
     "icelake",
     "full-sum",
     {.name = "comix", .title = "Comix, Ice Lake", .color = -2, .dash = 2, .point = 2}},
    {PEERS_ONE_THREAD,
     PEERS_FULL_SUM,
     "amegic",
     "icelake",
     "full-sum",
     {.name = "amegic", .title = "Amegic (CSW), Ice Lake", .color = -2, .dash = 3, .point = 3}},
    {PEERS_ONE_THREAD,
     PEERS_SAMPLED,
     "comix",
     "icelake",
     "colors-sampled",
     {.name = "comix-sampled", .title = "Comix, hel. summed, Ice Lake", .color = -2, .dash = 2, .point = 4}},
    {PEERS_GPU,
     PEERS_FULL_SUM,
     "cudacpp",
     "h200",
     "full-sum",
     {.name = "cudacpp-gpu", .title = "MadGraph CUDACPP, GPU", .color = -2, .dash = 3, .point = 3}},
};

/* The file, read once. */
static const json_value *document(void)
{
    static json_value *read;
    char why[160];
    if (!read) read = json_read(bg_recorded_peers, why, sizeof why);
    return read;
}

static int is(const json_value *r, const char *key, const char *text)
{
    return !strcmp(json_string(json_member(r, key), ""), text);
}

/* "gg>ggg" for three outgoing gluons. */
static int is_gluons(const json_value *r, int n_out)
{
    char process[3 + MOST_PEERS_OUT + 1] = "gg>";
    if (n_out > MOST_PEERS_OUT) return 0;
    memset(process + 3, 'g', (size_t)n_out);
    process[3 + n_out] = '\0';
    return is(r, "process", process);
}

/* Nanoseconds of the fastest build; 0: there is no number. */
static double time_of(const char *program, const char *where, const char *asked, int n_out)
{
    const json_value *list = json_member(document(), "times");
    double best = 0.;
    for (const json_value *r = list ? list->first : NULL; r; r = r->next) {
        const double ns = 1e3 * json_number(json_member(r, "us"), 0.);
        if (is(r, "program", program) && is(r, "machine", where) && is(r, "question", asked) && is_gluons(r, n_out) &&
            ns > 0. && (best <= 0. || ns < best))
            best = ns;
    }
    return best;
}

double peers_textbook(int n_out, int color_sum)
{
    return time_of("textbook", "h200", color_sum ? "color-sum" : "amplitudes", n_out);
}

double peers_color_matrix(void) { return 40320. * 40320. * 8.; }

void peers_add(figure *f, int panel, int place, unsigned questions)
{
    for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
        if (table[k].place != place || !(table[k].question & questions)) continue;
        const int curve = figure_series(f, panel, &table[k].style);
        for (int n_out = BG_MIN_OUT; n_out <= MOST_PEERS_OUT; n_out++)
            figure_point(f, curve, n_out, time_of(table[k].program, table[k].machine, table[k].asked, n_out), 0.,
                         FIGURE_PEER);
    }
    if (place != PEERS_GPU || !(questions & PEERS_SAMPLED)) return;
    const figure_style style = {.name = "textbook", .title = "CO_{sum}, textbook", .color = -1, .dash = 3, .point = 5};
    const int curve = figure_series(f, panel, &style);
    for (int n_out = BG_MIN_OUT; n_out <= MOST_PEERS_OUT; n_out++)
        figure_point(f, curve, n_out, peers_textbook(n_out, 0) + peers_textbook(n_out, 1), 0., FIGURE_PEER);
}

void peers_add_memory(figure *f, int panel)
{
    static const struct {
        const char *program;
        figure_style style;
    } programs[] = {
        {"madgraph", {.name = "madgraph", .title = "MadGraph Fortran, process", .color = -1, .dash = 1, .point = 0}},
        {"cudacpp", {.name = "cudacpp", .title = "MadGraph CUDACPP, process", .color = -1, .dash = 2, .point = 1}}};
    const json_value *list = json_member(document(), "memory");
    for (int k = 0; k < 2; k++) {
        const int curve = figure_series(f, panel, &programs[k].style);
        for (int n_out = BG_MIN_OUT; n_out <= MOST_PEERS_OUT; n_out++)
            for (const json_value *r = list ? list->first : NULL; r; r = r->next)
                if (is(r, "program", programs[k].program) && is_gluons(r, n_out))
                    figure_point(f, curve, n_out, 1e6 * json_number(json_member(r, "megabytes"), 0.), 0., FIGURE_PEER);
    }
}

const char *peers_source(int place)
{
    return place == PEERS_ONE_THREAD
               ? "Gray: other programs. MadGraph ran on one core of the same kind of machine (EPYC; the fastest "
                 "build), "
                 "Comix and Amegic ran on one core of an Ice Lake Xeon at 2.8 GHz; versions and flags are in "
                 "bench/peers."
               : "Gray: MadGraph CUDACPP (full sum, the better of CUDA kernels and cuBLAS) and a textbook "
                 "implementation of the paper's CO_sum (one thread per event, dense color matrix, one polarization; "
                 "n_out = 6 is the middle of 1.3 to 2.0 us for the amplitudes), on one H200; see bench/peers.";
}
