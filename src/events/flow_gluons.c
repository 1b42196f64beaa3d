/* Squares of the amplitudes of all traces of gluons, from those with the incoming gluons at the ends. */
#define BG_LANES 1 /* a point at a time */
#include "events/parts.h"

#include "amplitude/external.h"
#include "amplitude/shared.h"

#include <stdlib.h>

enum { MOST = BG_FLOW_MOST_GIVEN, MOST_LEGS = MOST + 2 };

/* Room for one way to treat helicities: all states at once, or one configuration. */
typedef struct room {
    shared_layout layout;
    light_current *words, *path;
    real *amplitude; /* [rank of the word][state or part] */
} room;

struct flow_gluons {
    bg_subprocess process;
    shared_sets sets[1 << MOST];
    room summed, given;
};

/* ---- tables ------------------------------------------------------------------------------------------------------ */

flow_gluons *bg_flow_gluons_create(const bg_subprocess *process)
{
    flow_gluons *g = calloc(1, sizeof *g);
    if (g) g->process = *process;
    return g;
}

static void empty(room *r)
{
    free(r->words);
    free(r->path);
    free(r->amplitude);
    *r = (room){.words = NULL};
}

void bg_flow_gluons_destroy(flow_gluons *g)
{
    if (!g) return;
    empty(&g->summed);
    empty(&g->given);
    free(g);
}

uint64_t bg_flow_gluons_count(int letters) { return (uint64_t)(letters / 2 + 1) * bg_factorial(letters); }

static size_t columns(const flow_gluons *g, int states) { return states == 2 ? (size_t)1 << g->process.n : 2; }

static int prepare(const flow_gluons *g, room *r, int states)
{
    const int N = g->process.letters, parts = states == 2 ? 1 : 2;
    if (r->amplitude) return 0;
    shared_lay_out(N, states, parts, &r->layout);
    r->words = malloc(r->layout.base[N] * sizeof *r->words);
    r->path = malloc(r->layout.path[N] * sizeof *r->path);
    r->amplitude = malloc(bg_factorial(N) * columns(g, states) * sizeof *r->amplitude);
    if (r->words && r->path && r->amplitude) return 0;
    empty(r);
    return -1;
}

/* ---- amplitudes with the incoming gluons at the ends ------------------------------------------------------------- */

static void put_amplitudes(const flow_gluons *g, const room *r, const int states, const int parts,
                           const shared_polarization *e)
{
    const int N = g->process.letters;
    const size_t width = columns(g, states);
    shared_word w;
    shared_words(N, states, parts, &r->layout, g->sets, e, r->words);
    word_start(&w);
    while (word_next(N, N, &w)) {
        if (w.length < N) {
            shared_prefix(N, states, parts, &r->layout, g->sets, e, r->words, &w, r->path);
            continue;
        }
        light_split split[MOST + 1], whole[MOST + 1];
        real *to = r->amplitude + word_number(&w, N, 0) * width;
        shared_closing_splits(N, &r->layout, g->sets, r->words, r->path, &w, split, whole);
        if (states == 2)
            shared_close_states(N, split, whole, w.letter, to, 1);
        else
            shared_close_one(N, parts, split, whole, e, e + (N + 1) * parts, to);
    }
}

/* Both states of every gluon. Any orthonormal basis will do for a sum. */
static void put_summed(const flow_gluons *g)
{
    shared_polarization basis[2 * MOST_LEGS];
    for (int k = 0; k < g->process.n; k++) {
        basis[2 * k].a1 = basis[2 * k + 1].a2 = 1.;
        basis[2 * k].a2 = basis[2 * k + 1].a1 = 0.;
    }
    put_amplitudes(g, &g->summed, 2, 1, basis);
}

static void put_given(const flow_gluons *g, const light_frame *frame, const shared_gluons *gluons, const vec4 *p,
                      uint32_t configuration)
{
    const int n = g->process.n, N = g->process.letters;
    const uint64_t event = 0;
    vec4 state[2 * BG_MAX_LEGS];
    shared_polarization e[2 * MOST_LEGS];
    external_polarizations(n, HELICITY_CIRCULAR, &configuration, 0, &event, 0, p, state);
    for (int k = 0; k < 2 * n; k++) e[k] = shared_transverse(N, frame, gluons, k / 2, &state[k]);
    put_amplitudes(g, &g->given, 1, 2, e);
}

/* ---- all traces -------------------------------------------------------------------------------------------------- */

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

/* sum_h |A(0, alpha, last, beta)|^2 */
static double square(const room *r, size_t width, int N, int b, const permutation *word)
{
    double sum[1 << (BG_FLOW_MOST_SUMMED + 2)], total = 0.;
    for (size_t h = 0; h < width; h++) sum[h] = 0.;
    for (uint32_t of_beta = 0; of_beta < 1u << N; of_beta++) {
        if (bg_members(of_beta) != b) continue;
        const double *amplitude = r->amplitude + shuffle_rank(N, word, of_beta) * width;
        for (size_t h = 0; h < width; h++) sum[h] += amplitude[h];
    }
    for (size_t h = 0; h < width; h++) total += sum[h] * sum[h];
    return total;
}

int bg_flow_gluons_weigh(flow_gluons *g, const double *momenta, const uint32_t *configuration, double *weight)
{
    const bg_subprocess *s = &g->process;
    const int N = s->letters, states = configuration ? 1 : 2;
    room *r = configuration ? &g->given : &g->summed;
    vec4 p[BG_MAX_LEGS];
    shared_gluons gluons;
    if (prepare(g, r, states)) return -1;
    const bg_momenta view = momenta_view(momenta, 4 * (size_t)s->n, 1, s->incoming, s->leg);
    external_load(s->n, &view, 1, p);
    const light_frame frame = light_frame_of(p[0], p[N + 1]);
    shared_momenta(N, &frame, p, &gluons, g->sets);
    if (configuration)
        put_given(g, &frame, &gluons, p, *configuration);
    else
        put_summed(g);
    for (int b = 0; 2 * b <= N; b++) {
        permutation word = bg_permutation_unrank(N, 0);
        const double both = 2 * b < N ? 2. : 1.; /* with half of the letters, the reversal has a number of its own */
        do *weight++ = both * square(r, columns(g, states), N, b, &word);
        while (bg_permutation_next(N, &word));
    }
    return 0;
}
