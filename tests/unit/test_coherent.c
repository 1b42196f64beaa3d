/* Coherent color sampling: its amplitudes are the dressed ones, its probabilities those of its draws, its means the exact
 * color sums, and its errors know that events share colors.
 */
#include "amplitude/circular.h"
#include "backend/plan.h"
#include "accumulate/histograms.h"
#include "accumulate/tally.h"

#include "support.h"

/* Memory for a schedule of n gluons, larger than it says it needs, so that one that needs more is caught. */
static coherent_schedule roomy_schedule(int n)
{
    coherent_schedule s;
    void *memory = malloc(coherent_schedule_bytes(n + 1));
    assert_non_null(memory);
    coherent_schedule_place(n + 1, memory, &s);
    coherent_rule_table(s.rule);
    return s;
}

static void free_schedule(coherent_schedule *s) { free(s->current); /* the first of its pieces */ }

/* Any colors whose charges add up to nothing: columns are rows, shuffled. */
static coherent_colors random_colors(random_source *r, int n, int colors)
{
    coherent_colors c = {.weight = 1.};
    int col[MOST_GLUONS];
    for (int k = 0; k < n; k++) c.row[k] = (signed char)(col[k] = random_below(r, colors));
    shuffle(r, col, n);
    for (int k = 0; k < n; k++) c.col[k] = (signed char)col[k];
    return c;
}

/* ---- amplitudes ---------------------------------------------------------------------------------------------- */

static vec4 vector_of(const double *v)
{
    const vec4 r = {bg_real(v[0]), bg_real(v[1]), bg_real(v[2]), bg_real(v[3])};
    return r;
}

/* Gluon k at place k. */
static double complex coherent_of(const gluons *g, const coherent_colors *c)
{
    const int n = g->n, N = n - 2;
    vec4 p[MOST_GLUONS];
    shared_polarization e[2 * MOST_GLUONS];
    shared_gluons momenta;
    real amplitude[2];
    int parts = 1;
    for (int k = 0; k < n; k++)
        for (int x = 0; x < 4; x++)
            if (cimag(g->e[k][x]) != 0.) parts = 2;
    for (int k = 0; k < n; k++) p[k] = vector_of(g->p[k]);
    const light_frame frame = light_frame_of(p[0], p[n - 1]);
    shared_gluon_momenta(N, &frame, p, &momenta);
    for (int k = 0; k < n; k++)
        for (int a = 0; a < parts; a++) {
            double state[4];
            for (int x = 0; x < 4; x++) state[x] = a ? cimag(g->e[k][x]) : creal(g->e[k][x]);
            const vec4 own = vector_of(state);
            e[k * parts + a] = shared_transverse(N, &frame, &momenta, k, &own);
        }
    coherent_schedule s = roomy_schedule(n);
    coherent_build(n, c, &s);
    const size_t reals = coherent_work_reals(n, parts);
    real *memory = aligned_alloc(64, (reals * sizeof(real) + 63) / 64 * 64);
    assert_non_null(memory);
    const coherent_momenta m = {memory, 1};
    coherent_tabulate(N, &momenta, &m);
    coherent_amplitude(n, parts, &s, &m, e, memory + coherent_table_reals(N), amplitude);
    free(memory);
    free_schedule(&s);
    return parts == 2 ? bg_lane(amplitude[0], 0) + I * bg_lane(amplitude[1], 0) : bg_lane(amplitude[0], 0);
}

static double complex dressed_with(const gluons *g, const coherent_colors *c)
{
    double color[MOST_GLUONS][9] = {{0.}};
    for (int k = 0; k < g->n; k++) color[k][3 * c->row[k] + c->col[k]] = 1.;
    return dressed_of(g, (const double(*)[9])color);
}

/* The paper's dressed recursion with the same colors: to rounding, relative to the typical amplitude of the point. */
static void amplitudes_are_dressed(void **state)
{
    (void)state;
    enum { MOST_COLORS = 24 };
    random_source r = fixed_source(1);
    for (int n = 4; n <= 10; n++) {
        const int colors = n <= 6   ? MOST_COLORS
                           : n == 7 ? 12
                           : n == 8 ? 6
                           : n == 9 ? 3
                                    : 2,
                  points = n <= 6   ? 6
                           : n <= 8 ? 2
                                    : 1;
        double worst = 0.;
        for (int point = 0; point < points; point++)
            for (int complex_states = 0; complex_states < (n < 10 ? 2 : 1); complex_states++) {
                double momenta[4 * MOST_GLUONS], size = 0., difference = 0.;
                int vanishing = 0;
                random_cut_point(&r, n - 2, 14000., momenta);
                gluons g = gluons_of(n - 2, momenta);
                if (complex_states)
                    set_helicities(&g, (5u | (unsigned)random_below(&r, 1 << n)) & ~10u); /* two of each at least */
                else
                    set_angles(&g, &r);
                for (int k = 0; k < colors; k++) {
                    const coherent_colors c = k % 3 == 2 ? random_colors(&r, n, 2)
                                              : k % 3    ? random_colors(&r, n, 3)
                                                         : coherent_draw(n, 1, (uint64_t)(100 * point + k), 0);
                    const double complex expected = dressed_with(&g, &c), got = coherent_of(&g, &c);
                    size += absolute_square(expected) / colors;
                    difference =
                        fmax(difference, cabs(got + expected)); /* its overall sign is a matter of convention */
                    vanishing += expected == 0.;
                }
                size = sqrt(size);
                assert_true(vanishing < colors);
                worst = fmax(worst, difference / size);
            }
        say("n = %d: coherent and dressed amplitudes differ by %.1e\n", n, worst);
        assert_bounded(worst, 1e-10, "n = %d: difference from the dressed amplitude", n);
    }
}

