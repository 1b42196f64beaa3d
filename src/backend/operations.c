#include "backend/operations.h"
#include "amplitude/external.h"
#include "color/coherent.h"
#include "color/open_schedule.h"
#include "color/permutation.h"
#include "color/sampling.h"

#include <math.h>
#include <stdlib.h>

/* Steps, named after the functions that they count. */
enum {
    DOT = 7,
    VEC4_SCALE = 4,
    VEC4_ADD = 4,
    VEC4_AXPY = 8,
    TENSOR_ADD = 6,
    WEDGE = 18,
    CONTRACT = 20,
    VERTEX3 = 3 * DOT + VEC4_ADD + VEC4_SCALE + 2 * (1 + VEC4_AXPY),
    VERTEX4 = 3 * DOT + 1 + VEC4_SCALE + 2 * VEC4_AXPY,
    VERTEX_TENSOR = 2 * CONTRACT + VEC4_ADD + 2 * (DOT + VEC4_AXPY),
    INVARIANTS_END = 6,

    LIGHT_GLUON = 6,
    LIGHT_ADD = 28,
    LIGHT_ADD_END = 18,
    LIGHT_FIRST_END = 3,
    LIGHT_TOTAL = 4,
    LIGHT_PROPAGATE = 18,
    LIGHT_CLOSE = 16,
    SHARED_FACTORS = 8,
    SHARED_DIFFERENCE = 3,

    COHERENT_ADD = 30,
    COHERENT_SETS = 7, /* of a current: factors that its splits share */
    COHERENT_END = 6,  /* ... and the momentum squared with gluon 0 */
    COHERENT_DIFFERENCES = 8 + 3 * 8,

    QUARK_PAIR = 32,
    QUARK_PAIR_PART = 21,
    QUARK_EMIT = 23, /* a real gluon, and */
    QUARK_EMIT_COMPLEX = 33,
    QUARK_EMIT_ETA1 = 9, /* ... eta1 alone */
    QUARK_EMIT_COMPLEX_ETA1 = 12,
    QUARK_FERMION = 23,
    QUARK_GLUON = 1 + 2 * LIGHT_PROPAGATE, /* with two parts */
    QUARK_U1 = 8,
    QUARK_PART_U1 = 3, /* each gluon that it is a sum of */
    QUARK_CLOSE = 10,
    QUARK_CLOSE_ETA1 = 6,
    QUARK_LEG = 6,

    OPEN_SAVED = 1, /* x of a gluon's slot */
    OPEN_SCALED = 4 + OPEN_SAVED,
    OPEN_ENTRY = 4 + OPEN_SCALED, /* of a diagonal, from two differences */
    OPEN_SOURCE = 8,              /* that closes the amplitude, */
    OPEN_CLOSE = 24,              /* ... with a current, */
    OPEN_WAY = 10,                /* and both chiralities of a way to close */

    LINE_EMIT = 20,
    LINE_PROPAGATE = 22,
    LINE_CLOSED = 15,
    LINE_ADD_SPLIT = 53,
    LINE_CLOSE = 16,
    LINE_FROM_SUMS = 14,

    PAIR_EMIT = LINE_EMIT + 2,
    PAIR_PRODUCTS = 24, /* sums of products of two quarks, */
    PAIR_SOURCE = 7,    /* the source that they are, */
    PAIR_U1 = PAIR_SOURCE + 2 * (LIGHT_PROPAGATE + 4),
    PAIR_PART = QUARK_PAIR_PART + 1,
    PAIR_CLOSE = 12, /* both parts of a U(1) gluon with a source take twice that */

    TRANSFORM_S3 = 18
};

static double power(int base, int exponent) { return pow((double)base, exponent); }

/* ---- one ordering, or all at once with colors ---------------------------------------------------------- */

static double ordered_numerator(int length, int parts, int strengths)
{
    const double twos = length - 1, threes = 0.5 * twos * (length - 2);
    if (strengths) return twos * power(parts, 2) * (VERTEX_TENSOR + VEC4_ADD + WEDGE + TENSOR_ADD);
    return twos * power(parts, 2) * (VERTEX3 + VEC4_ADD) + threes * power(parts, 3) * (VERTEX4 + VEC4_ADD);
}

