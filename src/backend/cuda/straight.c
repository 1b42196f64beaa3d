/* Which processes have a kernel that was written out, and how their legs become those of its own process. */
#include "backend/cuda/straight.h"
#include "color/strings.h"
#include "helicity/chirality.h"
#include "instances.h"

#include <stdlib.h>
#include <string.h>

#define X(name) extern const straight_instance bg_cuda_straight_##name;
BG_CUDA_STRAIGHT_INSTANCES(X)
#undef X

#define X(name) &bg_cuda_straight_##name,
static const straight_instance *const instances[] = {BG_CUDA_STRAIGHT_INSTANCES(X)};
#undef X

/* The legs of one flavor by place, quarks and antiquarks. */
typedef struct flavor_legs {
    int lines;
    uint8_t quark[BG_MAX_LINES], antiquark[BG_MAX_LINES];
} flavor_legs;

/* ---- legs ----------------------------------------------------------------------------------------------------------- */

/* The place that closes comes first, and so does its flavor. Then flavors with more lines come first, as in the process. */
static void find_flavors(const bg_subprocess *s, flavor_legs *flavor)
{
    const int closes = bg_program_closes(s);
    memset(flavor, 0, (size_t)s->flavors * sizeof *flavor);
    for (int line = 0; line < s->lines; line++) {
        flavor_legs *f = &flavor[s->flavor[line]];
        f->quark[f->lines] = s->place[s->quark[line]];
        f->antiquark[f->lines] = s->place[s->antiquark[line]];
        f->lines++;
    }
    for (int k = 0; k < s->flavors; k++)
        for (int i = 0; i < flavor[k].lines; i++)
            for (int anti = 0; anti < 2; anti++) {
                uint8_t *at = anti ? flavor[k].antiquark : flavor[k].quark;
                if (at[i] != closes) continue;
                flavor_legs own = flavor[k];
                at = anti ? own.antiquark : own.quark;
                at[i] = at[0];
                at[0] = (uint8_t)closes;
                memmove(flavor + 1, flavor, (size_t)k * sizeof *flavor);
                flavor[0] = own;
                return;
            }
}

static int closes_on_gauge(const bg_subprocess *s) { return bg_program_closes(s) == s->gauge; }

/* Whether legs of one process can be renamed to those of the other. */
static int fits(const bg_subprocess *process, const flavor_legs *theirs, const bg_subprocess *own,
                const flavor_legs *ours)
{
    if (process->gluons != own->gluons || process->lines != own->lines || process->flavors != own->flavors ||
        closes_on_gauge(process) != closes_on_gauge(own))
        return 0;
    for (int k = 0; k < own->flavors; k++)
        if (theirs[k].lines != ours[k].lines) return 0;
    return 1;
}

static void find_places(const bg_subprocess *process, const flavor_legs *theirs, const bg_subprocess *own,
                        const flavor_legs *ours, straight_places *to)
{
    const int conjugated =
        (theirs[0].quark[0] == bg_program_closes(process)) != (ours[0].quark[0] == bg_program_closes(own));
    for (int k = 0; k < own->flavors; k++)
        for (int i = 0; i < ours[k].lines; i++) {
            to->place[ours[k].quark[i]] = conjugated ? theirs[k].antiquark[i] : theirs[k].quark[i];
            to->place[ours[k].antiquark[i]] = conjugated ? theirs[k].quark[i] : theirs[k].antiquark[i];
        }
    for (int g = 0; g < own->gluons; g++) to->place[own->place[own->gluon[g]]] = process->place[process->gluon[g]];
}

/* Patterns of chiralities and the pairings that each allows; returns which share of all pairings that is. */
static double find_patterns(const bg_subprocess *own, const quark_program *program, straight_places *to)
{
    uint32_t pattern[BG_MOST_CHIRALITIES];
    const int patterns = bg_chiralities(own, 1, pattern);
    int allowed = 0;
    for (int k = 0; k < patterns; k++) {
        to->pattern[k] = pattern[k];
        for (int i = 0; i < program->pairings; i++) {
            const program_pairing *ends = &program->pairing[i];
            uint32_t differ = 0;
            for (int line = 0; line < own->lines; line++)
                differ |= pattern[k] >> ends->quark[line] ^ pattern[k] >> ends->antiquark[line];
            if (differ & 1u) continue;
            to->allowed[k] |= 1u << i;
            allowed++;
        }
    }
    return (double)allowed / (patterns * program->pairings);
}

/* ---- runs ----------------------------------------------------------------------------------------------------------- */