/* The square of an amplitude of helicity eigenstates from currents in circular components, slot by slot. */
static real circular_of(int n, const coherent_schedule *s, const coherent_momenta *m, const shared_polarization *e)
{
    circular_current *slot = aligned_alloc(64, (s->slots * sizeof *slot + 63) / 64 * 64);
    assert_non_null(slot);
    for (int k = 0; k < n - 1; k++) slot[k] = circular_gluon(n, k, m, e + 2 * k);
    const uint32_t *split = s->split;
    for (uint32_t k = 0; k < s->currents; k++) {
        const coherent_current *c = &s->current[k];
        const coherent_own own = coherent_own_of(n, m, c->set);
        circular_sum sum[3], all = circular_zero();
        for (int d = 0; d < coherent_differences(c); d++) {
            sum[d] = circular_zero();
            for (uint32_t i = 0; i < c->splits[d]; i++, split++)
                circular_add(&sum[d], &slot[coherent_first(*split)], &slot[coherent_second(*split)], own.minus);
            circular_collect(&all, &sum[d]);
        }
        for (int d = 0; d < coherent_differences(c); d++) {
            if (c->diagonal) sum[d] = circular_difference(&sum[d], &all);
            slot[c->slot + d] = circular_propagate(&sum[d], &own);
        }
    }
    circular_sum sum = circular_zero();
    for (uint32_t i = 0; i < s->closing_splits; i++, split++)
        circular_add(&sum, &slot[coherent_first(*split)], &slot[coherent_second(*split)], bg_real(0.));
    free(slot);
    return circular_square(&sum, e + 2 * (n - 1));
}

/* Circular components have the same squares as real and imaginary parts of complex states. */
static void circular_amplitudes_are_the_same(void **state)
{
    (void)state;
    random_source r = fixed_source(6);
    for (int n = 4; n <= 10; n++) {
        double worst = 0.;
        for (int k = 0; k < 12; k++) {
            double momenta[4 * MOST_GLUONS];
            random_cut_point(&r, n - 2, 14000., momenta);
            const gluons g = gluons_of(n - 2, momenta);
            const coherent_colors c = coherent_draw(n, 1, (uint64_t)k, 0);
            vec4 p[MOST_GLUONS];
            shared_gluons of;
            shared_polarization e[2 * MOST_GLUONS];
            real amplitude[2];
            for (int i = 0; i < n; i++) p[i] = vector_of(g.p[i]);
            const light_frame frame = light_frame_of(p[0], p[n - 1]);
            shared_gluon_momenta(n - 2, &frame, p, &of);
            for (int i = 0; i < 2 * n; i++) {
                e[i].a1 = bg_real(uniform(&r, -1., 1.));
                e[i].a2 = bg_real(uniform(&r, -1., 1.));
            }
            coherent_schedule s = roomy_schedule(n);
            coherent_build(n, &c, &s);
            real *memory = aligned_alloc(64, (coherent_work_reals(n, 2) * sizeof(real) + 63) / 64 * 64);
            assert_non_null(memory);
            const coherent_momenta m = {memory, 1};
            coherent_tabulate(n - 2, &of, &m);
            coherent_amplitude(n, 2, &s, &m, e, memory + coherent_table_reals(n - 2), amplitude);
            const double expected = bg_lane(amplitude[0] * amplitude[0] + amplitude[1] * amplitude[1], 0);
            const double got = bg_lane(circular_of(n, &s, &m, e), 0);
            worst = fmax(worst, fabs(got / expected - 1.));
            free(memory);
            free_schedule(&s);
        }
        say("n = %d: squares in circular components differ by %.1e\n", n, worst);
        assert_bounded(worst, 1e-9, "n = %d: difference between circular components and real ones", n);
    }
}

/* ---- schedules ----------------------------------------------------------------------------------------------- */

/* The example of color/coherent.h. */
static void documented_schedule(void **state)
{
    (void)state;
    const coherent_colors c = {.row = {0, 1, 2, 1}, .col = {1, 2, 1, 0}, .weight = 1.};
    coherent_schedule s = roomy_schedule(4);
    coherent_build(4, &c, &s);
    assert_int_equal(s.currents, 2);
    assert_int_equal(s.slots, 7);
    assert_int_equal(s.entry[3], coherent_entry(coherent_kind(0, 2), 3));
    assert_int_equal(s.entry[5], COHERENT_NOTHING);
    assert_int_equal(s.entry[6], coherent_entry(COHERENT_DIAGONAL, 4));
    assert_int_equal(s.current[0].splits[0], 1);
    for (int d = 0; d < 3; d++) assert_int_equal(s.current[1].splits[d], d == 1);
    assert_int_equal(s.closing_splits, 2);
    const uint32_t expected[] = {coherent_pair(0, 1), coherent_pair(1, 2), coherent_pair(4, 0), coherent_pair(3, 2)};
    for (int k = 0; k < 4; k++) assert_int_equal(s.split[k], expected[k]);
    free_schedule(&s);
}

