#include "process/classes.h"
#include "base/status.h"
#include "process/partons.h"

#include <stdlib.h>
#include <string.h>

/* Flavors of representatives, in this order. */
static const int representative_flavor[BG_MAX_FLAVORS] = {2, 1, 3, 4, 5};

/* ---- keys ------------------------------------------------------------------------------------------------------ */

/* What the two beams and the outgoing partons have of one flavor. Beams: 1 quark, -1 antiquark, 0 neither. */
typedef struct flavor_row {
    int8_t beam[2];
    uint8_t quarks, antiquarks;
    int8_t flavor; /* which it is: no part of the comparison */
} flavor_row;

/* A channel as all channels of its class have it. */
typedef struct class_key {
    uint8_t gluon_beam[2];
    uint8_t gluons, rows;
    flavor_row row[BG_MAX_FLAVORS]; /* falling */
} class_key;

typedef struct keyed_channel {
    class_key key;
    bg_channel channel;
    int lines;
} keyed_channel;

static int compare_rows(const flavor_row *a, const flavor_row *b)
{
    if (a->beam[0] != b->beam[0]) return a->beam[0] - b->beam[0];
    if (a->beam[1] != b->beam[1]) return a->beam[1] - b->beam[1];
    if (a->quarks != b->quarks) return a->quarks - b->quarks;
    return a->antiquarks - b->antiquarks;
}

static int compare_keys(const class_key *a, const class_key *b)
{
    for (int k = 0; k < 2; k++)
        if (a->gluon_beam[k] != b->gluon_beam[k]) return a->gluon_beam[k] - b->gluon_beam[k];
    if (a->gluons != b->gluons) return a->gluons - b->gluons;
    if (a->rows != b->rows) return a->rows - b->rows;
    for (int k = 0; k < a->rows; k++) {
        const int order = compare_rows(&a->row[k], &b->row[k]);
        if (order) return order;
    }
    return 0;
}

/* Partons that come out: quarks and antiquarks of each flavor, and gluons. */
typedef struct content {
    int quarks[BG_MAX_FLAVORS + 1], antiquarks[BG_MAX_FLAVORS + 1];
    int gluons;
} content;

/* The key of a channel seen with beams exchanged or not, conjugated or not. */
static class_key key_of(const int *in, const content *out, int exchanged, int conjugated)
{
    class_key key = {.gluons = (uint8_t)out->gluons};
    for (int k = 0; k < 2; k++) key.gluon_beam[k] = in[k ^ exchanged] == BG_PDG_GLUON;
    for (int f = 1; f <= BG_MAX_FLAVORS; f++) {
        flavor_row row = {.flavor = (int8_t)f};
        for (int k = 0; k < 2; k++) {
            const int parton = conjugated ? bg_parton_conjugate(in[k ^ exchanged]) : in[k ^ exchanged];
            row.beam[k] = (int8_t)((parton == f) - (parton == -f));
        }
        row.quarks = (uint8_t)(conjugated ? out->antiquarks : out->quarks)[f];
        row.antiquarks = (uint8_t)(conjugated ? out->quarks : out->antiquarks)[f];
        if (!row.beam[0] && !row.beam[1] && !row.quarks && !row.antiquarks) continue;
        int at = key.rows++;
        for (; at > 0 && compare_rows(&key.row[at - 1], &row) < 0; at--) key.row[at] = key.row[at - 1];
        key.row[at] = row;
    }
    return key;
}

/* The largest of the four keys, and how the channel gets there. Beams stay as they are wherever they can. */
static keyed_channel canonical(const int *in, const content *out)
{
    keyed_channel best = {.channel = {.in = {(int8_t)in[0], (int8_t)in[1]}}};
    for (int way = 0; way < 4; way++) {
        const int exchanged = way / 2, conjugated = way % 2;
        const class_key key = key_of(in, out, exchanged, conjugated);
        if (way && compare_keys(&key, &best.key) <= 0) continue;
        best.key = key;
        best.channel.exchanged = (uint8_t)exchanged;
        best.channel.conjugated = (uint8_t)conjugated;
    }
    for (int k = 0; k < best.key.rows; k++) best.channel.flavor[k] = best.key.row[k].flavor;
    return best;
}

