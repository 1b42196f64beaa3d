#include "study/pool.h"

/* Colors: 0 blue, 1 vermillion, 2 green, 3 purple, 4 orange, 5 sky blue, 6 black (plot_colors). Dashes: the paper's
 * kernels are dashed where the fast ones have the same color. */
const strategy strategies[STRATEGIES] = {
    [TESS] = {"tess", "Tess, one ordering", BG_ALGORITHM_TESS, BG_HELICITY_SAMPLED, BG_SAMPLE_ANGLE, BG_KERNEL_PAPER,
              BG_ORDERINGS_ONE, 2, 2, 4},
    [LC] = {"lc", "LC, one ordering", BG_ALGORITHM_LC, BG_HELICITY_SAMPLED, BG_SAMPLE_ANGLE, BG_KERNEL_PAPER,
            BG_ORDERINGS_ONE, 5, 2, 3},
    [LC_ALL] = {"lc-all", "LC, all orderings", BG_ALGORITHM_LC, BG_HELICITY_SUMMED, BG_SAMPLE_ANGLE, BG_KERNEL_PAPER,
                BG_ORDERINGS_ALL, 5, 2, 3},
    [FULL_PAPER] = {"full-paper", "CO_{sum}, full sum, paper", BG_ALGORITHM_CO_SUM, BG_HELICITY_SUMMED, BG_SAMPLE_ANGLE,
                    BG_KERNEL_PAPER, BG_ORDERINGS_ALL, 0, 2, 0},
    [FULL] = {"full", "CO_{sum}, full sum, fast", BG_ALGORITHM_CO_SUM, BG_HELICITY_SUMMED, BG_SAMPLE_ANGLE,
              BG_KERNEL_FAST, BG_ORDERINGS_ALL, 0, 1, 0},
    [CO_SUM_PAPER] = {"co-sum-paper", "CO_{sum}, hel. sampled, paper", BG_ALGORITHM_CO_SUM, BG_HELICITY_SAMPLED,
                      BG_SAMPLE_ANGLE, BG_KERNEL_PAPER, BG_ORDERINGS_ALL, 1, 2, 1},
    [CO_SUM] = {"co-sum", "CO_{sum}, hel. sampled, fast", BG_ALGORITHM_CO_SUM, BG_HELICITY_SAMPLED, BG_SAMPLE_ANGLE,
                BG_KERNEL_FAST, BG_ORDERINGS_ALL, 1, 1, 1},
    [CO_SUM_PAIRS] = {"co-sum-invariants", "CO_{sum}, hel. by invariants", BG_ALGORITHM_CO_SUM, BG_HELICITY_SAMPLED,
                      BG_SAMPLE_INVARIANTS, BG_KERNEL_FAST, BG_ORDERINGS_ALL, 2, 1, 2},
    [CO_MC] = {"co-mc", "CO_{MC}, hel. summed", BG_ALGORITHM_CO_MC, BG_HELICITY_SUMMED, BG_SAMPLE_ANGLE,
               BG_KERNEL_PAPER, BG_ORDERINGS_ALL, 3, 2, 2},
    [CO_MC_ONE] = {"co-mc-sampled", "CO_{MC}, hel. sampled", BG_ALGORITHM_CO_MC, BG_HELICITY_SAMPLED, BG_SAMPLE_ANGLE,
                   BG_KERNEL_PAPER, BG_ORDERINGS_ALL, 3, 3, 3},
    [CO_MC_PAIRS] = {"co-mc-invariants", "CO_{MC}, hel. by invariants", BG_ALGORITHM_CO_MC, BG_HELICITY_SAMPLED,
                     BG_SAMPLE_INVARIANTS, BG_KERNEL_PAPER, BG_ORDERINGS_ALL, 5, 3, 3},
    [CD_MC] = {"cd-mc", "CD_{MC}", BG_ALGORITHM_CD_MC, BG_HELICITY_SAMPLED, BG_SAMPLE_ANGLE, BG_KERNEL_PAPER,
               BG_ORDERINGS_ALL, 4, 2, 4},
    [COHERENT] = {"coherent", "coherent colors", BG_ALGORITHM_CD_MC, BG_HELICITY_SAMPLED, BG_SAMPLE_ANGLE,
                  BG_KERNEL_FAST, BG_ORDERINGS_ALL, 6, 1, 5},
    [COHERENT_PAIRS] = {"coherent-invariants", "coherent, hel. by invariants", BG_ALGORITHM_CD_MC, BG_HELICITY_SAMPLED,
                        BG_SAMPLE_INVARIANTS, BG_KERNEL_FAST, BG_ORDERINGS_ALL, 6, 3, 0},
};