static void assert_schedule_fits(int n, const coherent_colors *c, coherent_schedule *s, double *most)
{
    coherent_build(n, c, s);
    const size_t slots = s->slots, splits = s->splits + s->closing_splits;
    if (slots > coherent_most_slots(n) || splits > coherent_most_splits(n) || s->currents > coherent_most_sets(n))
        fail_msg("n = %d: %zu slots of %zu, %zu splits of %zu, %u currents of %zu", n, slots, coherent_most_slots(n),
                 splits, coherent_most_splits(n), s->currents, coherent_most_sets(n));
    assert_true(slots <= 0xffff); /* two of them in 32 bits */
    assert_int_equal(s->closing, s->splits);
    most[0] = fmax(most[0], (double)slots / (double)coherent_most_slots(n));
    most[1] = fmax(most[1], (double)splits / (double)coherent_most_splits(n));
}

static int is_neutral(int n, const coherent_colors *c)
{
    int charge[3] = {0, 0, 0};
    for (int k = 0; k < n; k++) {
        charge[c->row[k]]++;
        charge[c->col[k]]--;
    }
    return !charge[0] && !charge[1] && !charge[2];
}

/* All colors up to n = 6. */
static void all_schedules_fit(void **state)
{
    (void)state;
    for (int n = 4; n <= 6; n++) {
        coherent_schedule s = roomy_schedule(n);
        double most[2] = {0., 0.};
        int assignments = 1, neutral = 0;
        for (int k = 0; k < n; k++) assignments *= 9;
        for (int number = 0; number < assignments; number++) {
            coherent_colors c = {.weight = 1.};
            for (int k = 0, rest = number; k < n; k++, rest /= 9) {
                c.row[k] = (signed char)(rest % 9 / 3);
                c.col[k] = (signed char)(rest % 3);
            }
            if (!is_neutral(n, &c)) continue;
            neutral++;
            assert_schedule_fits(n, &c, &s, most);
        }
        /* columns are a rearrangement of rows */
        assert_int_equal(neutral, n == 4 ? 639 : n == 5 ? 4653 : 35169);
        say("n = %d: %d schedules, at most %.3f of the slots and %.3f of the splits\n", n, neutral, most[0], most[1]);
        free_schedule(&s);
    }
}

/* Larger n: random colors, and those that leave most: pairs (a,b), (b,a) and gluons on the diagonal, cycles of three. */
static void long_schedules_fit(void **state)
{
    (void)state;
    random_source r = fixed_source(2);
    for (int n = 7; n <= BG_MAX_LEGS; n++) {
        coherent_schedule s = roomy_schedule(n);
        double most[2] = {0., 0.};
        const int trials = n <= 9 ? 2000 : n <= 11 ? 100 : n == 12 ? 20 : 5;
        for (int k = 0; k < trials; k++) {
            const coherent_colors c = k % 4 == 0   ? coherent_draw(n, 3, (uint64_t)k, 0)
                                      : k % 4 == 1 ? random_colors(&r, n, 2)
                                                   : random_colors(&r, n, 3);
            assert_schedule_fits(n, &c, &s, most);
        }
        for (int pairs = 0; 2 * pairs <= n; pairs++)
            for (int mixed = 0; mixed < (n <= 12 ? 3 : 1); mixed++)
                for (int closing = 0; closing < 2; closing++) { /* the last gluon on the diagonal, or of a pair */
                    coherent_colors c = {.weight = 1.};
                    for (int k = 0; k < n; k++) {
                        const int at = closing ? n - 1 - k : k, pair = k / 2;
                        const int other = mixed && pair % 2 ? 2 : 1;
                        const int paired = k < 2 * pairs;
                        const int diagonal = mixed == 2 ? k % 3 : 0;
                        c.row[at] = (signed char)(!paired ? diagonal : k % 2 ? other : 0);
                        c.col[at] = (signed char)(!paired ? diagonal : k % 2 ? 0 : other);
                    }
                    assert_true(is_neutral(n, &c));
                    assert_schedule_fits(n, &c, &s, most);
                }
        for (int cycles = 1; 3 * cycles <= n; cycles++) {
            coherent_colors c = {.weight = 1.};
            for (int k = 0; k < n && k < BG_MAX_LEGS; k++) {
                c.row[k] = (signed char)(k % 3);
                c.col[k] = (signed char)(k < 3 * cycles ? (k + 1) % 3 : k % 3);
            }
            assert_true(is_neutral(n, &c));
            assert_schedule_fits(n, &c, &s, most);
        }
        say("n = %d: at most %.3f of the slots and %.3f of the splits\n", n, most[0], most[1]);
        free_schedule(&s);
    }
}

/* ---- antennas ------------------------------------------------------------------------------------------------ */

static antenna random_antenna(random_source *r, int N)
{
    antenna a;
    a.ends = bg_real(1.);
    for (int l = 0; l < BG_LANES; l++)
        for (int k = 0; k < N; k++) {
            bg_set_lane(&a.first[k], l, uniform(r, 0.1, 3.));
            bg_set_lane(&a.last[k], l, uniform(r, 0.1, 3.));
            for (int j = 0; j < k; j++) {
                const double step = uniform(r, 0.1, 3.);
                bg_set_lane(&a.step[k * N + j], l, step);
                bg_set_lane(&a.step[j * N + k], l, step);
            }
        }
    return a;
}

/* The next arrangement in lexicographic order; 0 at the end. */
static int next_arrangement(int N, int *order)
{
    int k = N - 2, l = N - 1;
    while (k >= 0 && order[k] > order[k + 1]) k--;
    if (k < 0) return 0;
    while (order[l] < order[k]) l--;
    const int keep = order[k];
    order[k] = order[l];
    order[l] = keep;
    for (int a = k + 1, b = N - 1; a < b; a++, b--) {
        const int other = order[a];
        order[a] = order[b];
        order[b] = other;
    }
    return 1;
}