double bg_ordered_operations(int n, int parts, int strengths)
{
    const int m = n - 1;
    double sum = strengths ? m * parts * WEDGE : 0.;
    for (int length = 2; length < m; length++) {
        const double current = VEC4_SCALE + (strengths ? WEDGE + TENSOR_ADD : 0.);
        sum += (m - length + 1) * (VEC4_ADD + ordered_numerator(length, parts, strengths) + parts * current);
    }
    return sum + ordered_numerator(m, parts, strengths) + power(parts, 2) * (DOT + 1);
}

/* The propagator of k of N outgoing gluons (all of them: the two incoming ones), or with gluon 0, where `rest` others
 * are left. */
static double propagator(int N, int k) { return k < N ? 0.5 * k * (k - 1) : 1.; }

static double end_propagator(int N, int rest)
{
    return 1. + N + 2. * rest - 4. + (rest == 1 || rest == N - 1 ? 0 : INVARIANTS_END);
}

double bg_dressed_operations(int n, int parts)
{
    const int m = n - 1, N = n - 2;
    const double split =
        3. * power(parts, 2) * (VERTEX_TENSOR + VEC4_ADD + WEDGE + TENSOR_ADD); /* ordered, one color */
    double sum = 9. * m * parts * (VEC4_SCALE + WEDGE), sets = m;
    for (int k = 2; k <= m; k++) {
        const double with_first = sets * (m - k + 1) / m; /* k - 1 of the N others */
        sets *= (double)(m - k + 1) / k;
        const double numerator = 9. * (power(2, k) - 2.) * split;
        if (k < m)
            sum += sets * (VEC4_ADD + numerator + 9. * parts * (VEC4_SCALE + WEDGE + TENSOR_ADD)) +
                   (sets - with_first) * propagator(N, k) + with_first * end_propagator(N, N - k + 1);
        else
            sum += numerator + 9. * power(parts, 2) * (DOT + 2);
    }
    return sum;
}

/* ---- shared currents ----------------------------------------------------------------------------------- */

/* The current of some gluons: all states of them, or `parts` of one. */
static double shared_current(int states, int parts, int end, int gluons)
{
    const double all = power(2, gluons), splits = gluons - 1 - end;
    if (states == 2) return all * (end * LIGHT_FIRST_END + splits * LIGHT_ADD + LIGHT_PROPAGATE);
    return power(parts, 2) * (end * LIGHT_ADD_END + splits * LIGHT_ADD) + parts * (LIGHT_TOTAL + LIGHT_PROPAGATE);
}

/* ... of one full word from its splits. */
static double shared_close_states(int N)
{
    const double each = (N - 1.) * (4. * LIGHT_CLOSE + 2. + 2. * 8.) + 2. * 4.;
    return power(2, N - 1) * each;
}

static double shared_close_one(int N, int parts)
{
    return power(parts, 2) * ((N - 1.) * (LIGHT_CLOSE + 9.) + 8. + 4.) + 2. * parts;
}

double bg_shared_operations(int N, int states, int parts, int ends)
{
    const double closing = (N - 1.) * SHARED_DIFFERENCE;
    double sum = 0., words = 1.;
    for (int m = 1; m < N; m++) {
        words *= N - m + 1;
        const double word = (m - 1.) * SHARED_FACTORS + shared_current(states, parts, 0, m);
        const double prefix = m * SHARED_FACTORS + ends * shared_current(states, parts, 1, m + 1);
        sum += words * (prefix + (m == 1 ? states * parts * LIGHT_GLUON : 0.5 * word)); /* half are reversals */
    }
    return sum + words * (closing + (states == 2 ? shared_close_states(N) : ends * ends * shared_close_one(N, parts)));
}

/* ---- quark lines ---------------------------------------------------------------------------------------- */

static double quark_emissions(const program_step *step, int only_eta1)
{
    const double real_gluons = step->terms[TERMS_EMIT_R_MINUS] + step->terms[TERMS_EMIT_R_PLUS],
                 complex_gluons = step->terms[TERMS_EMIT_C_MINUS] + step->terms[TERMS_EMIT_C_PLUS];
    return real_gluons * (only_eta1 ? QUARK_EMIT_ETA1 : QUARK_EMIT) +
           complex_gluons * (only_eta1 ? QUARK_EMIT_COMPLEX_ETA1 : QUARK_EMIT_COMPLEX);
}

