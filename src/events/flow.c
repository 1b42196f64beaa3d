#define BG_LANES 1 /* a point at a time */
#include "events/flow.h"

#include "base/status.h"
#include "color/antenna.h"
#include "kinematics/momenta.h"
#include "kinematics/pairs.h"
#include "random/philox.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct bg_flow {
    bg_subprocess process;
    color_strings strings;
    uint64_t count; /* of flows, where they are enumerated */
    const bg_flow_kernel *kernel;
    void *tables;   /* of the kernel, made when they are first needed */
    double *weight; /* of all flows of a point */
    real *paths;    /* H and F of color/antenna.h, where flows are not enumerated */
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
    const bg_flow_kernel *kernel;
    const bg_status status = bg_flow_kernel_find(&kernel, process->lines, error);
    if (status != BG_OK) return status;
    bg_flow *f = calloc(1, sizeof *f);
    if (!f) return bg_fail(error, BG_ERROR_MEMORY, "no memory for color flows");
    f->process = *process;
    f->strings = strings;
    f->kernel = kernel;
    f->count = process->lines ? strings.structures : bg_flow_traces(process->letters);
    *flow = f;
    return bg_succeed(error);
}

void bg_flow_release(bg_flow *f)
{
    if (!f) return;
    f->kernel->destroy(f->tables);
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

/* Weights [structure][lane] of some points; NULL without memory. */
static const double *compute_weights(bg_flow *f, int points, const double *momenta, const uint32_t *configuration)
{
    if (!f->weight) f->weight = malloc(f->count * sizeof *f->weight);
    if (!f->tables) f->tables = f->kernel->create(&f->process);
    return f->weight && f->tables ? f->kernel->weigh(f->tables, points, momenta, configuration) : NULL;
}

/* Those of one point, and their sum. */
static double take_lane(bg_flow *f, const double *weight, int lane)
{
    double total = 0.;
    for (uint64_t k = 0; k < f->count; k++) {
        f->weight[k] = weight[k * (uint64_t)f->kernel->lanes + (uint64_t)lane];
        total += f->weight[k];
    }
    return total;
}

bg_status bg_flow_weigh(bg_flow *f, const double *momenta, const uint32_t *configuration, uint64_t *count,
                        const double **weight, bg_error *error)
{
    const double *all = compute_weights(f, 1, momenta, configuration);
    if (!all) return no_memory(f, error);
    (void)take_lane(f, all, 0);
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

static bg_status choose_enumerated(bg_flow *f, const double *all, int lane, const double *u, color_tag *tag,
                                   bg_error *error)
{
    const double total = take_lane(f, all, lane);
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

/* ---- points ------------------------------------------------------------------------------------------------------ */

/* Bit k set where the leg in place k, taken as outgoing, has helicity +. */
static bg_status read_helicities(const bg_subprocess *s, const char *helicities, uint32_t *configuration,
                                 bg_error *error)
{
    if (strlen(helicities) != (size_t)s->n || strspn(helicities, "+-") != (size_t)s->n)
        return bg_fail(error, BG_ERROR_ARGUMENT, "helicities are '%.40s'; it must be + or - for each of %d partons",
                       helicities, s->n);
    *configuration = 0;
    for (int place = 0; place < s->n; place++) {
        const uint32_t plus = helicities[s->leg[place]] == '+', incoming = s->incoming >> place & 1u;
        *configuration |= (plus ^ incoming) << place;
    }
    return BG_OK;
}

/* 1 where the partons of a channel are the antiparticles of the representative's, -1 where they are something else. */
static int is_conjugated(const bg_subprocess *s, const int *pdg)
{
    int conjugated = -1;
    for (int leg = 0; leg < s->n; leg++) {
        const int own = s->pdg[leg];
        if ((own == BG_PDG_GLUON) != (pdg[leg] == BG_PDG_GLUON) || !pdg[leg]) return -1;
        if (own == BG_PDG_GLUON) continue;
        const int opposite = (own > 0) != (pdg[leg] > 0);
        if (conjugated >= 0 && conjugated != opposite) return -1;
        conjugated = opposite;
    }
    return conjugated < 0 ? 0 : conjugated;
}

static bg_status draw(bg_flow *f, const bg_flow_point *point, const double *all, int lane, bg_error *error)
{
    const bg_subprocess *s = &f->process;
    const int conjugated = point->pdg ? is_conjugated(s, point->pdg) : 0;
    const bg_random r = bg_random_at(point->seed, point->event, 0, BG_STREAM_FLOW);
    double u[BG_MAX_LEGS];
    color_tag tag[BG_MAX_LEGS];
    if (conjugated < 0)
        return bg_fail(error, BG_ERROR_ARGUMENT,
                       "pdg has other partons than the class: gluons and quark lines must be where they are there");
    bg_random_fill(&r, s->n, u);
    const bg_status status =
        all ? choose_enumerated(f, all, lane, u, tag, error) : choose_antenna(f, point->momenta, u, tag, error);
    for (int leg = 0; leg < s->n && status == BG_OK; leg++) {
        point->color[2 * leg] = conjugated ? tag[leg].anticolor : tag[leg].color;
        point->color[2 * leg + 1] = conjugated ? tag[leg].color : tag[leg].anticolor;
    }
    return status;
}

bg_status bg_flow_draw_some(bg_flow *f, int count, const bg_flow_point *point, bg_error *error)
{
    const size_t numbers = 4 * (size_t)f->process.n;
    const int given = point[0].helicities != NULL;
    double momenta[BG_FLOW_MOST_LANES * 4 * BG_MAX_LEGS];
    uint32_t configuration[BG_FLOW_MOST_LANES];
    const double *all = NULL;
    bg_status status = BG_OK;
    for (int k = 0; k < count && status == BG_OK; k++) {
        memcpy(momenta + (size_t)k * numbers, point[k].momenta, numbers * sizeof *momenta);
        if (given) status = read_helicities(&f->process, point[k].helicities, &configuration[k], error);
    }
    if (status == BG_OK && bg_flow_enumerates(f, given)) {
        all = compute_weights(f, count, momenta, given ? configuration : NULL);
        if (!all) return no_memory(f, error);
    }
    for (int k = 0; k < count && status == BG_OK; k++) status = draw(f, &point[k], all, k, error);
    return status;
}
