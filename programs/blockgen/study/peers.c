#include "study/peers.h"

/* Microseconds per matrix element, one core of an Ice Lake Xeon at 2.8 GHz with AVX-512, and nanoseconds on one H200; same
 * points, double precision. Source of all of it: the design study of this project (its list of targets). */
static const struct {
    int place;
    unsigned question;
    figure_style style;
    double ns[9]; /* [n_out], 0: no figure */
} table[] = {
    {PEERS_ONE_THREAD,
     PEERS_FULL_SUM,
     {.name = "madgraph", .title = "MadGraph (Fortran)", .color = -1, .dash = 3, .point = 0},
     {0, 0, 3.4e3, 57e3, 1120e3, 62000e3}},
    {PEERS_ONE_THREAD,
     PEERS_FULL_SUM,
     {.name = "cudacpp", .title = "MadGraph CUDACPP", .color = -1, .dash = 3, .point = 1},
     {0, 0, 1.0e3, 12.4e3, 261e3, 43000e3}},
    {PEERS_ONE_THREAD,
     PEERS_FULL_SUM,
     {.name = "comix", .title = "Comix", .color = -1, .dash = 3, .point = 2},
     {0, 0, 13e3, 126e3, 1730e3, 26500e3}},
    {PEERS_ONE_THREAD,
     PEERS_FULL_SUM,
     {.name = "amegic", .title = "Amegic (CSW)", .color = -1, .dash = 3, .point = 3},
     {0, 0, 3.1e3, 14.5e3, 910e3, 32000e3}},
    {PEERS_ONE_THREAD,
     PEERS_SAMPLED,
     {.name = "comix-sampled", .title = "Comix, color sampled", .color = -1, .dash = 3, .point = 4},
     {0, 0, 5e3, 30e3, 170e3, 1010e3, 4500e3, 22000e3, 119000e3}},
    {PEERS_GPU,
     PEERS_FULL_SUM,
     {.name = "cudacpp-gpu", .title = "MadGraph CUDACPP, GPU", .color = -2, .dash = 3, .point = 3},
     {0, 0, 4.4, 94., 2400.}},
};

/* The paper's CO_sum on the GPU, one polarization, its parts: amplitudes (at n_out = 6 the middle of 1.3 to 2.0 us) and color sum, ns. */
static const double straight[][2] = {[2] = {0.07, 0.01}, [3] = {2.5, 0.02},   [4] = {22., 0.2},
                                     [5] = {211., 12.},  [6] = {1650., 520.}, [7] = {18600., 79000.}};

double peers_straight(int n_out, int color_sum) { return n_out >= 2 && n_out <= 7 ? straight[n_out][color_sum] : 0.; }

double peers_color_matrix(void) { return 13e9; }

void peers_add(figure *f, int panel, int place, unsigned questions, int divide)
{
    for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
        if (table[k].place != place || !(table[k].question & questions)) continue;
        const int curve = figure_series(f, panel, &table[k].style);
        for (int n_out = BG_MIN_OUT; n_out <= 8; n_out++)
            figure_point(f, curve, n_out, table[k].ns[n_out] / divide, 0., FIGURE_PEER);
    }
    if (place != PEERS_GPU || !(questions & PEERS_SAMPLED)) return;
    const figure_style style = {
        .name = "straight", .title = "the paper's CO_{sum}, straight", .color = -1, .dash = 3, .point = 5};
    const int curve = figure_series(f, panel, &style);
    for (int n_out = BG_MIN_OUT; n_out <= 8; n_out++)
        figure_point(f, curve, n_out, peers_straight(n_out, 0) + peers_straight(n_out, 1), 0., FIGURE_PEER);
}

const char *peers_source(int place)
{
    return place == PEERS_ONE_THREAD
               ? "Other programs (grey): one core of an Ice Lake Xeon at 2.8 GHz (AVX-512), same points, from the "
                 "design "
                 "study of this project."
               : "Grey: MadGraph CUDACPP (full sum, the better of CUDA kernels and cuBLAS) and the paper's CO_sum "
                 "written straight (one thread an event, dense color matrix, one polarization; n_out = 6 is the middle "
                 "of "
                 "1.3 to 2.0 us for the amplitudes), one H200, same points, from the design study of this project.";
}