static double quark_part(const program_step *step)
{
    double pairs = 0.;
    for (int order = TERMS_REAL_MINUS; order <= TERMS_IMAGINARY_PLUS; order++) pairs += step->terms[order];
    if (step->kind == PROGRAM_PART_U1 && step->terms[TERMS_RR]) return QUARK_PART_U1 * step->terms[TERMS_RR];
    return step->terms[TERMS_RR] * LIGHT_ADD + pairs * QUARK_PAIR_PART + 1. + LIGHT_PROPAGATE +
           (step->kind == PROGRAM_PART_U1 ? QUARK_PART_U1 : 0);
}

static double quark_gluon(const program_step *step)
{
    const uint16_t *terms = step->terms;
    const double splits = terms[TERMS_RR] + 2. * terms[TERMS_RC] + 2. * terms[TERMS_CR] + 4. * terms[TERMS_CC],
                 pairs = terms[TERMS_PAIR_MINUS] + terms[TERMS_PAIR_PLUS];
    if (step->kind == PROGRAM_REAL_GLUON) return splits * LIGHT_ADD + LIGHT_PROPAGATE;
    if (step->kind == PROGRAM_PART || step->kind == PROGRAM_PART_U1) return quark_part(step);
    return splits * LIGHT_ADD + pairs * QUARK_PAIR + QUARK_GLUON + (step->kind == PROGRAM_U1 ? QUARK_U1 : 0);
}

/* An amplitude: what the pairings allow, and that it is added to others, come on top. Those of parts become those of chiralities first. */
static double quark_close(const quark_program *p, const program_step *step)
{
    if (p->parts)
        return quark_emissions(step, p->on_gauge) + (p->on_gauge ? 0. : QUARK_CLOSE) + (p->adds ? 2. * p->lines : 0.);
    return quark_emissions(step, p->on_gauge) + (p->on_gauge ? QUARK_CLOSE_ETA1 : QUARK_CLOSE) + (p->given ? 2. : 0.) +
           (p->adds ? 2. : 0.);
}

double bg_quark_operations(const quark_program *p)
{
    double sum = 0.;
    for (uint32_t k = 0; k < p->steps; k++) {
        const program_step *step = &p->step[k];
        sum += step->closes ? quark_close(p, step)
               : step->kind == PROGRAM_QUARK || step->kind == PROGRAM_ANTIQUARK
                   ? quark_emissions(step, 0) + QUARK_FERMION
                   : quark_gluon(step);
    }
    return sum;
}

/* L and, from two letters on, T of k of N letters. */
static double line_prefix(int N, int k)
{
    if (k == 1) return 1. + 2. * (1. + LINE_EMIT + LINE_PROPAGATE);
    const int last = k == N - 1; /* without what all of its letters give together */
    const double tile = (last ? 0. : 4. * (1. + LINE_EMIT)) + (k - 1.) * (2. + 4. * LINE_EMIT) +
                        4. * (LINE_PROPAGATE + LINE_CLOSED + (last ? 1. : 2.) * LINE_ADD_SPLIT);
    return k + 1. + (last ? 1. : 2.) * SHARED_FACTORS + power(2, k - 2) * tile;
}

double bg_line_operations(int N)
{
    double sum = 0., words = 1.;
    for (int m = 1; m < N; m++) {
        words *= N - m + 1;
        sum += words * line_prefix(N, m);
        if (m == 1)
            sum += words * 2. * LIGHT_GLUON;
        else if (m < N - 1)
            sum += 0.5 * words * ((m - 1.) * SHARED_FACTORS + shared_current(2, 1, 0, m)); /* half are reversals */
    }
    const double tile = (N - 2.) * (4. * LIGHT_ADD + 8. * LINE_CLOSE) + 8. * LINE_FROM_SUMS;
    return sum + words * ((N - 2.) * SHARED_FACTORS + power(2, N - 3) * tile);
}

/* Words of m of n letters. */
static double words_of(int n, int m) { return m ? words_of(n, m - 1) * (n - m + 1) : 1.; }

/* An end of a line with k gluons. */
static double pair_end(int k) { return k * (double)PAIR_EMIT + LINE_PROPAGATE; }

/* A tile of four states of the sums of so many splits. */
static double pair_splits(int splits) { return splits * (SHARED_FACTORS + 4. * LIGHT_ADD); }