/* Product of the steps of one path from the first end (or, back, the last) to the other; 0 where rules forbid it. */
static double path_product(int N, const antenna *a, int lane, int length, const int *path, int back,
                           const antenna_rules *rules)
{
    const real *from = back ? a->last : a->first, *to = back ? a->first : a->last;
    if (!length) return rules->direct ? bg_lane(a->ends, lane) : 0.;
    if (!(rules->start >> path[0] & 1u) || !(rules->stop >> path[length - 1] & 1u)) return 0.;
    double product = bg_lane(from[path[0]], lane) * bg_lane(to[path[length - 1]], lane);
    for (int k = 1; k < length; k++)
        product *= rules->before[path[k]] >> path[k - 1] & 1u ? bg_lane(a->step[path[k - 1] * N + path[k]], lane) : 0.;
    return product;
}

/* The antenna of an ordering with b letters between the ends. */
static double ordering_product(int N, const antenna *a, int lane, int b, const int *order)
{
    antenna_rules all;
    antenna_no_rules(N, &all);
    return path_product(N, a, lane, b, order, 0, &all) * path_product(N, a, lane, N - b, order + b, 1, &all);
}

static void sums_over_paths(void **state)
{
    (void)state;
    random_source r = fixed_source(3);
    for (int N = 2; N <= 5; N++)
        for (int with_rules = 0; with_rules < 4; with_rules++) {
            const uint32_t sets = 1u << N;
            const antenna a = random_antenna(&r, N);
            antenna_rules rules;
            antenna_no_rules(N, &rules);
            for (int l = 0; with_rules && l < N; l++) rules.before[l] = (uint32_t)random_below(&r, (int)sets);
            if (with_rules) {
                rules.start = (uint32_t)random_below(&r, (int)sets);
                rules.stop = (uint32_t)random_below(&r, (int)sets);
                rules.direct = random_below(&r, 2);
            }
            real H[32 * 5], F[32], Z[6];
            antenna_paths(N, &a, a.first, a.last, &rules, H, F, 1);
            antenna_totals(N, F, 1, Z);
            for (int lane = 0; lane < BG_LANES; lane++) {
                for (uint32_t set = 0; set < sets; set++) {
                    int path[5], length = 0;
                    double sum = 0.;
                    for (int l = 0; l < N; l++)
                        if (set >> l & 1u) path[length++] = l;
                    do sum += path_product(N, &a, lane, length, path, 0, &rules);
                    while (next_arrangement(length, path));
                    assert_bounded(bg_lane(F[set], lane) - sum, 1e-13 * sum, "F(%u), N = %d", set, N);
                }
                for (int b = 0; b <= N && !with_rules; b++) {
                    int order[5] = {0, 1, 2, 3, 4};
                    double sum = 0.;
                    do sum += ordering_product(N, &a, lane, b, order);
                    while (next_arrangement(N, order));
                    assert_relative(bg_lane(Z[b], lane), sum, 1e-13, "Z_%d, N = %d", b, N);
                }
            }
        }
}

/* Orderings are drawn as often as their antennas say. */
static void drawn_orderings(void **state)
{
    (void)state;
    enum { N = 4, ORDERINGS = 24, DRAWS = 24000 };
    random_source r = fixed_source(4);
    const antenna a = random_antenna(&r, N);
    antenna_rules rules;
    real H[N << N], F[1 << N], Z[N + 1];
    antenna_no_rules(N, &rules);
    antenna_paths(N, &a, a.first, a.last, &rules, H, F, 1);
    antenna_totals(N, F, 1, Z);
    for (int b = 0; b <= N; b++)
        for (int lane = 0; lane < BG_LANES; lane++) {
            int count[N * N * N * N] = {0};
            for (int k = 0; k < DRAWS; k++) {
                double u[N + 1];
                int order[N];
                for (int j = 0; j <= N; j++) u[j] = uniform(&r, 0., 1.);
                antenna_draw(N, b, &a, H, F, Z, 1, lane, u, order);
                count[((order[0] * N + order[1]) * N + order[2]) * N + order[3]]++;
            }
            int order[N] = {0, 1, 2, 3}, seen = 0;
            double chi2 = 0.;
            do {
                const double expected = DRAWS * ordering_product(N, &a, lane, b, order) / bg_lane(Z[b], lane);
                const int found = count[((order[0] * N + order[1]) * N + order[2]) * N + order[3]];
                chi2 += (found - expected) * (found - expected) / expected;
                seen += found;
            } while (next_arrangement(N, order));
            assert_int_equal(seen, DRAWS); /* nothing but arrangements */
            say("b = %d, lane %d: chi^2 %.1f of %d\n", b, lane, chi2, ORDERINGS - 1);
            assert_bounded(chi2 - (ORDERINGS - 1), 4.5 * sqrt(2. * (ORDERINGS - 1)), "chi^2 of the orderings, b = %d",
                           b);
        }
}

/* ---- probabilities of colors ----------------------------------------------------------------------------------- */

static antenna antenna_of(int n, const double *momenta)
{
    const gluons g = gluons_of(n - 2, momenta);
    vec4 p[MOST_GLUONS];
    shared_gluons s;
    antenna a;
    for (int k = 0; k < n; k++) p[k] = vector_of(g.p[k]);
    const light_frame frame = light_frame_of(p[0], p[n - 1]);
    shared_gluon_momenta(n - 2, &frame, p, &s);
    coherent_antenna(n - 2, &s, dot(p[0], p[n - 1]), &a);
    return a;
}