/* Where the amplitude at a position is when gluons g are called name[g]. */
static uint16_t renamed_position(const color_strings *strings, uint32_t position, const uint8_t *name)
{
    const permutation inverse = bg_permutation_unrank(strings->gluons, position % strings->words);
    color_structure s = bg_color_structure_unrank(strings, position / strings->words * strings->words);
    const permutation word = bg_permutation_inverse(strings->gluons, &inverse);
    for (int k = 0; k < strings->gluons; k++) s.word.at[k] = name[word.at[k]];
    return (uint16_t)bg_program_position(strings, &s);
}

/* The run in which gluons 0 and `other` have changed places. */
static straight_run exchanged_run(const straight_instance *instance, const bg_subprocess *own,
                                  const straight_places *places, int other)
{
    const color_strings strings = bg_color_strings(own->lines, own->gluons);
    straight_run r = {.instance = instance, .places = *places};
    for (int g = 0; g < own->gluons; g++) r.places.gluon[g] = (uint8_t)(g == other ? 0 : g ? g : other);
    for (int g = 0; g < own->gluons; g++)
        r.places.place[own->place[own->gluon[g]]] = places->place[own->place[own->gluon[r.places.gluon[g]]]];
    for (int k = 0; k < instance->structures; k++)
        r.places.position[k] = renamed_position(&strings, instance->position[k], r.places.gluon);
    return r;
}

/* Legs that come in stay where they are: those of a run by its own places. */
static void find_beams(const bg_subprocess *process, int n, straight_places *to)
{
    int outgoing = 0;
    for (int k = 0; k < n; k++)
        if (to->place[k] == process->gauge)
            to->gauge = (uint8_t)k;
        else if (to->place[k] == process->opposite)
            to->opposite = (uint8_t)k;
        else
            to->outgoing[outgoing++] = (uint8_t)k;
}

/* Adds the runs of an instance that fits. -1 without memory. */
static int add_runs(straight_runs *r, const straight_instance *instance, const bg_subprocess *process,
                    const bg_subprocess *own, const straight_places *places, double share)
{
    const int count = instance->place < 0 ? 1 : own->gluons;
    straight_run *more = realloc(r->run, (size_t)(r->runs + count) * sizeof *more);
    if (!more) return -1;
    r->run = more;
    for (int k = 0; k < count; k++) {
        more[r->runs] = exchanged_run(instance, own, places, k);
        find_beams(process, own->n, &more[r->runs].places);
        r->runs++;
    }
    r->whole = instance->whole;
    r->configurations = (uint32_t)instance->configurations;
    r->structures += (uint32_t)(count * instance->structures);
    r->operations += count * share * instance->operations;
    return 0;
}

/* Adds those of an instance, where it fits. */
static int try_instance(straight_runs *r, const straight_instance *instance, const bg_subprocess *process,
                        const flavor_legs *theirs)
{
    const program_layout layout = {.given = 1};
    flavor_legs ours[BG_MAX_LINES];
    straight_places places = {.gauge = 0};
    bg_subprocess own;
    quark_program program;
    if (instance->legs != process->n ||
        bg_subprocess_create(&own, process->n_in, process->n_out, instance->pdg, NULL) != BG_OK)
        return 0;
    find_flavors(&own, ours);
    if (!fits(process, theirs, &own, ours)) return 0;
    if (bg_program_create(&program, &own, &layout)) return -1;
    find_places(process, theirs, &own, ours, &places);
    const double share = find_patterns(&own, &program, &places);
    bg_program_destroy(&program);
    return add_runs(r, instance, process, &own, &places, share);
}

int bg_cuda_straight_create(straight_runs *r, const bg_subprocess *process)
{
    flavor_legs theirs[BG_MAX_LINES];
    memset(r, 0, sizeof *r);
    find_flavors(process, theirs);
    for (size_t k = 0; k < sizeof instances / sizeof *instances; k++)
        if (try_instance(r, instances[k], process, theirs)) {
            bg_cuda_straight_destroy(r);
            return -1;
        }
    return 0;
}

void bg_cuda_straight_destroy(straight_runs *r)
{
    free(r->run);
    memset(r, 0, sizeof *r);
}

size_t bg_cuda_straight_chip(const straight_runs *r)
{
    size_t most = 0;
    for (int k = 0; k < r->runs; k++)
        if (r->run[k].instance->chip > most) most = r->run[k].instance->chip;
    return most;
}

bg_status bg_cuda_straight_resources(const straight_runs *r, size_t *on_chip, size_t *stack, bg_error *error)
{
    *on_chip = bg_cuda_straight_chip(r) / (size_t)r->run->instance->events;
    *stack = 0;
    for (int k = 0; k < r->runs; k++) {
        size_t own = 0;
        const bg_status status = r->run[k].instance->resources(&own, error);
        if (status != BG_OK) return status;
        if (own > *stack) *stack = own;
    }
    return BG_OK;
}