/* The words of up to N - 2 letters and of all gluons, and the ends with gluons. */
static double pair_words(int N)
{
    const int gluons = N - 1;
    double sum = gluons * 2. * 4. + 2. * (PAIR_PART + LIGHT_PROPAGATE);
    for (int k = 1; k < gluons; k++) sum += 3. * words_of(gluons, k) * power(2, k) * pair_end(k);
    for (int m = 2; m < N - 1; m++)
        sum += words_of(N, m) * power(2, m - 2) * (pair_splits(m - 1) + 4. * LIGHT_PROPAGATE) +
               m * words_of(gluons, m - 1) * power(2, m) * PAIR_PART;
    return sum + words_of(gluons, gluons) * power(2, gluons - 2) * (pair_splits(gluons - 1) + 4. * LIGHT_PROPAGATE);
}

/* L of a tile of k letters from emissions, one of them that of all letters, and T from L. */
static double pair_prefix(int N, int k)
{
    const int last = k == N - 1;
    const double each = 1. + 2. * (1. + 2. * LINE_EMIT), all = 1. + 4. * (1. + LINE_EMIT);
    return (last ? 0. : all) + (k - 1.) * each + 4. * LINE_PROPAGATE + 1. + (last ? 1. : 2.) * SHARED_FACTORS +
           4. * (LINE_CLOSED + (last ? 1. : 2.) * LINE_ADD_SPLIT);
}

/* The amplitudes of strings from one line to the other. */
static double pair_exchanged(int N)
{
    const double orderings = words_of(N, N), tiles = power(2, N - 3), at_ends = 2. * orderings / N;
    double sum = N * 2. * (2. + LINE_EMIT + LINE_PROPAGATE);
    for (int k = 2; k < N - 1; k++) sum += words_of(N, k) * power(2, k - 2) * pair_prefix(N, k);
    sum += orderings * tiles *
           (pair_splits(N - 2) + 8. * LINE_FROM_SUMS + pair_prefix(N, N - 1) + (N - 2.) * 8. * LINE_CLOSE);
    return sum + tiles * 8. * ((orderings - at_ends) * 3. * (PAIR_PART + PAIR_CLOSE) + at_ends * 2.);
}

/* Those of strings that end in their own lines. With all gluons on the second one, the pairs that letter 0 has at an end of a word come along. */
static double pair_direct(int N)
{
    const int gluons = N - 1;
    const double words = words_of(gluons, gluons) * power(2, gluons), product = 2. * PAIR_CLOSE,
                 all = (gluons + 1.) * PAIR_PRODUCTS + 2. * pair_end(gluons) + product + PAIR_SOURCE + PAIR_U1 +
                       PAIR_PRODUCTS;
    double sum = 2. * words * all + 2. * words * (2. * (PAIR_PRODUCTS + PAIR_SOURCE) + 4. * PAIR_CLOSE);
    for (int k = 0; k < gluons; k++)
        sum += words_of(gluons, k) * power(2, k) * (2. * (k + 1.) * PAIR_PRODUCTS + PAIR_SOURCE + PAIR_U1);
    return sum + (gluons - 1.) * words * product;
}

double bg_pair_operations(int N) { return pair_words(N) + pair_exchanged(N) + pair_direct(N); }

void bg_line_totals(const bg_plan *plan, double column, bg_operations *o)
{
    const int pair = plan->process.lines == 2, N = plan->process.gluons + pair;
    o->amplitudes = plan->options.samples * (pair ? bg_pair_operations(N) : bg_line_operations(N));
    o->color_sum = plan->options.samples * 2. * power(2, N) * column;
    o->bytes = (4. * plan->process.n + 1.) * sizeof(double);
}

void bg_quark_totals(const bg_plan *plan, const quark_program *p, double column, bg_operations *o)
{
    const double runs = plan->options.samples * (plan->mode == HELICITY_BASIS ? power(2, p->gluons - p->inner) : 1.);
    o->amplitudes = runs * bg_quark_operations(p);
    o->color_sum = runs * 2. * p->configurations * column;
    o->bytes = (4. * plan->process.n + 1.) * sizeof(double);
}

void bg_straight_totals(const bg_plan *plan, double amplitudes, double color_sum, bg_operations *o)
{
    o->amplitudes = plan->options.samples * rint(amplitudes); /* from an average, whole but for rounding */
    o->color_sum = plan->options.samples * color_sum;
    o->bytes = (4. * plan->process.n + 1.) * sizeof(double);
}

/* ---- colors -------------------------------------------------------------------------------------------- */

