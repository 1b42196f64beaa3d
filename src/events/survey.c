#include "events/survey.h"
#include "base/room.h"

#include <math.h>
#include <stdlib.h>

/* ---- points ------------------------------------------------------------------------------------------------------------ */

void bg_survey_note(bg_survey *s, uint64_t number, double weight)
{
    const int which = s->exact;
    s->point[which] =
        bg_more_places(s->point[which], s->count[which], &s->room[which], sizeof *s->point[which], &s->failed);
    if (!s->failed) s->point[which][s->count[which]++] = (bg_survey_point){number, weight};
}

void bg_survey_free(bg_survey *s)
{
    for (int k = 0; k < 2; k++) free(s->point[k]);
    free(s->spectrum);
    *s = (bg_survey){.exact = 0};
}

static int compare_numbers(const void *a, const void *b)
{
    const bg_survey_point *x = a, *y = b;
    return x->number < y->number ? -1 : x->number > y->number;
}

static void sort_numbers(bg_survey *s, int which)
{
    if (s->count[which]) qsort(s->point[which], s->count[which], sizeof *s->point[which], compare_numbers);
}

/* ---- the rule ------------------------------------------------------------------------------------------------------------- */

/* Points of one weight. */
typedef struct heap {
    double weight, count;
} heap;

static int compare_heaps(const void *a, const void *b)
{
    const heap *x = a, *y = b;
    return x->weight < y->weight ? 1 : x->weight > y->weight ? -1 : 0;
}

/* For events without overweights. Sums are the same for any number of threads. */
static bg_survey_result find_largest(heap *h, size_t count)
{
    bg_survey_result r = {.threshold = 0.};
    if (!count) return r;
    qsort(h, count, sizeof *h, compare_heaps);
    for (size_t k = count; k-- > 0;) {
        r.sum += h[k].weight * h[k].count;
        r.kept += h[k].count;
    }
    r.largest = h[0].weight;
    return r;
}

/* ---- the sieve ------------------------------------------------------------------------------------------------------------ */

static double sum_of(const bg_survey *s)
{
    double sum = 0.;
    for (size_t k = 0; k < s->count[0]; k++) sum += s->point[0][k].weight;
    return sum;
}

double bg_survey_kept(const bg_survey *s, double threshold)
{
    double sum = 0.;
    for (size_t k = 0; k < s->count[0]; k++) sum += fmin(1., s->point[0][k].weight / threshold);
    return sum;
}

double bg_survey_first_threshold(bg_survey *s, double count)
{
    sort_numbers(s, 0); /* so that the sum is the same for any number of threads */
    s->threshold = sum_of(s) / count;
    return s->threshold;
}

/* The estimate of an exact point; 0 where it is no number. Both lists are in order, and *at is where the search goes on. */
static double estimate_of(const bg_survey *s, const bg_survey_point *point, size_t *at)
{
    const bg_survey_point *all = s->point[0];
    while (*at < s->count[0] && all[*at].number < point->number) ++*at;
    return *at < s->count[0] && all[*at].number == point->number ? all[*at].weight : 0.;
}

/* The exact points with their estimates, as a sieve with another threshold would deliver them. */
static size_t resieve(const bg_survey *s, double threshold, heap *h)
{
    size_t found = 0, at = 0;
    for (size_t k = 0; k < s->count[1]; k++) {
        const bg_survey_point *point = &s->point[1][k];
        const double e = estimate_of(s, point, &at), kept = fmin(1., e / s->threshold), p = fmin(1., e / threshold);
        if (e > 0.) h[found++] = (heap){point->weight * kept / p, p / kept};
    }
    return found;
}

/* ---- estimates and ratios ------------------------------------------------------------------------------------------------ */

/* Bins of logarithms. All of them are counted from places on a common scale: x = 2^(place / (2 OCTAVE)), bin b has its center at
 * place 2 b + 1, so that the product of two centers has a place as well. */
