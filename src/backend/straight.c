/* Which processes are served by code that was written out, and how their legs become those of its own process. */
#include "backend/straight.h"
#include "amplitude/program.h"
#include "color/strings.h"
#include "helicity/chirality.h"

#include <stdlib.h>
#include <string.h>

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

/* Adds the run of a code that serves, number `number` of the list. -1 without memory. */
static int add_run(straight_runs *r, const straight_code *code, int number, const bg_subprocess *process,
                   const bg_subprocess *own, const straight_places *places, double share)
{
    straight_run *more = realloc(r->run, (size_t)(r->runs + 1) * sizeof *more);
    if (!more) return -1;
    r->run = more;
    more[r->runs] = (straight_run){.code = number, .places = *places};
    find_beams(process, own->n, &more[r->runs++].places);
    r->whole = code->whole;
    r->configurations = (uint32_t)code->configurations;
    r->structures += (uint32_t)code->structures;
    r->operations += share * code->operations;
    r->color_operations = code->color_operations;
    return 0;
}

/* Both processes, leg by leg. */
typedef struct both_processes {
    bg_subprocess own; /* of the code */
    flavor_legs theirs[BG_MAX_LINES], ours[BG_MAX_LINES];
} both_processes;

static int serves(const straight_code *code, const bg_subprocess *process, both_processes *b)
{
    if (code->legs != process->n ||
        bg_subprocess_create(&b->own, process->n_in, process->n_out, code->pdg, NULL) != BG_OK)
        return 0;
    find_flavors(process, b->theirs);
    find_flavors(&b->own, b->ours);
    return fits(process, b->theirs, &b->own, b->ours);
}

int bg_straight_serves(const straight_code *code, const bg_subprocess *process)
{
    both_processes b;
    return serves(code, process, &b);
}

/* Adds the run of a code, where it serves. */
static int try_code(straight_runs *r, const straight_code *code, int number, const bg_subprocess *process)
{
    const program_layout layout = {.given = 1};
    straight_places places = {.gauge = 0};
    both_processes b;
    quark_program program;
    if (!serves(code, process, &b)) return 0;
    if (bg_program_create(&program, &b.own, &layout)) return -1;
    find_places(process, b.theirs, &b.own, b.ours, &places);
    const double share = find_patterns(&b.own, &program, &places);
    bg_program_destroy(&program);
    return add_run(r, code, number, process, &b.own, &places, share);
}

int bg_straight_create(straight_runs *r, const bg_subprocess *process, const straight_code *const *list, int codes)
{
    memset(r, 0, sizeof *r);
    for (int k = 0; k < codes; k++)
        if (try_code(r, list[k], k, process)) {
            bg_straight_destroy(r);
            return -1;
        }
    return 0;
}

void bg_straight_destroy(straight_runs *r)
{
    free(r->run);
    memset(r, 0, sizeof *r);
}
