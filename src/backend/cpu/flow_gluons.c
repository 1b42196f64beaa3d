/* Squares of the amplitudes of all traces of gluons, from those with the incoming gluons at the ends (events/flow.h), for one
 * instruction set (BG_ISA, BG_LANES). */
#include "amplitude/external.h"
#include "amplitude/shared.h"
#include "backend/flows.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = BG_FLOW_MOST_GIVEN, MOST_LEGS = MOST + 2 };

/* Room for one way to treat helicities: all states at once, or one configuration. */
typedef struct room {
    shared_layout layout;
    light_current *words, *path;
    real *amplitude; /* [state or part][rank of the word]: sums over words of a state stay in a cache */
} room;

typedef struct flow_gluons {
    shared_sets sets[1 << MOST];
    bg_subprocess process;
    room summed, given;
    uint32_t *shuffle; /* ranks of the words whose amplitudes add up to that of each ordering */
    real *weight;      /* [ordering] */
} flow_gluons;

/* ---- tables ------------------------------------------------------------------------------------------------------ */

static void *aligned(size_t bytes) { return aligned_alloc(64, (bytes + 63) / 64 * 64); }

static void *create(const bg_subprocess *process)
{
    flow_gluons *g = aligned(sizeof *g);
    if (!g) return NULL;
    memset(g, 0, sizeof *g);
    g->process = *process;
    return g;
}

static void empty(room *r)
{
    free(r->words);
    free(r->path);
    free(r->amplitude);
    memset(r, 0, sizeof *r);
}

static void destroy(void *tables)
{
    flow_gluons *g = tables;
    if (!g) return;
    empty(&g->summed);
    empty(&g->given);
    free(g->shuffle);
    free(g->weight);
    free(g);
}

static size_t columns(const flow_gluons *g, int states) { return states == 2 ? (size_t)1 << g->process.n : 2; }

static int prepare_room(const flow_gluons *g, room *r, int states)
{
    const int N = g->process.letters, parts = states == 2 ? 1 : 2;
    if (r->amplitude) return 0;
    shared_lay_out(N, states, parts, &r->layout);
    r->words = aligned(r->layout.base[N] * sizeof *r->words);
    r->path = aligned(r->layout.path[N] * sizeof *r->path);
    r->amplitude = aligned(bg_factorial(N) * columns(g, states) * sizeof *r->amplitude);
    if (r->words && r->path && r->amplitude) return 0;
    empty(r);
    return -1;
}

/* The rank of alpha shuffled with beta reversed; places of beta are the members of `of_beta`. */
static uint32_t shuffle_rank(int N, const permutation *word, uint32_t of_beta)
{
    uint32_t rank = 0, before = 0;
    int from = 0, back = N - 1;
    for (int k = 0; k < N; k++) {
        const int letter = of_beta >> k & 1u ? word->at[back--] : word->at[from++];
        rank = permutation_next_rank(rank, N - k, before, letter);
        before |= 1u << letter;
    }
    return rank;
}

/* Ways to place b of N letters. */
static size_t placings(int N, int b)
{
    size_t count = 1;
    for (int k = 0; k < b; k++) count = count * (size_t)(N - k) / (size_t)(k + 1);
    return count;
}

static void list_shuffles(int N, uint32_t *to)
{
    for (int b = 0; 2 * b <= N; b++) {
        permutation word = bg_permutation_unrank(N, 0);
        do {
            for (uint32_t of_beta = 0; of_beta < 1u << N; of_beta++)
                if (bg_members(of_beta) == b) *to++ = shuffle_rank(N, &word, of_beta);
        } while (bg_permutation_next(N, &word));
    }
}

static int prepare(flow_gluons *g, room *r, int states)
{
    const int N = g->process.letters;
    if (prepare_room(g, r, states)) return -1;
    if (!g->weight) g->weight = aligned(bg_flow_traces(N) * sizeof *g->weight);
    if (!g->weight) return -1;
    if (g->shuffle) return 0;
    size_t all = 0;
    for (int b = 0; 2 * b <= N; b++) all += placings(N, b);
    g->shuffle = malloc(all * bg_factorial(N) * sizeof *g->shuffle);
    if (!g->shuffle) return -1;
    list_shuffles(N, g->shuffle);
    return 0;
}

/* ---- amplitudes with the incoming gluons at the ends ------------------------------------------------------------- */