enum {
    OCTAVE = 128,
    BELOW = 10 * OCTAVE,
    STEPS = 14 * OCTAVE,
    STEP = OCTAVE / 4,
    FINE = OCTAVE / 64
}; /* thresholds are tried from BELOW the first one on, STEPS of them, every STEPth first, then every FINEth */
enum { E_BINS = 24 * OCTAVE, R_FIRST = -8 * OCTAVE, R_BINS = 16 * OCTAVE };
enum { BELOW_LARGEST = 20 * OCTAVE, NEAR_ONE = 1 };

#define ABOUT 1.003 /* times the least of all costs is as good */

static double at_place(int place) { return exp2(place / (2. * OCTAVE)); }

/* What a survey knows, in bins: e of all points, from the lowest threshold on, and w/e of exact ones. */
typedef struct bg_spectrum {
    int lowest;                           /* bin of the lowest threshold: that of index 0, and all below it */
    int bins;                             /* up to the last one with something in it */
    double e[E_BINS], e2[E_BINS];         /* sums of e and of its square */
    double e_from[E_BINS + 1];            /* sums of e from a bin on */
    int ratios[2];                        /* the first bin of ratios with something in it, and the one after the last */
    double ratio[R_BINS], ratio2[R_BINS]; /* shares of the cross section, and their squared errors */
    double from[R_BINS + 1];              /* sums of ratio from a bin on, */
    double count_from[R_BINS + 1];        /* ... and of ratio over w/e */
} spectrum;

#define TAIL 10. /* points of equal share that a tail is known from */

static int within(int k, int count) { return k < 0 ? 0 : k < count ? k : count - 1; }
static int bin_of(double x) { return (int)floor(OCTAVE * log2(x)); }

/* Which of the points, the largest first, are the tail: as many as are as good as TAIL of equal share. */
static size_t tail_points(const heap *h, size_t count)
{
    double sum = 0., square = 0.;
    for (size_t k = 0; k + 1 < count; k++) {
        sum += h[k].count;
        square += h[k].count * h[k].count;
        if (sum * sum >= TAIL * square) return k + 1;
    }
    return 0;
}

/* The tail is spread out from the first point below it on, with the power that its logarithms have on average. */
static void spread_tail(const heap *h, size_t tail, int first, int bins, double *share, double *square)
{
    double sum = 0., squares = 0., logs = 0., left = 1.;
    const double start = OCTAVE * log2(h[tail].weight) - first;
    for (size_t k = 0; k < tail; k++) {
        sum += h[k].count;
        squares += h[k].count * h[k].count;
        logs += h[k].count * (OCTAVE * log2(h[k].weight) - first - start);
    }
    for (int bin = within((int)floor(start), bins); bin < bins && left > 0.; bin++) {
        const double end = bin + 1 < bins && logs > 0. ? exp((start - bin - 1.) * sum / logs) : 0.;
        const double part = sum * (left - end);
        share[bin] += part;
        square[bin] += part * squares / sum;
        left = end;
    }
}

/* Points with their shares, in bins of their weights. */
static void fill_bins(heap *h, size_t count, int first, int bins, double *share, double *square)
{
    if (!count) return;
    qsort(h, count, sizeof *h, compare_heaps);
    const size_t tail = tail_points(h, count);
    if (tail) spread_tail(h, tail, first, bins, share, square);
    for (size_t k = tail; k < count; k++) {
        const int bin = within(bin_of(h[k].weight) - first, bins);
        share[bin] += h[k].count;
        square[bin] += h[k].count * h[k].count;
    }
}

/* The exact points count as often as there are points like them: e/p. */
static void fill_ratios(const bg_survey *s, spectrum *f, heap *h)
{
    double sum = 0.;
    size_t found = 0;
    for (size_t k = 0, at = 0; k < s->count[1]; k++) {
        const bg_survey_point *point = &s->point[1][k];
        const double e = estimate_of(s, point, &at), times = fmax(e, s->threshold);
        if (!(e > 0.)) continue;
        h[found++] = (heap){point->weight / times, point->weight};
        sum += times;
    }
    for (size_t k = 0; k < found; k++) h[k].count /= sum;
    fill_bins(h, found, R_FIRST, R_BINS, f->ratio, f->ratio2);
}

