/* Classes of the partonic channels that a process with protons or jets stands for.
 *
 * A channel is one choice of partons: (incoming pair, outgoing content). Two channels have the same |M|^2 if one becomes the
 * other when flavors get other names, when quarks and antiquarks are exchanged, or when the two beams are (then with
 * their momenta exchanged). A class is all channels that are equal in this sense, so it needs one evaluation at a point.
 * Of "p p > 2j" with five flavors,
 *
 *     g u > u g      20 channels: g u > u g, g d > d g, .. g b~ > b~ g, and with beams exchanged u g > u g, ..
 *     u u~ > d d~    40 channels: 10 incoming pairs, each with the four other flavors that come out
 *
 * The representative has the gluon first where one of the beams is one, and flavors named u, d, s, c, b in turn.
 */
#ifndef BG_PROCESS_CLASSES_H
#define BG_PROCESS_CLASSES_H

#include "process/text.h"

#include <stddef.h>
#include <stdint.h>

/* A channel, and how it becomes its representative. */
typedef struct bg_channel {
    int8_t in[2];       /* PDG ids of the beams */
    uint8_t exchanged;  /* 1: leg 0 of the representative is the parton of the second beam */
    uint8_t conjugated; /* 1: quarks of the representative are antiquarks of the channel */
    int8_t flavor
        [BG_MAX_FLAVORS]; /* what the flavors u, d, s, c, b of the representative are in the channel; 0: not there */
} bg_channel;

/* A class. Its channels are `count` entries of the list from `first` on; they are sorted by incoming pair. */
typedef struct bg_class {
    int n_out;
    int pdg[BG_MAX_LEGS]; /* of the representative, the incoming two first */
    int lines;
    size_t first, count;
} bg_class;

typedef struct bg_class_list {
    int classes;
    size_t channels;
    bg_class *class_of; /* by number of quark lines, then gg, gq, q q~, q q, q q', q q'~ coming in */
    bg_channel *channel;
} bg_class_list;

/* All channels of a process with at most `lines` quark lines, p and j made of gluons and the first `flavors` quarks. Where there is none at all, the message says so. To be released by bg_classes_destroy(). */
bg_status bg_classes_create(bg_class_list *list, const bg_legs *legs, int flavors, int lines, bg_error *error);
void bg_classes_destroy(bg_class_list *list);

/* What a parton of the representative is in a channel. */
int bg_channel_parton(const bg_channel *channel, int pdg);

#endif
