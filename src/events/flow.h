/* The color flow of an event: which partons are joined by a line of color.
 *
 * In the limit of many colors |M|^2 is a sum over color structures a (traces of gluons, or strings from quarks to
 * antiquarks) without interference, and each of them is one flow. So a flow is drawn with the probability
 *
 *     P(a) = sum_h |A_a(h)|^2 / sum_b sum_h |A_b(h)|^2
 *
 * at the event's helicities h, or summed over all of them. All diagonal elements of the color matrix are equal, and with
 * quarks the A_a have their factors 1/N_c of U(1) exchange, so such flows come as seldom as they should.
 *
 * Gluons alone have (n-1)! traces. Their amplitudes follow from those with both incoming gluons 0 and m at the ends
 * (amplitude/shared.h) by the relations of Kleiss and Kuijf (Nucl. Phys. B 312 (1989) 616),
 *
 *     A(0, alpha, m, beta) = (-1)^|beta| sum_{s in alpha shuffled with beta reversed} A(0, s, m) ,
 *
 * and a trace and its reversal have the same square. With quarks all structures come from one program (amplitude/program.h).
 *
 * For many gluons, alone or on one quark line, there are too many structures to look at each for an event. There a flow has the
 * probability of its antenna, 1 / (s_12 s_23 ..), by sums over paths (color/antenna.h): that is exact for the helicities of
 * Parke and Taylor, and has the right poles for all. bg_flow_enumerates() tells which it is.
 */
#ifndef BG_EVENTS_FLOW_H
#define BG_EVENTS_FLOW_H

#ifndef BLOCKGEN_EXPERIMENTAL
#define BLOCKGEN_EXPERIMENTAL
#endif
#include "blockgen/blockgen.h"

#include "color/tags.h"

/* Up to here all structures are looked at: outgoing gluons without quarks, and gluons on a single line, helicities being
 * summed over or given. A flow then takes about as long as the exact |M|^2. */
enum { BG_FLOW_MOST_SUMMED = 7, BG_FLOW_MOST_GIVEN = 8 };

/* For one subprocess; tables are built when they are first needed. */
bg_status bg_flow_make(bg_flow **flow, const bg_subprocess *process, bg_error *error);
void bg_flow_release(bg_flow *flow);

const bg_subprocess *bg_flow_process(const bg_flow *flow);

/* Whether flows are drawn with the probabilities above, helicities being given or summed over. */
int bg_flow_enumerates(const bg_flow *flow, int given);

/* Draws from two numbers between 0 and 1, or from n of them where flows are not enumerated. `momenta` [leg][4], physical
 * energies; `configuration`: bit k set where the leg in place k, taken as outgoing, has helicity +; NULL: the sum. */
bg_status bg_flow_choose(bg_flow *flow, const double *momenta, const uint32_t *configuration, const double *u,
                         color_tag *tag, bg_error *error);

/* Where flows are enumerated: the weights of all of them, which belong to the flow and stay until the next call ... */
bg_status bg_flow_weigh(bg_flow *flow, const double *momenta, const uint32_t *configuration, uint64_t *count,
                        const double **weight, bg_error *error);

/* ... and the tags of flow number k. Numbers of traces stand for a trace and its reversal, which `reversed` chooses. */
void bg_flow_tags(const bg_flow *flow, uint64_t k, int reversed, color_tag *tag);

#endif