static void put_amplitudes(const flow_gluons *g, const room *r, const int states, const int parts,
                           const shared_polarization *e)
{
    const int N = g->process.letters;
    const size_t words = bg_factorial(N);
    shared_word w;
    shared_words(N, states, parts, &r->layout, g->sets, e, r->words);
    word_start(&w);
    while (word_next(N, N, &w)) {
        if (w.length < N) {
            shared_prefix(N, states, parts, &r->layout, g->sets, e, r->words, &w, r->path);
            continue;
        }
        light_split split[MOST + 1], whole[MOST + 1];
        real *to = r->amplitude + word_number(&w, N, 0);
        shared_closing_splits(N, &r->layout, g->sets, r->words, r->path, &w, split, whole);
        if (states == 2) {
            shared_close_states(N, split, whole, w.letter, to, words);
        } else {
            real part[2];
            shared_close_one(N, parts, split, whole, e, e + (N + 1) * parts, part);
            to[0] = part[0];
            to[words] = part[1];
        }
    }
}

/* Both states of every gluon. Any orthonormal basis will do for a sum. */
static void put_summed(const flow_gluons *g)
{
    shared_polarization basis[2 * MOST_LEGS];
    for (int k = 0; k < g->process.n; k++) {
        basis[2 * k].a1 = basis[2 * k + 1].a2 = bg_real(1.);
        basis[2 * k].a2 = basis[2 * k + 1].a1 = bg_real(0.);
    }
    put_amplitudes(g, &g->summed, 2, 1, basis);
}

static void put_given(const flow_gluons *g, const light_frame *frame, const shared_gluons *gluons, const vec4 *p,
                      const uint32_t *configuration)
{
    const int n = g->process.n, N = g->process.letters;
    const uint64_t event[BG_LANES] = {0};
    vec4 state[2 * BG_MAX_LEGS];
    shared_polarization e[2 * MOST_LEGS];
    external_polarizations(n, HELICITY_CIRCULAR, configuration, 0, event, 0, p, state);
    for (int k = 0; k < 2 * n; k++) e[k] = shared_transverse(N, frame, gluons, k / 2, &state[k]);
    put_amplitudes(g, &g->given, 1, 2, e);
}

/* ---- all traces -------------------------------------------------------------------------------------------------- */

/* Adds |A(0, alpha, last, beta)|^2 of one state or part to all weights. */
static void add_squares(const flow_gluons *g, const real *amplitude)
{
    const int N = g->process.letters;
    const size_t words = bg_factorial(N);
    const uint32_t *rank = g->shuffle;
    real *to = g->weight;
    for (int b = 0; 2 * b <= N; b++) {
        const size_t terms = placings(N, b);
        for (size_t k = 0; k < words; k++, to++, rank += terms) {
            real sum = amplitude[rank[0]];
            for (size_t i = 1; i < terms; i++) sum = sum + amplitude[rank[i]];
            *to = *to + sum * sum;
        }
    }
}

static const double *weigh(void *tables, int points, const double *momenta, const uint32_t *configuration)
{
    flow_gluons *g = tables;
    const bg_subprocess *s = &g->process;
    const int N = s->letters, states = configuration ? 1 : 2;
    const size_t words = bg_factorial(N), traces = bg_flow_traces(N);
    room *r = configuration ? &g->given : &g->summed;
    uint32_t lanes[BG_LANES];
    vec4 p[BG_MAX_LEGS];
    shared_gluons gluons;
    if (prepare(g, r, states)) return NULL;
    const bg_momenta view = momenta_view(momenta, 4 * (size_t)s->n, 1, s->incoming, s->leg);
    external_load(s->n, &view, points, p);
    const light_frame frame = light_frame_of(p[0], p[N + 1]);
    shared_momenta(N, &frame, p, &gluons, g->sets);
    for (int l = 0; l < BG_LANES && configuration; l++) lanes[l] = configuration[l < points ? l : points - 1];
    if (configuration)
        put_given(g, &frame, &gluons, p, lanes);
    else
        put_summed(g);
    for (size_t k = 0; k < traces; k++) g->weight[k] = bg_real(0.);
    for (size_t h = 0; h < columns(g, states); h++) add_squares(g, r->amplitude + h * words);
    /* with half of the letters, the reversal has a number of its own */
    for (size_t k = 0; k < traces; k++)
        if (2 * (k / words) < (size_t)N) g->weight[k] = g->weight[k] + g->weight[k];
    return (const double *)g->weight;
}

#define PASTE(a, b) a##b
#define SYMBOL(isa) PASTE(bg_flow_gluons_, isa)

extern const bg_flow_kernel SYMBOL(BG_ISA);
const bg_flow_kernel SYMBOL(BG_ISA) = {BG_LANES, create, destroy, weigh};
