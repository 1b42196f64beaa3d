/* How the figures draw each strategy. Colors: 0 blue, 1 vermillion, 2 green, 3 purple, 4 orange, 5 sky blue, 6 black
 * (plot_colors). The paper's kernels are dashed where the fast ones have the same color. */
#include "study/curves.h"

const figure_style study_curves[STRATEGIES] = {
    [TESS] = {.name = "tess", .title = "Tess, one ordering", .color = 2, .dash = 2, .point = 4},
    [LC] = {.name = "lc", .title = "LC, one ordering", .color = 5, .dash = 2, .point = 3},
    [LC_ALL] = {.name = "lc-all", .title = "LC, all orderings", .color = 2, .dash = 1, .point = 2},
    [FULL_PAPER] = {.name = "full-paper", .title = "CO_{sum}, full sum, paper", .color = 0, .dash = 2, .point = 0},
    [FULL] = {.name = "full", .title = "CO_{sum}, full sum, fast", .color = 0, .dash = 1, .point = 0},
    [CO_SUM_PAPER] =
        {.name = "co-sum-paper", .title = "CO_{sum}, hel. sampled, paper", .color = 1, .dash = 2, .point = 1},
    [CO_SUM] = {.name = "co-sum", .title = "CO_{sum}, hel. sampled, fast", .color = 1, .dash = 1, .point = 1},
    [CO_SUM_PAIRS] =
        {.name = "co-sum-invariants", .title = "CO_{sum}, hel. by invariants", .color = 2, .dash = 1, .point = 2},
    [CO_MC] = {.name = "co-mc", .title = "CO_{MC}, hel. summed", .color = 3, .dash = 2, .point = 2},
    [CO_MC_ONE] = {.name = "co-mc-sampled", .title = "CO_{MC}, hel. sampled", .color = 3, .dash = 3, .point = 5},
    [CO_MC_PAIRS] =
        {.name = "co-mc-invariants", .title = "CO_{MC}, hel. by invariants", .color = 5, .dash = 3, .point = 1},
    [CD_MC] = {.name = "cd-mc", .title = "CD_{MC}", .color = 4, .dash = 2, .point = 4},
    [COHERENT] = {.name = "coherent", .title = "coherent colors", .color = 6, .dash = 1, .point = 5},
    [COHERENT_PAIRS] =
        {.name = "coherent-invariants", .title = "coherent, hel. by invariants", .color = 6, .dash = 3, .point = 0},
};