static void add_up(spectrum *f)
{
    for (int k = E_BINS; k-- > 0;) {
        f->e_from[k] = f->e_from[k + 1] + f->e[k];
        if (!f->bins && f->e[k] > 0.) f->bins = k + 1;
    }
    for (int k = R_BINS; k-- > 0;) {
        f->from[k] = f->from[k + 1] + f->ratio[k];
        f->count_from[k] = f->count_from[k + 1] + f->ratio[k] / at_place(2 * (k + R_FIRST) + 1);
        if (!(f->ratio[k] > 0.)) continue;
        if (!f->ratios[1]) f->ratios[1] = k + 1;
        f->ratios[0] = k;
    }
}

static void fill(const bg_survey *s, spectrum *f, heap *h)
{
    f->lowest = bin_of(s->threshold) - BELOW;
    for (size_t k = 0; k < s->count[0]; k++) h[k] = (heap){s->point[0][k].weight, s->point[0][k].weight};
    fill_bins(h, s->count[0], f->lowest, E_BINS, f->e, f->e2);
    fill_ratios(s, f, h);
    add_up(f);
}

/* Without a sieve all points have their weights in the place of e, and w/e is 1: next to it there is the center of a bin, at NEAR_ONE. */
static void fill_plain(const bg_survey *s, spectrum *f, heap *h)
{
    double largest = s->point[0][0].weight;
    for (size_t k = 0; k < s->count[0]; k++) {
        h[k] = (heap){s->point[0][k].weight, s->point[0][k].weight};
        largest = fmax(largest, s->point[0][k].weight);
    }
    f->lowest = bin_of(largest) - BELOW_LARGEST;
    fill_bins(h, s->count[0], f->lowest, E_BINS, f->e, f->e2);
    f->ratio[-R_FIRST] = 1.;
    add_up(f);
}

/* The first bin of ratios that takes a point at `place` above W. */
static int first_above(int place, int largest)
{
    const int wanted = largest - place; /* 2 b + 1 > wanted */
    return within((int)floor((wanted + 1) / 2.) - R_FIRST, R_BINS + 1);
}

/* Points with a threshold: e up to its bin is one heap, at its place. */
typedef struct sieved_points {
    const spectrum *f;
    int threshold, step; /* its place, its bin */
    double e, e2;        /* of the heap */
} sieved_points;

static sieved_points sieved_at(const spectrum *f, int threshold)
{
    sieved_points p = {f, threshold, threshold / 2 - f->lowest, 0., 0.};
    for (int k = 0; k < p.step; k++) {
        p.e += f->e[k];
        p.e2 += f->e2[k];
    }
    return p;
}

/* What is above W. */
typedef struct tail {
    double above, variance; /* sum of weights above W, and its variance */
} tail;

static void add_tail(tail *t, double e, double e2, double part)
{
    t->above += e * part;
    t->variance += e2 * part * part;
}

static tail tail_of(const sieved_points *p, int largest)
{
    const spectrum *f = p->f;
    const int sum =
        (int)floor(0.5 * largest) - f->lowest - R_FIRST; /* of two bins, the least whose product is above W */
    tail t = {0., 0.};
    add_tail(&t, p->e, p->e2, f->from[first_above(p->threshold, largest)]);
    for (int k = p->step > sum - R_BINS ? p->step : sum - R_BINS; k < f->bins; k++)
        add_tail(&t, f->e[k], f->e2[k], f->from[k < sum ? sum - k : 0]);
    /* the errors of ratios: each bin of them has its points at the places that it takes above W */
    for (int b = f->ratios[0]; b < f->ratios[1]; b++) {
        const int k = sum - b < f->bins ? sum - b : f->bins;
        const int heap_is_above = k <= p->step && p->threshold + 2 * (b + R_FIRST) + 1 > largest;
        const double reached = f->e_from[k > p->step ? k : p->step] + (heap_is_above ? p->e : 0.);
        t.variance += f->ratio2[b] * reached * reached;
    }
    return t;
}