/* P(b), by another formula than that of the header. */
static double between(int N, int b, int flat)
{
    const double a = BG_COHERENT_SIDES, ways = lgamma(N + 1.) - lgamma(b + 1.) - lgamma(N - b + 1.);
    if (!flat) return exp(ways - N * log(2.));
    return exp(ways + lgamma(a + b) + lgamma(a + N - b) - lgamma(2. * a + N) + lgamma(2. * a) - 2. * lgamma(a));
}

/* The probability that the gluons (gluon k at place k) get these colors, written out: over all orderings with b letters
 * between the ends, P(b) antenna / Z_b where colors match all along, times that of the colors along the line. */
static double color_probability(int n, const antenna *a, const coherent_colors *c)
{
    const int N = n - 2;
    double sum = 0., line = 1.;
    int states = 0;
    for (int k = 0; k < n; k++) line *= c->row[k] == c->col[k] ? 2. / 3. : 1.;
    /* closed lines of n steps, counted with their weights: the trace of the n-th power of a matrix of single steps */
    double lines = 0.;
    for (int first = 0; first < 3; first++) {
        double weight[3] = {0., 0., 0.};
        weight[first] = 1.;
        for (int k = 0; k < n; k++) {
            const double total = weight[0] + weight[1] + weight[2];
            for (int d = 0; d < 3; d++) weight[d] = total - weight[d] / 3.;
        }
        lines += weight[first];
    }
    for (int b = 0; b <= N; b++) {
        int order[MOST_GLUONS], ways = 1;
        double matching = 0., all = 0.;
        for (int k = 0; k < N; k++) order[k] = k;
        for (int k = 0; k < b; k++) ways = ways * (N - k) / (k + 1);
        do {
            const double product = ordering_product(N, a, 0, b, order);
            int places[MOST_GLUONS], match = 1;
            places[0] = 0;
            for (int k = 0; k < N; k++) places[k < b ? k + 1 : k + 2] = order[k] + 1;
            places[b + 1] = n - 1;
            for (int k = 0; k < n; k++) match &= c->col[places[k]] == c->row[places[(k + 1) % n]];
            all += product;
            matching += match ? product : 0.;
        } while (next_arrangement(N, order));
        sum += between(N, b, c->flat) * matching / all;
        states += ways;
    }
    assert_int_equal(states, 1 << N);
    return sum * line / lines;
}

static int color_number(int n, const coherent_colors *c)
{
    int number = 0;
    for (int k = n - 1; k >= 0; k--) number = 9 * number + 3 * c->row[k] + c->col[k];
    return number;
}

/* Probabilities add up to one, none is missing where there is an amplitude, draws follow them and say so. */
static void check_probabilities(int n, int flat)
{
    const int N = n - 2, draws = n == 4 ? 100000 : 20000;
    random_source r = fixed_source(5);
    double momenta[4 * MOST_GLUONS], total = 0.;
    random_cut_point(&r, N, 14000., momenta);
    antenna a = antenna_of(n, momenta);
    if (flat) coherent_flatten(N, &a);
    gluons g = gluons_of(N, momenta);
    set_angles(&g, &r);
    int assignments = 1, missing = 0, amplitudes = 0;
    for (int k = 0; k < n; k++) assignments *= 9;
    double *probability = calloc((size_t)assignments, sizeof *probability),
           *found = calloc((size_t)assignments, sizeof *found);
    assert_true(probability && found);
    const coherent_colors line = {.row = {0, 1, 2, 0, 1}, .col = {1, 2, 0, 1, 0}},
                          pair = {.row = {0, 1, 0, 1}, .col = {1, 0, 1, 0}};
    const double size = cabs(dressed_with(&g, n == 4 ? &pair : &line));
    assert_true(size > 0.);
    for (int number = 0; number < assignments; number++) {
        coherent_colors c = {.weight = 1., .flat = flat};
        for (int k = 0, rest = number; k < n; k++, rest /= 9) {
            c.row[k] = (signed char)(rest % 9 / 3);
            c.col[k] = (signed char)(rest % 3);
        }
        if (!is_neutral(n, &c)) continue;
        assert_int_equal(color_number(n, &c), number);
        probability[number] = color_probability(n, &a, &c);
        total += probability[number];
        if (cabs(dressed_with(&g, &c)) > 1e-9 * size) {
            amplitudes++;
            missing += !(probability[number] > 0.);
        }
    }
    assert_true(amplitudes > 100);
    assert_int_equal(missing, 0);
    assert_relative(total, 1., 1e-12, "sum of the probabilities of colors, n = %d", n);

    real *work = aligned_alloc(64, (coherent_antenna_reals(N) * sizeof(real) + 63) / 64 * 64);
    assert_non_null(work);
    for (int draw = 0; draw < draws; draw += BG_LANES) {
        int order[BG_LANES][BG_MAX_LEGS];
        uint64_t event[BG_LANES];
        for (int l = 0; l < BG_LANES; l++) event[l] = (uint64_t)(draw + l);
        /* lanes share colors along the ordering; places are their own */
        const coherent_colors c = coherent_draw_from(n, flat, 7, (uint64_t)draw, 0);
        assert_true(is_neutral(n, &c));
        const real weight = coherent_draw_places(n, &c, &a, 7, event, 0, work, 1, order);
        for (int l = 0; l < BG_LANES; l++) {
            coherent_colors own = c;
            for (int k = 0; k < N; k++) {
                own.row[order[l][k] + 1] = c.row[k + 1];
                own.col[order[l][k] + 1] = c.col[k + 1];
            }
            const int number = color_number(n, &own);
            assert_relative(1. / bg_lane(weight, l), probability[number], 1e-11, "probability of drawn colors, n = %d",
                            n);
            if (l == 0) found[number] += 1.;
        }
    }
    free(work);
    double chi2 = 0., degrees = -1., rare = 0., rare_found = 0.;
    for (int number = 0; number < assignments; number++) {
        const double expected = probability[number] * draws / BG_LANES;
        if (expected >= 5.) {
            chi2 += (found[number] - expected) * (found[number] - expected) / expected;
            degrees += 1.;
        } else {
            rare += expected;
            rare_found += found[number];
        }
    }
    if (rare > 0.) {
        chi2 += (rare_found - rare) * (rare_found - rare) / rare;
        degrees += 1.;
    }
    say("n = %d: colors drawn, chi^2 %.1f of %.0f\n", n, chi2, degrees);
    assert_true(degrees > 30.);
    assert_bounded(chi2 - degrees, 4.5 * sqrt(2. * degrees), "chi^2 of drawn colors, n = %d", n);
    free(probability);
    free(found);
}