double bg_dense_operations(uint64_t orderings)
{
    const double size = (double)orderings;
    return size * (size - 1.) + 4. * size;
}

double bg_fourier_operations(const color_fourier *f)
{
    const int strings = f->m == f->letters; /* all letters climb, and nothing is left to be combined */
    const double climbs = strings ? f->cosets : (double)(f->letters * (f->letters - 1));
    double climb = f->m == 2 ? 2. : f->m < 3 ? 0. : f->block / 6. * TRANSFORM_S3, sum = 0.;
    int size = 6;
    for (int s = 0; s < f->stages; s++) {
        const transform_stage *stage = &f->stage[s];
        size *= stage->k;
        const int runs = f->block / size;
        for (int b = 0; b < stage->blocks; b++) {
            const transform_block *block = &f->blocks[stage->first + b];
            climb += runs * 2. * block->rows * block->inner * (double)(stage->k * block->inner);
        }
    }
    for (int k = 0; k < f->forms; k++) {
        const color_form *form = &f->form[k];
        const int d = form->dimension;
        if (!strings) sum += (double)f->cosets * d * d;
        for (int n = 0; n < form->panels; n++) {
            const form_panel *panel = &f->panels[form->first + n];
            sum += (double)panel->rows * d * (2. * (f->cosets * d - panel->first) + 2.);
        }
    }
    return climbs * climb + sum;
}

double bg_mean_orderings(int n, uint64_t seed)
{
    enum { EVENTS = 2000 };
    double found = 0.;
    for (uint64_t event = 0; event < EVENTS; event++) {
        const color_flow flow = color_flow_draw(n, seed, event, 0);
        color_walk walk;
        color_walk_start(&walk);
        while (color_walk_next(n, &flow, &walk)) found += 1.;
    }
    return found / EVENTS;
}

double bg_coherent_operations(int n, int parts, uint64_t seed)
{
    enum { GROUPS = 16 };
    coherent_schedule s;
    double sum = 0.;
    void *memory = malloc(coherent_schedule_bytes(n));
    if (!memory) return 0.;
    coherent_schedule_place(n, memory, &s);
    coherent_rule_table(s.rule);
    for (uint64_t group = 0; group < GROUPS; group++) {
        const coherent_colors c = coherent_draw(n, seed, group, 0);
        coherent_build(n, &c, &s);
        sum += (n - 1) * (1. + parts * (LIGHT_GLUON + 1.)) + power(parts, 2) * 4. + 2. * parts;
        sum += power(parts, 2) * COHERENT_ADD * (double)(s.splits + s.closing_splits);
        for (uint32_t k = 0; k < s.currents; k++)
            sum += COHERENT_SETS + (s.current[k].set & 1u ? COHERENT_END : 0) +
                   parts * (s.current[k].diagonal ? COHERENT_DIFFERENCES + 3. * (LIGHT_PROPAGATE + 2.)
                                                  : LIGHT_PROPAGATE + 2.);
    }
    free(memory);
    return sum / GROUPS;
}

/* Splits of a list of terms into two gluons, weighted with the products of parts. */
static double open_split_operations(const uint16_t *terms)
{
    return terms[OPEN_RR] + 2. * terms[OPEN_RC] + 2. * terms[OPEN_CR] + 4. * terms[OPEN_CC];
}

/* A current of gluons. Without fermions, it is the same for all chiralities. */
static double open_gluon_operations(const open_current *x, int parts, int mixed)
{
    const int lists = x->kind == COHERENT_DIAGONAL ? 3 : 1;
    double sum = 1.; /* 2 P- */
    for (int d = 0; d < lists; d++) {
        sum += COHERENT_ADD * open_split_operations(x->terms[d]) + parts * (LIGHT_PROPAGATE + 1. + OPEN_SAVED);
        if (mixed)
            sum += QUARK_PAIR * (x->terms[d][OPEN_PAIR_MINUS] + x->terms[d][OPEN_PAIR_PLUS]) +
                   parts * (lists == 3 ? 2. : 1.) * LIGHT_TOTAL;
    }
    return lists == 3 ? sum + parts * (COHERENT_DIFFERENCES + 3. * OPEN_ENTRY) : sum;
}

static double open_fermion_operations(const uint16_t *terms)
{
    return (terms[OPEN_R_MINUS] + terms[OPEN_R_PLUS]) * (QUARK_EMIT - 1.) +
           (terms[OPEN_C_MINUS] + terms[OPEN_C_PLUS]) * (QUARK_EMIT_COMPLEX - 1.);
}

