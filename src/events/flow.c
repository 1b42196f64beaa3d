#define BG_LANES 1 /* a point at a time */
#include "events/flow.h"

#include "base/status.h"
#include "color/antenna.h"
#include "events/parts.h"
#include "kinematics/momenta.h"
#include "kinematics/pairs.h"

#include <math.h>
#include <stdlib.h>

struct bg_flow {
    bg_subprocess process;
    color_strings strings;
    uint64_t count;      /* of flows, where they are enumerated */
    flow_gluons *gluons; /* one of the two */
    flow_quarks *quarks;
    double *weight;
    real *paths; /* H and F of color/antenna.h, where flows are not enumerated */
};

/* ---- tables ------------------------------------------------------------------------------------------------------ */

int bg_flow_enumerates(const bg_flow *f, int given)
{
    const int many = f->process.lines ? f->process.gluons : f->process.n_out;
    return f->process.lines > 1 || many <= (given ? BG_FLOW_MOST_GIVEN : BG_FLOW_MOST_SUMMED);
}

bg_status bg_flow_make(bg_flow **flow, const bg_subprocess *process, bg_error *error)
{
    *flow = NULL;
    const color_strings strings = bg_color_strings(process->lines, process->gluons);
    if (process->lines > 1 && strings.structures > BG_MOST_STRUCTURES)
        return bg_fail(error, BG_ERROR_UNSUPPORTED,
                       "%d quark lines and %d gluons have %llu color flows; they are drawn from at most %llu",
                       process->lines, process->gluons, (unsigned long long)strings.structures,
                       (unsigned long long)BG_MOST_STRUCTURES);
    bg_flow *f = calloc(1, sizeof *f);
    if (!f) return bg_fail(error, BG_ERROR_MEMORY, "no memory for color flows");
    f->process = *process;
    f->strings = strings;
    f->count = process->lines ? strings.structures : bg_flow_gluons_count(process->letters);
    *flow = f;
    return bg_succeed(error);
}

void bg_flow_release(bg_flow *f)
{
    if (!f) return;
    bg_flow_gluons_destroy(f->gluons);
    bg_flow_quarks_destroy(f->quarks);
    free(f->weight);
    free(f->paths);
    free(f);
}

const bg_subprocess *bg_flow_process(const bg_flow *f) { return &f->process; }

static bg_status no_memory(const bg_flow *f, bg_error *error)
{
    return bg_fail(error, BG_ERROR_MEMORY, "no memory for the color flows of %d gluons and %d quark lines",
                   f->process.gluons, f->process.lines);
}

/* ---- all flows --------------------------------------------------------------------------------------------------- */

static int compute_weights(bg_flow *f, const double *momenta, const uint32_t *configuration)
{
    if (!f->weight) f->weight = malloc(f->count * sizeof *f->weight);
    if (!f->weight) return -1;
    if (f->process.lines) {
        if (!f->quarks) f->quarks = bg_flow_quarks_create(&f->process);
        return f->quarks ? bg_flow_quarks_weigh(f->quarks, momenta, configuration, f->weight) : -1;
    }
    if (!f->gluons) f->gluons = bg_flow_gluons_create(&f->process);
    return f->gluons ? bg_flow_gluons_weigh(f->gluons, momenta, configuration, f->weight) : -1;
}

bg_status bg_flow_weigh(bg_flow *f, const double *momenta, const uint32_t *configuration, uint64_t *count,
                        const double **weight, bg_error *error)
{
    if (compute_weights(f, momenta, configuration)) return no_memory(f, error);
    *count = f->count;
    *weight = f->weight;
    return BG_OK;
}

static void trace_tags(const bg_flow *f, uint64_t k, int reversed, color_tag *tag)
{
    const bg_subprocess *s = &f->process;
    const int N = s->letters;
    const uint64_t words = bg_factorial(N);
    const int b = (int)(k / words);
    const permutation word = bg_permutation_unrank(N, k % words);
    uint8_t leg[BG_MAX_LEGS];
    for (int at = 0; at < s->n; at++) {
        const int place = at == 0           ? 0
                          : at <= N - b     ? 1 + word.at[at - 1]
                          : at == N - b + 1 ? N + 1
                                            : 1 + word.at[at - 2];
        leg[reversed ? s->n - 1 - at : at] = s->leg[place];
    }
    bg_color_tags_of_trace(s, leg, tag);
}

static void string_tags(const bg_flow *f, uint64_t k, color_tag *tag)
{
    color_structure x = bg_color_structure_unrank(&f->strings, k);
    x.word = bg_permutation_inverse(f->strings.gluons, &x.word);
    bg_color_tags(&f->process, &x, tag);
}

void bg_flow_tags(const bg_flow *f, uint64_t k, int reversed, color_tag *tag)
{
    if (f->process.lines)
        string_tags(f, k, tag);
    else
        trace_tags(f, k, reversed, tag);
}