static void probabilities_of_colors(void **state)
{
    (void)state;
    for (int n = 4; n <= 5; n++)
        for (int flat = 0; flat < 2; flat++) check_probabilities(n, flat);
}

/* ---- means --------------------------------------------------------------------------------------------------- */

static bg_options coherent_options(int group)
{
    bg_options o = default_options();
    o.color = BG_COLOR_SAMPLED;
    o.recursion = BG_RECURSION_DRESSED;
    o.color_sampling = BG_COLORS_COHERENT;
    o.color_group = group;
    return o;
}

enum { POINTS = 20 };

/* Means of independent draws against exact sums, as in test_sampling.c. */
static void assert_unbiased(int n_out, const bg_options *o, int points, const double *momenta, const double *exact,
                            const char *what)
{
    double mean[POINTS], error[POINTS], ratio = 0., variance = 0., squares = 0., largest = 0.;
    evaluate(n_out, o, 500, (size_t)points, momenta, mean, error);
    for (int k = 0; k < points; k++) {
        assert_true(mean[k] > 0. && error[k] > 0.);
        const double pull = (mean[k] - exact[k]) / error[k], relative = error[k] / exact[k];
        squares += pull * pull / points;
        largest = fmax(largest, fabs(pull));
        ratio += mean[k] / exact[k] / points;
        variance += relative * relative / points / points;
    }
    say("n_out = %d, %-9s: sampled / exact %.4f +- %.4f, pulls spread by %.2f, largest %.2f\n", n_out, what, ratio,
        sqrt(variance), sqrt(squares), largest);
    assert_bounded(ratio - 1., 4. * sqrt(variance), "sampled / exact - 1, %s, n_out = %d", what, n_out);
    assert_bounded(sqrt(variance), 0.08 * sqrt((double)POINTS / (points < 8 ? points : POINTS)),
                   "error of sampled / exact, %s, n_out = %d", what, n_out);
    if (points == POINTS) assert_bounded(sqrt(squares) - 1., 0.5, "spread of pulls - 1, %s, n_out = %d", what, n_out);
}

static void means_are_color_sums(void **state)
{
    (void)state;
    static const char *const names[] = {"summed", "fixed", "angle", "circular"};
    static const char *const helicities[] = {"+-+-", "+--+-", "+-+-+-", "+-++--+", "+-+-+--+"};
    static const int samples[][4] = {{1000, 1500, 3000, 6000},
                                     {300, 1000, 3000, 6000},
                                     {100, 1000, 3000, 6000},
                                     {20, 600, 1500, 3000},
                                     {0, 300, 1000, 0}};
    const int points = effort_of(POINTS, 4);
    for (int n_out = 2; n_out <= 6; n_out++)
        for (int mode = 0; mode < 4; mode++) {
            if (!samples[n_out - 2][mode]) continue;
            random_source r = fixed_source(600 + (uint64_t)n_out);
            double *p = random_cut_points(&r, n_out, 14000., POINTS), exact[POINTS];
            bg_options sum = default_options(), o = coherent_options(1);
            if (mode == 1) {
                sum.helicity = o.helicity = BG_HELICITY_FIXED;
                strcpy(sum.helicities, helicities[n_out - 2]);
                strcpy(o.helicities, helicities[n_out - 2]);
            } else if (mode > 1) {
                o.helicity = BG_HELICITY_SAMPLED;
                o.helicity_sampling = mode == 2 ? BG_SAMPLE_ANGLE : BG_SAMPLE_CIRCULAR;
            }
            o.samples = samples[n_out - 2][mode];
            evaluate(n_out, &sum, 0, (size_t)points, p, exact, NULL);
            assert_unbiased(n_out, &o, points, p, exact, names[mode]);
            free(p);
        }
}

/* Where only one helicity is in reach of the exact sum; n_out = 9 is too slow with sanitizers. */
static void means_at_eight_and_nine(void **state)
{
    (void)state;
    for (int n_out = 8; n_out <= (test_effort() < 1. ? 8 : 9); n_out++) {
        random_source r = fixed_source(700 + (uint64_t)n_out);
        enum { REGISTER = 8 }; /* the exact sum of as many as fit a register costs no more than that of one */
        double *p = random_cut_points(&r, n_out, 14000., REGISTER), exact[POINTS];
        bg_options sum = default_options(), o = coherent_options(1);
        sum.helicity = o.helicity = BG_HELICITY_FIXED;
        strcpy(sum.helicities, n_out == 8 ? "+-+-+-+--+" : "+-+-+-+--+-");
        strcpy(o.helicities, sum.helicities);
        o.samples = n_out == 8 ? 1000 : 500;
        evaluate(n_out, &sum, 0, REGISTER, p, exact, NULL);
        assert_unbiased(n_out, &o, REGISTER, p, exact, "fixed");
        free(p);
    }
}

