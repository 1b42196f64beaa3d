/* Variations: what a cross section would be with other scales, and with the other members of its parton densities.
 *
 * Neither changes |M|^2 or phase space, so a variation v of a point is a ratio of its weight,
 *
 *     r_v = L_v(x1, x2, muF_v) / L(x1, x2, muF)  (alpha_s_v(muR_v) / alpha_s(muR))^k ,
 *
 * and sigma_v = sigma <w r_v> / <w>, class by class. The ratios hardly change over phase space (a few percent), so that a few
 * thousand points say them to less than a tenth of a percent. They are drawn when the integration is done, from its
 * grids, and are as many as this takes: the same for any number of threads and ranks, each of which does all of it.
 *
 * Scales: both by factors 1/2, 1 and 2, without the two corners where they go apart by 4. Members: all of the set, one after
 * the other in memory. Histograms get, bin by bin, the ratios of the scales (accumulate/histograms.h).
 */
#ifndef BG_ENGINE_VARIATIONS_H
#define BG_ENGINE_VARIATIONS_H

#include "engine/many.h"

enum { BG_VARY_SCALES = 1, BG_VARY_MEMBERS = 2 };

/* Factors of muR and muF; no change comes first. */
extern const double bg_scale_factors[BG_SCALE_VARIATIONS][2];

/* What a list such as "scale,pdf" asks for: a sum of the above; NULL and "" ask for nothing. */
bg_status bg_variations_parse(const char *text, int *wanted, bg_error *error);

/* Whether that makes sense with these parton densities (NULL: there are none). */
bg_status bg_variations_check(const char *text, const bg_pdf *pdf, bg_error *error);

/* Those that wish->variations asks for, once the integration is done; they go to wish->variation_results and into bands of
 * wish->histograms. Where somebody interrupts, there are none. */
bg_status bg_variations_run(bg_many *many, const bg_process *process, const bg_options *options,
                            const bg_integration *wish, bg_error *error);

#endif