/* ---- all channels ----------------------------------------------------------------------------------------------- */

typedef struct enumeration {
    int flavors, most_lines;
    int in[2];
    content fixed; /* outgoing legs that are partons */
    int jets;
    keyed_channel *channel;
    size_t count, room;
    int failed; /* no memory */
} enumeration;

static void add_channel(enumeration *e, const content *out)
{
    int quarks = (e->in[0] != BG_PDG_GLUON) + (e->in[1] != BG_PDG_GLUON);
    for (int f = 1; f <= BG_MAX_FLAVORS; f++) quarks += out->quarks[f] + out->antiquarks[f];
    if (e->failed || quarks > 2 * e->most_lines) return;
    if (e->count == e->room) {
        keyed_channel *more = realloc(e->channel, (2 * e->room + 64) * sizeof *more);
        if (!more) {
            e->failed = 1;
            return;
        }
        e->channel = more;
        e->room = 2 * e->room + 64;
    }
    e->channel[e->count] = canonical(e->in, out);
    e->channel[e->count++].lines = quarks / 2;
}

/* Jets that are left: `pairs` quarks with their antiquarks, of flavor f and above. */
static void add_pairs(enumeration *e, content *out, int f, int pairs)
{
    if (!pairs) {
        add_channel(e, out);
        return;
    }
    if (f > e->flavors || f > BG_MAX_FLAVORS) return;
    for (int here = 0; here <= pairs; here++) {
        out->quarks[f] += here;
        out->antiquarks[f] += here;
        add_pairs(e, out, f + 1, pairs - here);
        out->quarks[f] -= here;
        out->antiquarks[f] -= here;
    }
}

/* All outgoing contents of an incoming pair: jets make up for what flavor conservation misses, and the rest of them are
 * pairs and gluons. */
static void add_contents(enumeration *e)
{
    content out = e->fixed;
    int jets = e->jets;
    for (int f = 1; f <= BG_MAX_FLAVORS; f++) {
        int missing = out.antiquarks[f] - out.quarks[f];
        for (int k = 0; k < 2; k++) missing += (e->in[k] == f) - (e->in[k] == -f);
        if (missing && f > e->flavors) return;
        if (missing > 0) out.quarks[f] += missing;
        if (missing < 0) out.antiquarks[f] -= missing;
        jets -= missing < 0 ? -missing : missing;
    }
    for (int pairs = 0; 2 * pairs <= jets; pairs++) {
        content with = out;
        with.gluons += jets - 2 * pairs;
        add_pairs(e, &with, 1, pairs);
    }
}

/* The partons that a leg may be; returns how many. */
static int choices_of(int leg, int flavors, int *choice)
{
    int count = 0;
    if (leg != BG_LEG_PROTON) {
        choice[count++] = leg;
        return count;
    }
    choice[count++] = BG_PDG_GLUON;
    for (int f = 1; f <= flavors; f++) {
        choice[count++] = f;
        choice[count++] = -f;
    }
    return count;
}

static void add_all(enumeration *e, const bg_legs *legs)
{
    int first[2 * BG_MAX_FLAVORS + 1], second[2 * BG_MAX_FLAVORS + 1];
    const int firsts = choices_of(legs->leg[0], e->flavors, first);
    const int seconds = choices_of(legs->leg[1], e->flavors, second);
    for (int k = legs->n_in; k < legs->n_in + legs->n_out; k++) {
        const int leg = legs->leg[k];
        if (leg == BG_LEG_JET)
            e->jets++;
        else if (leg == BG_PDG_GLUON)
            e->fixed.gluons++;
        else
            (leg > 0 ? e->fixed.quarks : e->fixed.antiquarks)[bg_parton_flavor(leg)]++;
    }
    for (int a = 0; a < firsts; a++)
        for (int b = 0; b < seconds; b++) {
            e->in[0] = first[a];
            e->in[1] = second[b];
            add_contents(e);
        }
}

/* ---- classes ------------------------------------------------------------------------------------------------------ */