/* An event's polarization does not depend on how its colors are treated: with both drawn, the difference from the exact
 * color sum of the same event averages to nothing, and the two go together. */
static void same_polarizations(void **state)
{
    (void)state;
    enum { N_OUT = 7, STRIDE = 4 * (N_OUT + 2) };
    const int events = effort_of(3000, 1);
    random_source r = fixed_source(707);
    double *p = malloc((size_t)events * STRIDE * sizeof *p), *exact = malloc((size_t)events * sizeof *exact),
           *drawn = malloc((size_t)events * sizeof *drawn);
    assert_true(p && exact && drawn);
    random_cut_point(&r, N_OUT, 14000., p);
    for (int k = 1; k < events; k++) memcpy(p + k * STRIDE, p, STRIDE * sizeof *p);
    bg_options sum = default_options(), o = coherent_options(1);
    sum.helicity = o.helicity = BG_HELICITY_SAMPLED;
    evaluate(N_OUT, &sum, 40, (size_t)events, p, exact, NULL);
    evaluate(N_OUT, &o, 40, (size_t)events, p, drawn, NULL);
    double mean = 0., size = 0., difference = 0., square = 0., xx = 0., yy = 0., xy = 0.;
    for (int k = 0; k < events; k++) {
        mean += drawn[k] / events;
        size += exact[k] / events;
        difference += (drawn[k] - exact[k]) / events;
        square += (drawn[k] - exact[k]) * (drawn[k] - exact[k]) / events;
    }
    for (int k = 0; k < events; k++) {
        xx += (exact[k] - size) * (exact[k] - size);
        yy += (drawn[k] - mean) * (drawn[k] - mean);
        xy += (exact[k] - size) * (drawn[k] - mean);
    }
    const double error = sqrt((square - difference * difference) / (events - 1)), correlation = xy / sqrt(xx * yy);
    say("n_out = %d, angle: difference %.3f +- %.3f of the mean, correlation %.2f\n", N_OUT, difference / size,
        error / size, correlation);
    assert_bounded(difference, 4. * error, "difference from the exact color sum");
    assert_true(error < 0.15 / sqrt(test_effort()) * size);
    if (test_effort() >= 1.) assert_true(correlation > 5. / sqrt(events));
    free(p);
    free(exact);
    free(drawn);
}

/* ---- groups -------------------------------------------------------------------------------------------------- */

/* Consecutive events, `group` at a time: none is left out, none comes twice. */
static void groups_are_consecutive(void **state)
{
    (void)state;
    for (int group = 1; group <= BG_MOST_GROUP; group *= 2) {
        int boundaries = 0, same = 0;
        for (uint64_t event = 1; event < 3 * BG_DEAL; event++) {
            const uint64_t a = bg_group_of(event - 1, (int)((event - 1) % BG_DEAL), group);
            const uint64_t b = bg_group_of(event, (int)(event % BG_DEAL), group);
            if (event % (uint64_t)group)
                same += a == b;
            else
                boundaries += b == a + 1;
        }
        assert_int_equal(boundaries, 3 * BG_DEAL / group - 1);
        assert_int_equal(same, 3 * BG_DEAL - 3 * BG_DEAL / group);
    }
}

static bg_result integrate(int n_out, const bg_options *o, uint64_t points, struct bg_histograms *histograms)
{
    bg_error error;
    bg_process *process;
    bg_result result;
    bg_result_init(&result);
    bg_integration w;
    bg_integration_init(&w);
    w.points = points;
    w.precision = 0.;
    w.histograms = histograms;
    assert_int_equal(bg_process_create_gluons(&process, n_out, &error), BG_OK);
    if (bg_integrate(process, o, &w, &result, &error) != BG_OK) fail_msg("%s", error.message);
    bg_process_destroy(process);
    return result;
}

static void groups_agree(void **state)
{
    (void)state;
    bg_options o = coherent_options(1);
    o.helicity = BG_HELICITY_SAMPLED;
    const uint64_t points = (uint64_t)effort_of(200000, 1);
    const bg_result alone = integrate(4, &o, points, NULL);
    assert_int_equal(alone.pairs, 0);
    for (int group = 4; group <= BG_MOST_GROUP; group *= 8) {
        o.color_group = group;
        o.seed = (uint64_t)group;
        const bg_result shared = integrate(4, &o, points, NULL);
        /* all but the last group of every BG_DEAL trial points are full */
        const double pairs = (double)shared.accepted * (group - 1);
        say("sigma %.4g +- %.2g (groups of %d), %.4g +- %.2g (alone)\n", shared.sigma_pb, shared.error_pb, group,
            alone.sigma_pb, alone.error_pb);
        assert_true((double)shared.pairs <= pairs && (double)shared.pairs > 0.9 * pairs);
        assert_bounded(shared.sigma_pb - alone.sigma_pb, 4. * hypot(shared.error_pb, alone.error_pb), "groups of %d",
                       group);
        assert_true(shared.error_pb / shared.error_scale < 0.03 / sqrt(test_effort()) * shared.sigma_pb);
    }
}