/* What closes the amplitude of two lines on a gluon. */
static double open_closing_operations(const open_process *o, const open_schedule *s)
{
    double sum = o->halves * (double)OPEN_WAY;
    for (uint32_t k = 0; k < (uint32_t)o->halves << o->gluons; k++) {
        const open_current *x = open_closing(o, s, 0, k);
        if (x->kind == COHERENT_NOTHING) continue;
        for (int d = 0; d < open_lists(x); d++) {
            const int pairs = x->terms[d][OPEN_PAIR_MINUS] + x->terms[d][OPEN_PAIR_PLUS];
            sum += pairs ? pairs * PAIR_PRODUCTS + OPEN_SOURCE + OPEN_CLOSE : 0.;
        }
    }
    return sum;
}

double bg_open_operations(const bg_plan *plan)
{
    enum { GROUPS = 16 };
    const int parts = helicity_parts(plan->mode);
    const open_process o = bg_open_process(&plan->process);
    /* both chiralities of two lines come from one pass */
    const double patterns = plan->mode == HELICITY_CIRCULAR || o.halves ? 1. : o.patterns;
    open_schedule s;
    double sum = 0.;
    void *memory = malloc(open_schedule_bytes(&o));
    if (!memory) return 0.;
    open_schedule_place(&o, parts, memory, &s);
    open_rule_table(s.rule);
    open_forbid(&o, &s, 0, 1);
    for (uint64_t group = 0; group < GROUPS; group++) {
        int length[OPEN_MOST_LINES] = {o.gluons / o.lines, o.gluons / o.lines, 0};
        const uint32_t skeleton = open_skeleton(o.lines, open_connections(o.lines) - 1, length);
        const open_colors c = open_draw_colors(&o, skeleton, plan->options.seed, group, 0);
        open_build(&o, &c, &s);
        for (int k = 0; k < o.gluons; k++)
            sum += parts * (LIGHT_GLUON + OPEN_SAVED + (c.row[k] == c.col[k] ? 2. * OPEN_SCALED : 0.));
        for (uint32_t k = 0; k < s.currents; k++) {
            const open_current *x = &s.current[k];
            sum += k < s.gluons             ? open_gluon_operations(x, parts, 0)
                   : open_is_gluon(x->kind) ? patterns * open_gluon_operations(x, 2, 1)
                                            : patterns * (open_fermion_operations(x->terms[0]) + QUARK_FERMION);
        }
        sum += patterns * (2. * o.lines - (o.closes_on_gauge ? 1. : 0.)) * QUARK_LEG;
        sum += o.halves ? open_closing_operations(&o, &s)
                        : patterns * (open_fermion_operations(open_closing(&o, &s, 0, 0)->terms[0]) + QUARK_CLOSE + 5.);
    }
    free(memory);
    return sum / GROUPS;
}

/* ---- the paper's kernels ------------------------------------------------------------------------------- */

void bg_paper_operations(const bg_plan *plan, bg_operations *o)
{
    const bg_options *options = &plan->options;
    const int n = plan->process.n, parts = helicity_parts(plan->mode);
    const double configurations = helicity_configurations(n, plan->mode), square = 2. * parts;
    const double ordered = bg_ordered_operations(n, parts, options->vertex == BG_VERTEX_TENSOR);
    double each = 0., color = 0.;
    if (options->recursion == BG_RECURSION_DRESSED) {
        each = bg_dressed_operations(n, parts) + square;
    } else if (options->color == BG_COLOR_SUMMED) {
        const int letters = options->decomposition == BG_DECOMPOSITION_TRACE ? n - 1 : plan->process.letters;
        each = (double)bg_factorial(letters) * ordered;
        color = parts * bg_dense_operations(bg_factorial(letters));
    } else if (options->color == BG_COLOR_SAMPLED) {
        each = bg_mean_orderings(n, options->seed) * (ordered + parts) + square;
    } else {
        const int one = options->orderings == BG_ORDERINGS_ONE;
        each = (one ? 1. : (double)bg_factorial(n - 1)) * (ordered + square);
    }
    o->amplitudes = options->samples * configurations * each;
    o->color_sum = options->samples * configurations * color;
    o->bytes = (4. * n + 1.) * sizeof(double);
}
