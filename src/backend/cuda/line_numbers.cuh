/* The numbers of an event that the kernel of line.cu begins with, from its momenta: those of sets of letters, without and with the start
 * of the line; its ends, and E, S and W (amplitude/line.h); the ends of a second line, and their momenta with sets of gluons. The threads of
 * an event have a share of them each.
 *
 * Who includes it has said before how many letters there are (N, PAIR, GLUONS, OUT, ALL) and where each number is (START_X ..,
 * before_place()).
 */
#ifndef BG_BACKEND_CUDA_LINE_NUMBERS_CUH
#define BG_BACKEND_CUDA_LINE_NUMBERS_CUH

#include "backend/cuda/fast.cuh"
#include "backend/cuda/line.h"

#include "amplitude/line.h"

BG_FN void put_numbers(double *at, size_t pitch, quark_set q)
{
    at[SET_MINUS * pitch] = q.minus;
    at[SET_INVERSE * pitch] = q.inverse_minus;
    at[SET_P1 * pitch] = q.p1;
    at[SET_P2 * pitch] = q.p2;
    at[SET_PROPAGATOR * pitch] = q.inverse_square;
}

BG_FN void put_number(double *at, size_t pitch, quark_number x)
{
    at[0] = x.re;
    at[pitch] = x.im;
}

BG_FN void put_before(double *at, size_t pitch, const line_sums &c)
{
    put_number(at, pitch, c.n1);
    put_number(at + 2 * pitch, pitch, c.n2);
    put_number(at + 4 * pitch, pitch, c.d);
    put_number(at + 6 * pitch, pitch, c.w);
}

/* What the numbers of sets are made of. */
struct line_legs {
    const bg_subprocess *process;
    const quark_program *program;
    const line_places *places;
    const double *numbers; /* of the outgoing legs */
};

/* A set of legs, by place. */
BG_FN quark_set set_from(const line_legs &l, uint32_t set)
{
    return quark_set_of(l.program, l.process, set, 1, l.numbers);
}

/* The places of a set of letters. */
BG_FN uint32_t places_of(const line_legs &l, uint32_t letters)
{
    uint32_t set = 0;
    BG_UNROLL
    for (int k = 0; k < N; k++)
        if (letters >> k & 1u) set |= l.places->letter[k];
    return set;
}

BG_FN uint32_t start_of(const line_legs &l) { return 1u << l.places->start; }

/* What the letters have in common: the ends of the line and E. */
BG_FN quark_set find_ends(const line_legs &l, line_ends *e)
{
    const quark_set first = set_from(l, start_of(l)), last = set_from(l, 1u << l.places->end),
                    all = set_from(l, places_of(l, ALL));
    const int on_gauge = l.process->gauge == l.places->end;
    e->start = line_start(&first);
    e->end =
        PAIR && on_gauge ? spinor_gauge_one() : line_end(&last, on_gauge); /* as in amplitude/program.h, by parts */
    const line_dual t = line_closed(e->start, e->end, all.inverse_minus + all.inverse_minus);
    e->all = line_before_sums(&t, &all);
    return all;
}

BG_FN void put_ends(const line_ends &e, size_t pitch, double *numbers)
{
    put_number(numbers + START_X * pitch, pitch, e.start.x);
    numbers[START_Y * pitch] = e.start.y.re;
    put_number(numbers + END_X * pitch, pitch, e.end.x);
    numbers[END_Y * pitch] = e.end.y.re;
    put_before(numbers + BEFORE_ALL * pitch, pitch, e.all);
}

/* An end of the second line. */
BG_FN quark_spinor pair_end(const line_legs &l, int anti)
{
    const uint32_t place = anti ? l.places->antiquark : l.places->quark;
    const quark_set q = set_from(l, 1u << place);
    return place == l.process->gauge ? spinor_gauge() : spinor_leg(&q, anti ? -1. : 1.);
}

/* The current of its pair, real or imaginary part. */
BG_FN light_current pair_part(const line_legs &l, const quark_set &P, int part)
{
    light_sum s = light_zero();
    line_add_pair(part, pair_end(l, 0), pair_end(l, 1), P.inverse_minus + P.inverse_minus, &s);
    return light_propagate(s, P.p1, P.p2, P.inverse_square);
}