typedef struct spread {
    double mean, deviation; /* over the seeds */
    double error;           /* root mean square of what is reported */
    double bins;            /* deviation^2 over error^2 of bins, mean */
} spread;

enum { MOST_SEEDS = 40, MOST_BINS = 200 };

/* Of them all, or of some where they take long. */
static int seeds_here(void) { return effort_of(MOST_SEEDS, 5); }

/* What many seeds give: sigma and the bins of the angles and separations that have a fair share of it. */
static spread spread_of(int n_out, const bg_options *options, uint64_t points)
{
    static double share[MOST_SEEDS][MOST_BINS], variance[MOST_SEEDS][MOST_BINS];
    double sigma[MOST_SEEDS];
    const int seeds = seeds_here();
    spread s = {0., 0., 0., 0.};
    bg_options o = *options;
    int bins = 0;
    o.threads = 1;
    for (int k = 0; k < seeds; k++) {
        struct bg_histograms *h;
        bg_integration w;
        bg_error error;
        bg_integration_init(&w);
        assert_int_equal(
            bg_histograms_allocate(&h, (bg_subprocess[]){bg_subprocess_gluons(n_out)}, 0, w.sqrts, &w.cuts, &error),
            BG_OK);
        o.seed = 9000 + (uint64_t)k;
        const bg_result r = integrate(n_out, &o, points, h);
        sigma[k] = r.sigma_pb;
        s.mean += r.sigma_pb / seeds;
        s.error += r.error_pb * r.error_pb / seeds;
        bins = 0;
        for (int i = 0; i < h->count; i++) {
            const bg_histogram *g = &h->histogram[i];
            if (strncmp(g->name, "eta", 3) && strncmp(g->name, "dr", 2)) continue;
            for (int b = 0; b < g->axis.bins && bins < MOST_BINS; b++, bins++) {
                const int cell = g->axis.first + b;
                const double sum = bg_exact_value(&h->weight[cell]), n = (double)r.points;
                share[k][bins] = sum / n;
                variance[k][bins] =
                    bg_sum_variance(sum, bg_exact_value(&h->weight2[cell]), n, (double)r.accepted, (double)r.pairs) /
                    n / n;
            }
        }
        bg_histograms_destroy(h);
    }
    for (int k = 0; k < seeds; k++) s.deviation += (sigma[k] - s.mean) * (sigma[k] - s.mean) / (seeds - 1);
    s.deviation = sqrt(s.deviation);
    s.error = sqrt(s.error);
    double found = 0., reported = 0.;
    for (int b = 0; b < bins; b++) {
        double mean = 0., deviation = 0., error = 0.;
        for (int k = 0; k < seeds; k++) {
            mean += share[k][b] / seeds;
            error += variance[k][b] / seeds;
        }
        for (int k = 0; k < seeds; k++) deviation += (share[k][b] - mean) * (share[k][b] - mean) / (seeds - 1);
        if (mean < 0.02 * s.mean) continue;
        found += deviation / mean / mean;
        reported += error / mean / mean;
    }
    assert_true(reported > 0.);
    s.bins = found / reported;
    return s;
}

/* The errors of sigma and of bins are what different seeds spread by; those of points taken one by one would not be. */
static void errors_know_groups(void **state)
{
    (void)state;
    static const double truth[] = {56.62666, 308.03}, truth_error[] = {0., 0.06}; /* docs/validation.md */
    const double wider = sqrt((double)MOST_SEEDS / seeds_here());
    double spread_of_groups = 0.;
    for (int k = 0; k < 3; k++) {
        const int which = k == 1, group = k == 2 ? 1 : BG_MOST_GROUP, n_out = 2 + which;
        bg_options o = coherent_options(group);
        o.helicity = BG_HELICITY_SAMPLED;
        const spread s = spread_of(n_out, &o, 10000);
        say("n_out = %d, groups of %d: %.2f +- %.2f, seeds spread by %.2f of that; variance of bins over that reported "
            "%.2f\n",
            n_out, group, s.mean, s.error, s.deviation / s.error, s.bins);
        assert_bounded(s.mean - truth[which], 4. * hypot(s.error / sqrt(seeds_here()), truth_error[which]),
                       "mean over seeds, n_out = %d", n_out);
        assert_bounded(s.deviation / s.error - 1., 0.28 * wider, "spread over error - 1, n_out = %d", n_out);
        assert_bounded(s.bins - 1., 0.2 * wider, "variance of bins over that reported - 1, n_out = %d", n_out);
        if (k == 0) spread_of_groups = s.deviation;
        if (k ==
            2) { /* weights of single points are no different: this is the error that they would claim for groups */
            say("n_out = 2: spread of groups over the error of single points %.2f\n", spread_of_groups / s.error);
            if (wider < 1.1) assert_true(spread_of_groups > 1.5 * s.error);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(circular_amplitudes_are_the_same),
        cmocka_unit_test(documented_schedule),
        cmocka_unit_test(amplitudes_are_dressed),
        cmocka_unit_test(all_schedules_fit),
        cmocka_unit_test(long_schedules_fit),
        cmocka_unit_test(sums_over_paths),
        cmocka_unit_test(drawn_orderings),
        cmocka_unit_test(probabilities_of_colors),
        cmocka_unit_test(means_are_color_sums),
        cmocka_unit_test(means_at_eight_and_nine),
        cmocka_unit_test(same_polarizations),
        cmocka_unit_test(groups_are_consecutive),
        cmocka_unit_test(groups_agree),
        cmocka_unit_test(errors_know_groups),
    };
    return cmocka_run_group_tests_name("coherent", tests, NULL, NULL);
}