/* gg, gq, q q~, q q, q q', q q'~ */
static int incoming_kind(const class_key *key)
{
    if (key->gluon_beam[0]) return key->gluon_beam[1] ? 0 : 1;
    for (int k = 0; k < key->rows; k++)
        if (key->row[k].beam[0] && key->row[k].beam[1]) return key->row[k].beam[0] == key->row[k].beam[1] ? 3 : 2;
    int sign = 1;
    for (int k = 0; k < key->rows; k++)
        for (int b = 0; b < 2; b++) sign *= key->row[k].beam[b] ? key->row[k].beam[b] : 1;
    return sign > 0 ? 4 : 5;
}

static int compare_channels(const void *left, const void *right)
{
    const keyed_channel *a = left, *b = right;
    if (a->lines != b->lines) return a->lines - b->lines;
    const int kinds = incoming_kind(&a->key) - incoming_kind(&b->key), keys = compare_keys(&b->key, &a->key);
    if (kinds) return kinds;
    if (keys) return keys;
    if (a->channel.exchanged != b->channel.exchanged) return a->channel.exchanged - b->channel.exchanged;
    return memcmp(&a->channel, &b->channel, sizeof a->channel);
}

/* The legs of a key: beams, quarks flavor by flavor, gluons. */
static void name_legs(const class_key *key, bg_class *c)
{
    int n = 2;
    for (int k = 0; k < 2; k++) c->pdg[k] = BG_PDG_GLUON;
    for (int r = 0; r < key->rows; r++) {
        const flavor_row *row = &key->row[r];
        const int f = representative_flavor[r];
        for (int k = 0; k < 2; k++)
            if (row->beam[k]) c->pdg[k] = row->beam[k] * f;
        for (int k = 0; k < row->quarks; k++) c->pdg[n++] = f;
        for (int k = 0; k < row->antiquarks; k++) c->pdg[n++] = -f;
    }
    for (int k = 0; k < key->gluons; k++) c->pdg[n++] = BG_PDG_GLUON;
    c->n_out = n - 2;
}

static void group_channels(bg_class_list *list, const enumeration *e)
{
    for (size_t k = 0; k < e->count; k++) {
        const keyed_channel *now = &e->channel[k];
        if (!k || compare_keys(&now->key, &e->channel[k - 1].key)) {
            bg_class *c = &list->class_of[list->classes++];
            *c = (bg_class){.lines = now->lines, .first = k};
            name_legs(&now->key, c);
        }
        list->class_of[list->classes - 1].count++;
        list->channel[list->channels++] = now->channel;
    }
}

bg_status bg_classes_create(bg_class_list *list, const bg_legs *legs, int flavors, int lines, bg_error *error)
{
    enumeration e = {.flavors = flavors, .most_lines = lines};
    memset(list, 0, sizeof *list);
    add_all(&e, legs);
    if (!e.failed && !e.count)
        return bg_fail(error, BG_ERROR_ARGUMENT,
                       "no channel of the process conserves flavor (%d flavors in p and j, at most %d quark lines)",
                       flavors, lines);
    list->class_of = malloc((e.count + 1) * sizeof *list->class_of);
    list->channel = malloc((e.count + 1) * sizeof *list->channel);
    if (e.failed || !list->class_of || !list->channel) {
        free(e.channel);
        bg_classes_destroy(list);
        return bg_fail(error, BG_ERROR_MEMORY, "no memory for the channels of a process");
    }
    qsort(e.channel, e.count, sizeof *e.channel, compare_channels);
    group_channels(list, &e);
    free(e.channel);
    return bg_succeed(error);
}

void bg_classes_destroy(bg_class_list *list)
{
    free(list->class_of);
    free(list->channel);
    memset(list, 0, sizeof *list);
}

int bg_channel_parton(const bg_channel *channel, int pdg)
{
    const int flavor = bg_parton_flavor(pdg);
    for (int k = 0; flavor && k < BG_MAX_FLAVORS; k++)
        if (representative_flavor[k] == flavor)
            return (pdg > 0) == !channel->conjugated ? channel->flavor[k] : -channel->flavor[k];
    return pdg;
}
