/* Chiralities of quark lines: which helicities of quarks go together.
 *
 * Gluons do not change the chirality of a massless line, so of each flavor and either chirality there are as many quarks as
 * antiquarks, all legs taken as outgoing. A pattern is a number with a bit for each place, set where the chirality is +1
 * (and 0 for gluons). The helicity of an outgoing quark is minus its chirality, that of an outgoing antiquark is its
 * chirality; incoming ones have the opposite. With m_f lines of flavor f there are
 *
 *     prod_f C(2 m_f, m_f)        patterns: 2 for one line, 4 or 6 for two, 8, 12 or 20 for three,
 *
 * and changing all signs conjugates every partial amplitude where gluons have real polarization vectors, so those in which
 * the first line's quark has +1 suffice, twice. u d > u d, with places u (in), u (out), d (out), d (in), has the
 * four patterns 0000, 0011, 1100 and 1111, and 0011 and 1111 suffice (place 0 is the bit on the right).
 */
#ifndef BG_HELICITY_CHIRALITY_H
#define BG_HELICITY_CHIRALITY_H

#include "process/subprocess.h"

enum { BG_MOST_CHIRALITIES = 252 }; /* patterns: five lines of one flavor */

/* All patterns in rising order; `half`: only those in which the quark of line 0 has +1. Returns how many; pattern[] must have
 * room for BG_MOST_CHIRALITIES. Without quarks there is one, 0. */
int bg_chiralities(const bg_subprocess *process, int half, uint32_t *pattern);

/* Labels by place for amplitude/tape.h: quarks and antiquarks of the same flavor and chirality have the same. A label is
 * 2 flavor + (1 where the chirality is +1). */
void bg_chirality_labels(const bg_subprocess *process, uint32_t pattern, uint8_t *label);

/* The pattern of helicities, given as one bit for each leg: set where the physical helicity is +. May be one that is not allowed;
 * then the amplitude vanishes. */
uint32_t bg_chirality_of_helicities(const bg_subprocess *process, uint32_t helicities);

/* Whether the amplitudes of a pattern do not all vanish. */
int bg_chirality_allowed(const bg_subprocess *process, uint32_t pattern);

/* Whether tree amplitudes of a configuration of helicities, bit k set where the leg in place k has + as an outgoing one, do
 * not vanish. Among gluons at least two of either helicity are needed, beside one quark line at least one. */
int bg_helicities_allowed(const bg_subprocess *process, uint32_t configuration);

#endif