static double excess_at(const spectrum *f, double e, int place, int largest)
{
    const int first = first_above(place, largest);
    return e * (f->from[first] - at_place(largest - place) * f->count_from[first]);
}

/* What weights above W have beyond it. */
static double excess_of(const sieved_points *p, int largest)
{
    const spectrum *f = p->f;
    double excess = excess_at(f, p->e, p->threshold, largest);
    for (int k = p->step; k < f->bins; k++)
        if (f->e[k] > 0.) excess += excess_at(f, f->e[k], 2 * (k + f->lowest) + 1, largest);
    return excess;
}

/* The weights of all points together. */
static double all_of(const spectrum *f)
{
    double sum = 0.;
    for (int k = 0; k < f->bins; k++) sum += f->e[k];
    return sum * f->from[0];
}

/* Points that a sieve with the threshold of this place would keep. */
static double kept_by(const spectrum *f, int threshold)
{
    const int step = threshold / 2 - f->lowest;
    double below = 0., kept = 0.;
    for (int k = 0; k < step; k++) below += f->e[k];
    for (int k = step; k < f->bins; k++) kept += f->e[k] / at_place(2 * (k + f->lowest) + 1);
    return kept + below / at_place(threshold);
}

/* The smallest place from which on the share above it is small enough, sought from a guess in steps that double. */
static int smallest_place(const sieved_points *p, double most, double margin, int guess)
{
    int low = p->threshold - R_BINS, high = 2 * (p->f->lowest + E_BINS + R_FIRST + R_BINS), leap = 1;
    int at = guess > low && guess < high ? guess : low + (high - low) / 2;
    while (high - low > 1) {
        const tail t = tail_of(p, at);
        const int small = t.above + margin * sqrt(t.variance) <= most;
        if (small)
            high = at;
        else
            low = at;
        at = small ? at - leap : at + leap;
        leap *= 2;
        if (at <= low || at >= high) at = low + (high - low) / 2;
    }
    return high;
}

/* The smallest W above which points carry the share, or would if there were more by a part of the error of that. `*place` is a guess
 * at it, and its place then. */
static bg_survey_result convolve(const spectrum *f, int threshold, double overweight, double margin, int *place)
{
    const sieved_points p = sieved_at(f, threshold);
    const double sum = all_of(f);
    *place = smallest_place(&p, overweight * sum, margin, *place);
    const tail t = tail_of(&p, *place);
    return (bg_survey_result){.largest = at_place(*place),
                              .sum = sum,
                              .excess = sum > 0. ? excess_of(&p, *place) / sum : 0.,
                              .error = t.above > 0. ? sqrt(t.variance) / t.above : 0.};
}

/* What a threshold gives, and what events cost with it. `*largest` is a guess at the place of W, and that then. */
static bg_survey_result attempt_at(const bg_survey *s, heap *h, int step, const bg_survey_rule *rule, int *largest)
{
    const spectrum *f = s->spectrum;
    const int place = 2 * (f->lowest + step);
    const double threshold = at_place(place);
    bg_survey_result r = rule->overweight > 0. ? convolve(f, place, rule->overweight, rule->margin, largest)
                                               : find_largest(h, resieve(s, threshold, h));
    r.threshold = threshold;
    r.sum = all_of(f); /* not of exact points alone, which are fewer */
    r.kept = kept_by(f, place);
    r.cost = r.sum > 0. ? (rule->trials + rule->exact * r.kept) * r.largest / r.sum : HUGE_VAL;
    return r;
}