static bg_status choose_enumerated(bg_flow *f, const double *momenta, const uint32_t *configuration, const double *u,
                                   color_tag *tag, bg_error *error)
{
    if (compute_weights(f, momenta, configuration)) return no_memory(f, error);
    double total = 0.;
    for (uint64_t k = 0; k < f->count; k++) total += f->weight[k];
    if (!isfinite(total))
        return bg_fail(error, BG_ERROR_POINT, "the squares of the amplitudes add up to %g, not a finite number", total);
    if (!(total > 0.))
        return bg_fail(error, BG_ERROR_ARGUMENT, "all amplitudes of these helicities vanish: there is no color flow");
    bg_flow_tags(f, bg_color_choose(f->count, f->weight, u[0]), u[1] < 0.5, tag);
    return BG_OK;
}

/* ---- antennas ---------------------------------------------------------------------------------------------------- */

/* 1 / s of all steps. The ends are the incoming gluons, or the quark and the antiquark of the line. */
static void fill_antenna(const bg_subprocess *s, const double *momenta, const uint8_t *letter, int first, int last,
                         antenna *a)
{
    real room[2 * (BG_MAX_LEGS + 1) * (BG_MAX_LEGS + 1)];
    vec4 p[BG_MAX_LEGS];
    const int N = s->n - 2;
    const pair_table t = pairs_in(s->n, room, 1);
    for (int leg = 0; leg < s->n; leg++)
        p[leg] = (vec4){momenta[4 * leg], momenta[4 * leg + 1], momenta[4 * leg + 2], momenta[4 * leg + 3]};
    pairs_fill(s->n, p, &t);
    a->ends = pairs_inverse(&t, first, last);
    for (int k = 0; k < N; k++) {
        a->first[k] = pairs_inverse(&t, first, letter[k]);
        a->last[k] = pairs_inverse(&t, letter[k], last);
        for (int l = 0; l < N; l++) a->step[k * N + l] = k == l ? 0. : pairs_inverse(&t, letter[k], letter[l]);
    }
}

/* The word of a single line, from the quark to the antiquark. */
static void draw_line(const bg_flow *f, const antenna *a, const double *u, color_tag *tag)
{
    const int N = f->process.gluons;
    int path[BG_MAX_LETTERS];
    color_structure x = {.length = {(uint8_t)N}};
    antenna_draw_path(N, a, f->paths, 1, 0, (1u << N) - 1u, u, path);
    for (int k = 0; k < N; k++) x.word.at[k] = (uint8_t)path[k];
    bg_color_tags(&f->process, &x, tag);
}

/* A trace: how many letters stand between the ends, then which. Paths of either direction are drawn as often. */
static void draw_trace(const bg_flow *f, const antenna *a, const double *u, color_tag *tag)
{
    const bg_subprocess *s = &f->process;
    const int N = s->letters;
    const real *F = f->paths + antenna_path_reals(N);
    real Z[BG_MAX_LETTERS + 1];
    int order[BG_MAX_LETTERS];
    uint8_t leg[BG_MAX_LEGS];
    antenna_totals(N, F, 1, Z);
    const int b = (int)bg_color_choose((uint64_t)N + 1, Z, u[0]);
    antenna_draw(N, b, a, f->paths, F, Z, 1, 0, u + 1, order);
    for (int at = 0; at < s->n; at++) {
        const int place = at == 0 ? 0 : at <= b ? 1 + order[at - 1] : at == b + 1 ? N + 1 : 1 + order[at - 2];
        leg[at] = s->leg[place];
    }
    bg_color_tags_of_trace(s, leg, tag);
}

static bg_status choose_antenna(bg_flow *f, const double *momenta, const double *u, color_tag *tag, bg_error *error)
{
    const bg_subprocess *s = &f->process;
    const int N = s->n - 2;
    uint8_t letter[BG_MAX_LEGS];
    antenna a;
    antenna_rules rules;
    if (!f->paths) f->paths = malloc((antenna_path_reals(N) + antenna_sum_reals(N)) * sizeof *f->paths);
    if (!f->paths) return no_memory(f, error);
    for (int k = 0; k < N; k++) letter[k] = s->lines ? s->gluon[k] : s->leg[1 + k];
    fill_antenna(s, momenta, letter, s->lines ? s->quark[0] : s->leg[0], s->lines ? s->antiquark[0] : s->leg[N + 1],
                 &a);
    antenna_no_rules(N, &rules);
    real *F = f->paths + antenna_path_reals(N);
    antenna_paths(N, &a, a.first, a.last, &rules, f->paths, F, 1);
    if (!isfinite(F[(1u << N) - 1u]))
        return bg_fail(error, BG_ERROR_POINT, "two partons have no invariant mass: there is no color flow");
    if (s->lines)
        draw_line(f, &a, u, tag);
    else
        draw_trace(f, &a, u, tag);
    return BG_OK;
}

bg_status bg_flow_choose(bg_flow *f, const double *momenta, const uint32_t *configuration, const double *u,
                         color_tag *tag, bg_error *error)
{
    return bg_flow_enumerates(f, configuration != NULL) ? choose_enumerated(f, momenta, configuration, u, tag, error)
                                                        : choose_antenna(f, momenta, u, tag, error);
}
