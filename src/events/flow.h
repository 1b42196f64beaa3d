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

#include "backend/flows.h"
#include "color/tags.h"

/* For one subprocess; tables are built when they are first needed. */
bg_status bg_flow_make(bg_flow **flow, const bg_subprocess *process, bg_error *error);
void bg_flow_release(bg_flow *flow);

const bg_subprocess *bg_flow_process(const bg_flow *flow);

/* Whether flows are drawn with the probabilities above, helicities being given or summed over. */
int bg_flow_enumerates(const bg_flow *flow, int given);

/* A point whose flow is drawn. */
typedef struct bg_flow_point {
    const int *pdg;         /* partons of a channel; NULL: the representative's */
    const double *momenta;  /* [leg][4], physical energies */
    const char *helicities; /* "+-+-" for each leg; NULL: the sum. Either all points of a call have them, or none has */
    uint64_t seed, event;   /* of its random numbers */
    int *color;             /* [leg][2]: color and anticolor, as event files want them */
} bg_flow_point;

/* At most as many points at a time as the kernel has lanes. What a point gets does not depend on the others. */
bg_status bg_flow_draw_some(bg_flow *flow, int count, const bg_flow_point *point, bg_error *error);

/* Where flows are enumerated: the weights of all of them, which belong to the flow and stay until the next call ... `configuration`:
 * bit k set where the leg in place k, taken as outgoing, has helicity +; NULL: the sum. */
bg_status bg_flow_weigh(bg_flow *flow, const double *momenta, const uint32_t *configuration, uint64_t *count,
                        const double **weight, bg_error *error);

/* ... and the tags of flow number k. Numbers of traces stand for a trace and its reversal, which `reversed` chooses. */
void bg_flow_tags(const bg_flow *flow, uint64_t k, int reversed, color_tag *tag);

#endif