/* Thresholds a quarter of a factor of two apart, and then those around the one that costs least. Costs are counted operations,
 * and flat there: of all that cost about as much it is the highest one, with the fewest exact values. */
static bg_survey_result find_threshold(const bg_survey *s, heap *h, const bg_survey_rule *rule)
{
    bg_survey_result best = {.threshold = s->threshold};
    double least = HUGE_VAL;
    int at = 0, largest = 0;
    for (int step = 0; step <= STEPS; step += STEP) {
        const bg_survey_result a = attempt_at(s, h, step, rule, &largest);
        if (!(a.cost < least)) continue;
        least = a.cost;
        best = a;
        at = step;
    }
    const int first = at > STEP ? at - STEP : 0, last = at + 2 * STEP < STEPS ? at + 2 * STEP : STEPS;
    for (int step = first; step <= last && least < HUGE_VAL; step += FINE) {
        const bg_survey_result a = attempt_at(s, h, step, rule, &largest);
        if (a.cost < least) least = a.cost;
        if (a.cost <= ABOUT * least) best = a;
    }
    return best;
}

/* Room for as many heaps as there are points, with the spectrum made once. NULL without memory. */
static heap *make_room(bg_survey *s, void (*make)(const bg_survey *, spectrum *, heap *))
{
    const int fresh = !s->spectrum;
    heap *h = malloc((s->count[0] + s->count[1] + 1) * sizeof *h);
    if (fresh) s->spectrum = calloc(1, sizeof *s->spectrum);
    s->failed |= !h || !s->spectrum;
    if (s->failed) {
        free(h);
        return NULL;
    }
    if (fresh) make(s, s->spectrum, h);
    return h;
}

bg_survey_result bg_survey_sieved(bg_survey *s, const bg_survey_rule *rule)
{
    bg_survey_result best = {.threshold = s->threshold};
    if (!(s->threshold > 0.)) return best; /* no point was inside the cuts */
    if (!s->spectrum) sort_numbers(s, 1);
    heap *h = make_room(s, fill);
    if (!h) return best;
    best = find_threshold(s, h, rule);
    best.kept = bg_survey_kept(s, best.threshold);
    if (!(best.sum > 0.)) best.cost = 0.;
    free(h);
    return best;
}

/* ---- without a sieve ------------------------------------------------------------------------------------------------------ */

static bg_survey_result plain_at(const bg_survey *s, const bg_survey_rule *rule)
{
    int largest = 2 * (s->spectrum->lowest + BELOW_LARGEST);
    bg_survey_result r = convolve(s->spectrum, 2 * s->spectrum->lowest, rule->overweight, rule->margin, &largest);
    r.largest /= at_place(NEAR_ONE);
    return r;
}

bg_survey_result bg_survey_plain(bg_survey *s, const bg_survey_rule *rule)
{
    bg_survey_result r = {.threshold = 0.};
    heap *h = s->count[0] ? make_room(s, fill_plain) : NULL;
    if (!h) return r;
    for (size_t k = 0; k < s->count[0]; k++) h[k] = (heap){s->point[0][k].weight, 1.};
    r = rule->overweight > 0. ? plain_at(s, rule) : find_largest(h, s->count[0]);
    r.sum = all_of(s->spectrum);
    r.kept = (double)s->count[0];
    r.cost = r.sum > 0. ? (rule->trials + rule->exact * r.kept) * r.largest / r.sum : 0.;
    free(h);
    return r;
}

/* ---- both ----------------------------------------------------------------------------------------------------------------- */

double bg_survey_slope(bg_survey *s, const bg_survey_rule *rule, bg_survey_look *look)
{
    bg_survey_rule less = *rule, more = *rule;
    less.overweight *= 0.5;
    more.overweight *= 2.;
    const double high = look(s, &less).cost, low = look(s, &more).cost;
    return high > 0. && low > 0. ? log(high / low) / log(4.) : 0.;
}