/* An end and its momentum with sets of gluons. */
BG_FN void put_pair(const line_legs &l, int anti, size_t pitch, double *numbers)
{
    const quark_spinor leg = pair_end(l, anti);
    double *to = numbers + (size_t)(PAIR_LEGS + 4 * anti) * pitch;
    put_number(to, pitch, leg.x);
    put_number(to + 2 * pitch, pitch, leg.y);
    BG_LOOP
    for (uint32_t set = 0; set < 1u << GLUONS; set++) {
        const uint32_t own = 1u << (anti ? l.places->antiquark : l.places->quark);
        put_numbers(numbers + (size_t)(PAIR_SETS + (((uint32_t)anti << GLUONS) + set) * PAIR_SET_SIZE) * pitch, pitch,
                    set_from(l, places_of(l, set << 1) | own));
    }
}

/* S and W of a letter. */
BG_FN void put_letter(const line_legs &l, const line_ends &e, const quark_set &all, uint32_t k, size_t pitch,
                      double *numbers)
{
    const uint32_t own = places_of(l, 1u << k), others = places_of(l, ALL ^ 1u << k), start = start_of(l);
    const line_letter letter = {set_from(l, own), all, set_from(l, others), set_from(l, own | start),
                                set_from(l, others | start)};
    BG_LOOP
    for (uint32_t state = 0; state < 2; state++) {
        const light_current A = PAIR && !k
                                    ? pair_part(l, letter.own, (int)state)
                                    : light_gluon(letter.own.p1, letter.own.p2, state ? 0. : 1., state ? 1. : 0.);
        put_before(numbers + before_place(BEFORE_FIRST, k, state) * pitch, pitch, line_first(&letter, &e, A));
        put_before(numbers + before_place(BEFORE_LAST, k, state) * pitch, pitch, line_last(&letter, &e, A));
    }
}

/* Sets that a thread works out. */
enum { SLICE = 8, SLICES = (1 << N) / SLICE, SHARES = SLICES + N + 2 * PAIR };

/* A share of the numbers of an event: a slice of the sets, then a letter, then an end of the second line. */
BG_FN void put_share(const line_legs &l, uint32_t share, size_t pitch, double *numbers)
{
    if (share >= SLICES + N) {
        put_pair(l, (int)share - SLICES - N, pitch, numbers);
        return;
    }
    if (share >= SLICES) {
        line_ends e;
        const quark_set all = find_ends(l, &e);
        if (share == SLICES) put_ends(e, pitch, numbers);
        put_letter(l, e, all, share - SLICES, pitch, numbers);
        return;
    }
    BG_LOOP
    for (uint32_t k = 0; k < SLICE; k++) {
        const uint32_t set = share * SLICE + k;
        double *to = numbers + (size_t)set * SET_SIZE * pitch;
        put_numbers(to + SET_LINE * pitch, pitch, set_from(l, places_of(l, set) | start_of(l)));
        put_numbers(to, pitch, set_from(l, places_of(l, set)));
    }
}

/* A share (y) a thread; the padding repeats the last event. */
static __global__ void prepare_kernel(bg_momenta momenta, const __grid_constant__ bg_subprocess process,
                                      const __grid_constant__ quark_program program,
                                      const __grid_constant__ line_places places, size_t count, size_t pitch,
                                      double *numbers)
{
    const size_t event = (size_t)blockIdx.x * CUDA_BLOCK + threadIdx.x;
    const size_t from = event < count ? event : count - 1;
    vec4 p[OUT + 2];
    double w[OUT * (4 + OUT)];
    BG_UNROLL
    for (int k = 0; k < OUT + 2; k++) p[k] = event_momentum(&momenta, from, k);
    const light_frame frame = light_frame_of(p[process.opposite], p[process.gauge]);
    quark_put_outgoing(&program, &process, &frame, p, 1, w);
    const line_legs l = {&process, &program, &places, w};
    put_share(l, blockIdx.y, pitch, numbers + event);
}
#endif
