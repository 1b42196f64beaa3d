/* What an integration leaves to its caller: distributions, points as they come and points by number; and what is known
 * before it starts: memory and choice.
 */
#include "support.h"

static bg_process *process_of(int n_out)
{
    bg_process *process;
    assert_int_equal(bg_process_create_gluons(&process, n_out, NULL), BG_OK);
    return process;
}

static void defaults(bg_options *o, bg_integration *w)
{
    *o = default_options();
    strcpy(o->backend, "cpu");
    bg_integration_init(w);
    w->precision = 0.;
    w->points = 20000;
}

/* ---- histograms -------------------------------------------------------------------------------------------- */

/* The bins of every distribution add up to sigma, and the edges go up. */
static void histograms_add_up(void **state)
{
    (void)state;
    enum { BINS = 200 };
    bg_process *process = process_of(3);
    bg_histograms *h;
    bg_options o;
    bg_integration w;
    bg_result r;
    bg_error error;
    double edges[BINS + 1], sigma[BINS], uncertainty[BINS], entries[BINS];
    defaults(&o, &w);
    bg_result_init(&r);
    assert_int_equal(bg_histograms_create(&h, process, &w, &error), BG_OK);
    assert_int_equal(bg_histograms_size(h), 10);
    assert_string_equal(bg_histograms_name(h, 0), "pt_1");
    assert_string_equal(bg_histograms_title(h, 0), "p_T of gluon 1 [GeV]");
    assert_int_equal(bg_histograms_logarithmic(h, 0), 1);
    assert_int_equal(bg_histograms_logarithmic(h, 1), 0);
    assert_string_equal(bg_histograms_name(h, 9), "weight");
    /* empty before */
    assert_int_equal(bg_histograms_read(h, 0, edges, sigma, uncertainty, entries, &error), BG_OK);
    for (int b = 0; b < bg_histograms_bins(h, 0); b++)
        assert_true(sigma[b] == 0. && uncertainty[b] == 0. && entries[b] == 0.);
    w.histograms = h;
    assert_int_equal(bg_integrate(process, &o, &w, &r, &error), BG_OK);
    for (int k = 0; k < bg_histograms_size(h); k++) {
        const int bins = bg_histograms_bins(h, k);
        double sum = 0., variance = 0.;
        assert_true(bins > 1 && bins <= BINS);
        assert_int_equal(bg_histograms_read(h, k, edges, sigma, uncertainty, entries, &error), BG_OK);
        for (int b = 0; b < bins; b++) {
            assert_true(edges[b] < edges[b + 1] && sigma[b] >= 0. && uncertainty[b] >= 0. && entries[b] >= 0.);
            assert_true((sigma[b] > 0.) == (entries[b] > 0.));
            sum += sigma[b];
            variance += uncertainty[b] * uncertainty[b];
        }
        assert_relative(sum, r.sigma_pb, 1e-12, "bins of %s", bg_histograms_name(h, k));
        assert_true(variance > 0.5 * r.error_pb * r.error_pb);
    }
    assert_refused(bg_histograms_read(h, 10, edges, NULL, NULL, NULL, &error), &error, BG_ERROR_ARGUMENT, "10|0 to 9");
    assert_refused(bg_histograms_read(NULL, 0, edges, NULL, NULL, NULL, &error), &error, BG_ERROR_ARGUMENT, "NULL");
    assert_null(bg_histograms_name(h, -1));
    assert_null(bg_histograms_title(NULL, 0));
    assert_int_equal(bg_histograms_size(NULL) + bg_histograms_bins(h, 10) + bg_histograms_logarithmic(NULL, 0), 0);
    /* those of another process are not filled */
    bg_process *other = process_of(4);
    assert_refused(bg_integrate(other, &o, &w, &r, &error), &error, BG_ERROR_ARGUMENT, "histograms are for 3|has 4");
    w.cuts.pt_min = -1.;
    bg_histograms *none = h;
    assert_refused(bg_histograms_create(&none, process, &w, &error), &error, BG_ERROR_ARGUMENT, "pt_min is -1");
    assert_null(none);
    assert_refused(bg_histograms_create(NULL, process, &w, &error), &error, BG_ERROR_ARGUMENT, "NULL");
    bg_process_destroy(other);
    bg_histograms_destroy(h);
    bg_histograms_destroy(NULL);
    bg_process_destroy(process);
}

/* What points say about an observable: the range that it takes, and bins of one's own. */
enum { OWN_BINS = 20 };
typedef struct observed {
    const char *text;                                 /* as it is booked */
    double (*value)(const double (*p)[4], int n_out); /* of momenta by falling pT */
    double low, high, share[OWN_BINS + 2];            /* below and above behind the bins */
} observed;

static double of_pt(const double *p) { return hypot(p[1], p[2]); }
static double of_eta(const double *p) { return atanh(p[3] / p[0]); }
static double of_dphi(const double *p, const double *q)
{
    return fabs(remainder(atan2(p[2], p[1]) - atan2(q[2], q[1]), 2. * PI));
}

static double of_mass(const double (*p)[4], int count)
{
    double sum[4] = {0.};
    for (int k = 0; k < count; k++)
        for (int c = 0; c < 4; c++) sum[c] += p[k][c];
    return sqrt(fmax(0., sum[0] * sum[0] - sum[1] * sum[1] - sum[2] * sum[2] - sum[3] * sum[3]));
}

static double third_pt(const double (*p)[4], int n) { return n > 2 ? of_pt(p[2]) : 0.; }
static double second_eta(const double (*p)[4], int n) { return n > 1 ? of_eta(p[1]) : 0.; }
static double first_energy(const double (*p)[4], int n) { return n ? p[0][0] : 0.; }
static double pair_dphi(const double (*p)[4], int n) { return n > 2 ? of_dphi(p[0], p[2]) : 0.; }
static double pair_deta(const double (*p)[4], int n) { return n > 1 ? fabs(of_eta(p[0]) - of_eta(p[1])) : 0.; }
static double pair_dr(const double (*p)[4], int n) { return n > 1 ? hypot(of_dphi(p[0], p[1]), pair_deta(p, n)) : 0.; }
static double pair_mass(const double (*p)[4], int n) { return of_mass(p, n > 1 ? 2 : n); }
static double three_mass(const double (*p)[4], int n) { return of_mass(p, n > 2 ? 3 : n); }
static double all_pt(const double (*p)[4], int n)
{
    double sum = 0.;
    for (int k = 0; k < n; k++) sum += of_pt(p[k]);
    return sum;
}

/* Bins of 4000 to 8000 in GeV, of 0.5 to 2 elsewhere, so that something lies beyond on either side. */
#define IN_GEV ":20:1000:4000"
#define PLAIN ":20:0.5:2"
static observed own[] = {
    {.text = "pt(3)" IN_GEV, .value = third_pt},
    {.text = "eta(2)" PLAIN, .value = second_eta},
    {.text = "y(2)" PLAIN, .value = second_eta},
    {.text = "energy(1)" IN_GEV, .value = first_energy},
    {.text = "dphi(3,1)" PLAIN, .value = pair_dphi},
    {.text = "deta(1,2)" PLAIN, .value = pair_deta},
    {.text = "dr(1,2)" PLAIN, .value = pair_dr},
    {.text = "mass(2,1)" IN_GEV, .value = pair_mass},
    {.text = "mass(1,2,3)" IN_GEV ":log", .value = three_mass},
    {.text = "ht" IN_GEV, .value = all_pt},
};
enum { OWN = sizeof own / sizeof *own };

static int observe(const bg_points *points, void *user)
{
    const int n_out = points->particles - 2;
    (void)user;
    for (size_t e = 0; e < points->count && !points->warming_up; e++) {
        double p[BG_MAX_OUT_DRESSED][4];
        for (int k = 0; k < n_out; k++) {
            const double *q = points->momenta + 4 * (e * (size_t)points->particles + 2 + (size_t)k);
            int at = k;
            for (; at > 0 && of_pt(p[at - 1]) < of_pt(q); at--) memcpy(p[at], p[at - 1], sizeof p[at]);
            memcpy(p[at], q, sizeof p[at]);
        }
        for (int i = 0; i < OWN; i++) {
            const double x = own[i].value((const double(*)[4])p, n_out);
            const int gev = strstr(own[i].text, IN_GEV) != NULL, logarithmic = strstr(own[i].text, ":log") != NULL;
            const double low = gev ? 1000. : 0.5;
            const double at = OWN_BINS * (logarithmic ? log(x / low) / log(4.) : (x - low) / (3. * low));
            own[i].share[at < 0. ? OWN_BINS : at >= OWN_BINS ? OWN_BINS + 1 : (int)at] += points->weight[e];
            own[i].low = fmin(own[i].low, x);
            own[i].high = fmax(own[i].high, x);
        }
    }
    return 0;
}

/* Users' own observables, against those that are worked out from the momenta of the same points; and the standard ranges,
 * beyond which there is nothing, and which are not much too wide. */
static void histograms_of_ones_own(void **state)
{
    (void)state;
    bg_process *process = process_of(4);
    bg_histograms *h, *standard;
    bg_options o;
    bg_integration w;
    bg_result r;
    bg_error error;
    double edges[2 * OWN_BINS + 20], sigma[OWN_BINS], wrong[OWN_BINS], beyond[2], beyond_error[2];
    defaults(&o, &w);
    bg_result_init(&r);
    assert_int_equal(bg_histograms_create(&h, process, &w, &error), BG_OK);
    assert_int_equal(bg_histograms_create(&standard, process, &w, &error), BG_OK);
    const int before = bg_histograms_size(h);
    for (int i = 0; i < OWN; i++) {
        own[i].low = HUGE_VAL;
        own[i].high = -HUGE_VAL;
        memset(own[i].share, 0, sizeof own[i].share);
        assert_int_equal(bg_histograms_book(h, own[i].text, &error), BG_OK);
    }
    assert_int_equal(bg_histograms_size(h), before + OWN - 3); /* pt_3, eta_2 and ht were there */
    w.histograms = h;
    w.receive = observe;
    assert_int_equal(bg_integrate(process, &o, &w, &r, &error), BG_OK);
    for (int i = 0; i < OWN; i++) {
        char name[32];
        int k = 0, length = 0;
        for (const char *c = own[i].text; *c && *c != ':'; c++)
            if (*c != ')') name[length++] = *c == '(' || *c == ',' ? '_' : *c;
        name[length] = '\0';
        if (!strcmp(name, "dphi_3_1")) strcpy(name, "dphi_1_3");
        if (!strcmp(name, "mass_2_1")) strcpy(name, "mass_1_2");
        while (bg_histograms_name(h, k) && strcmp(bg_histograms_name(h, k), name)) k++;
        assert_string_equal(bg_histograms_name(h, k), name);
        assert_int_equal(bg_histograms_bins(h, k), OWN_BINS);
        assert_int_equal(bg_histograms_read(h, k, edges, sigma, wrong, NULL, &error), BG_OK);
        assert_int_equal(bg_histograms_beyond(h, k, beyond, beyond_error, &error), BG_OK);
        double sum = beyond[0] + beyond[1], off = 0.;
        for (int b = 0; b < OWN_BINS + 2; b++) {
            const double here = b < OWN_BINS ? sigma[b] : beyond[b - OWN_BINS];
            if (b < OWN_BINS) sum += here;
            off += fabs(here - own[i].share[b] / (double)r.points);
        }
        assert_relative(sum, r.sigma_pb, 1e-12, "%s", own[i].text);
        assert_true(off < 1e-9 * r.sigma_pb);
        /* the same without bins of one's own */
        char bare[32];
        snprintf(bare, sizeof bare, "%.*s", (int)strcspn(own[i].text, ":"), own[i].text);
        assert_int_equal(bg_histograms_book(standard, bare, &error), BG_OK);
        for (k = 0; strcmp(bg_histograms_name(standard, k), name);) k++;
        const int bins = bg_histograms_bins(standard, k);
        assert_true(bins < 2 * OWN_BINS + 20);
        assert_int_equal(bg_histograms_read(standard, k, edges, NULL, NULL, NULL, &error), BG_OK);
        assert_true(own[i].low >= edges[0] * (1. - 1e-9) - 1e-9 * (edges[0] < 0.) &&
                    own[i].high <= edges[bins] * (1. + 1e-9));
        assert_true(own[i].high - own[i].low > 0.4 * (edges[bins] - edges[0]));
    }
    bg_histograms_destroy(h);
    bg_histograms_destroy(standard);
    bg_process_destroy(process);
}

static void histograms_that_make_no_sense(void **state)
{
    (void)state;
    static const char *const wrong[][2] = {
        {"charm(1):50:0:1", "no observable 'charm'|pt, eta, y"},
        {"pt:50:0:1", "pt is of one gluon, and 0 are given"},
        {"pt(1,2):50:0:1", "of one gluon, and 2 are given"},
        {"mass(1):50:0:1", "two or more gluons, and 1 is given"},
        {"ht(1)", "no single gluons, and 1 is given"},
        {"pt(4)", "from 1 to 3"},
        {"pt(0)", "from 1 to 3"},
        {"dr(1,x)", "from 1 to 3"},
        {"dr(1,2", "bracket"},
        {"dr(1,1)", "twice"},
        {"pt(1):0:0:1", "bins must be 1 to 1000"},
        {"pt(1):1001:0:1", "bins must be 1 to 1000"},
        {"pt(1):5:1:1", "above the first"},
        {"pt(1):5:0:inf", "finite"},
        {"pt(1):5:nan:1", "finite"},
        {"pt(1):5:0:1:log", "begin above 0"},
        {"pt(1):5:0", "two numbers"},
        {"pt(1):5:0:1:linear", "not understood"},
        {"", "no observable ''"},
        {"eta(1):5:log", "begin above 0"},
    };
    bg_process *process = process_of(3);
    bg_histograms *h;
    bg_options o;
    bg_integration w;
    bg_error error;
    defaults(&o, &w);
    assert_int_equal(bg_histograms_create(&h, process, &w, &error), BG_OK);
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
        assert_refused(bg_histograms_book(h, wrong[k][0], &error), &error, BG_ERROR_ARGUMENT, wrong[k][1]);
    assert_refused(bg_histograms_book(NULL, "ht", &error), &error, BG_ERROR_ARGUMENT, "NULL");
    assert_refused(bg_histograms_book(h, NULL, &error), &error, BG_ERROR_ARGUMENT, "NULL");
    assert_int_equal(bg_histograms_size(h), 10);
    /* several of one observable have names of their own, and there is an end */
    for (int k = 0; k < 3; k++) assert_int_equal(bg_histograms_book(h, "ht:7", &error), BG_OK);
    assert_string_equal(bg_histograms_name(h, 11), "ht_c");
    for (int k = 0; k < 20; k++) assert_int_equal(bg_histograms_book(h, "mass(1,2,3)", &error), BG_OK);
    for (int k = 0; k < 9; k++) assert_int_equal(bg_histograms_book(h, "mass(1,3)", &error), BG_OK);
    assert_refused(bg_histograms_book(h, "mass(2,3)", &error), &error, BG_ERROR_ARGUMENT, "one too many|32");
    bg_histograms_destroy(h);
    bg_process_destroy(process);
}

/* ---- points as they come ------------------------------------------------------------------------------------ */

typedef struct collector {
    double weights;
    uint64_t count, adapting, last;
    int n_out, bad;
    uint64_t stop_after;
    double momenta[64 * 6 * 4], weight[64]; /* the first few behind sigma */
    uint64_t event[64];
    int kept;
} collector;

static int collect(const bg_points *p, void *user)
{
    collector *c = user;
    const size_t stride = 4 * (size_t)p->particles;
    c->bad += p->particles != c->n_out + 2 || p->size != sizeof *p;
    for (size_t k = 0; k < p->count; k++) {
        c->bad += bg_check_point(c->n_out, p->momenta + k * stride, 1e-9, NULL) != BG_OK;
        if (p->warming_up) continue;
        c->weights += p->weight[k];
        if (c->kept == 64) continue;
        memcpy(c->momenta + (size_t)c->kept * stride, p->momenta + k * stride, stride * sizeof(double));
        c->weight[c->kept] = p->weight[k];
        c->event[c->kept++] = p->event[k];
    }
    *(p->warming_up ? &c->adapting : &c->count) += p->count;
    return c->stop_after && c->count >= c->stop_after;
}

static void points_are_handed_out(void **state)
{
    (void)state;
    bg_process *process = process_of(3);
    bg_options o;
    bg_integration w;
    bg_result silent, r;
    bg_error error;
    defaults(&o, &w);
    bg_result_init(&silent);
    bg_result_init(&r);
    assert_int_equal(bg_integrate(process, &o, &w, &silent, &error), BG_OK);
    collector c = {.n_out = 3};
    w.receive = collect;
    w.user = &c;
    strcpy(o.backend, "auto"); /* one that can hand out points is found */
    assert_int_equal(bg_integrate(process, &o, &w, &r, &error), BG_OK);
    assert_int_equal(c.bad, 0);
    assert_true(r.sigma_pb == silent.sigma_pb); /* watching changes nothing */
    assert_int_equal(c.count, r.accepted);
    assert_true(c.adapting > 0 && c.adapting < r.warmup_points);
    assert_relative(c.weights / (double)r.points, r.sigma_pb, 1e-12, "sum of the weights");
    assert_true(c.kept == 64 && c.weight[0] > 0.);
    c = (collector){.n_out = 3, .stop_after = 100};
    w.points = 100000000;
    assert_int_equal(bg_integrate(process, &o, &w, &r, &error), BG_OK);
    assert_int_equal(r.interrupted, 1);
    assert_true(r.points < w.points);
    bg_process_destroy(process);
}

/* ---- points by number ----------------------------------------------------------------------------------------- */

static void points_by_number(void **state)
{
    (void)state;
    enum { COUNT = 3000, STRIDE = 4 * 5 };
    bg_process *process = process_of(3);
    bg_generator *g, *trained;
    bg_options o;
    bg_integration w;
    bg_result r;
    bg_error error;
    uint64_t *event = malloc(COUNT * sizeof *event);
    double *momenta = malloc(COUNT * STRIDE * sizeof *momenta), *weight = malloc(COUNT * sizeof *weight);
    double single[STRIDE], one;
    assert_true(event && momenta && weight);
    defaults(&o, &w);
    bg_result_init(&r);
    assert_int_equal(bg_generator_create(&g, process, &o, &w, &error), BG_OK);
    for (uint64_t k = 0; k < COUNT; k++) event[k] = k < 2000 ? 1000 + k : 7 * k; /* a run, and single ones */
    assert_int_equal(bg_generator_points(g, COUNT, event, momenta, weight, &error), BG_OK);
    int inside = 0;
    for (size_t k = 0; k < COUNT; k++) {
        const double *p = momenta + k * STRIDE;
        if (!(weight[k] > 0.)) {
            for (int i = 0; i < STRIDE; i++) assert_true(p[i] == 0.);
            continue;
        }
        inside++;
        assert_int_equal(bg_check_point(3, p, 1e-9, NULL), BG_OK);
        for (int j = 2; j < 5; j++) assert_true(hypot(p[4 * j + 1], p[4 * j + 2]) >= 20.);
    }
    assert_true(inside > COUNT / 10 && inside < COUNT);
    /* a point depends on its number alone */
    for (size_t k = 0; k < COUNT; k += 97) {
        assert_int_equal(bg_generator_points(g, 1, &event[k], single, &one, &error), BG_OK);
        assert_true(one == weight[k]);
        assert_memory_equal(single, momenta + k * STRIDE, sizeof single);
    }
    /* RAMBO has no grid: what an integration hands out are the points of its numbers, with |M|^2 in the weight */
    collector c = {.n_out = 3};
    w.phase_space = BG_PHASE_SPACE_RAMBO;
    w.receive = collect;
    w.user = &c;
    o.threads = 1;
    assert_int_equal(bg_generator_create(&trained, process, &o, &w, &error), BG_OK);
    assert_int_equal(bg_integrate(process, &o, &w, &r, &error), BG_OK);
    assert_int_equal(bg_generator_points(trained, (size_t)c.kept, c.event, momenta, weight, &error), BG_OK);
    assert_memory_equal(momenta, c.momenta, (size_t)c.kept * STRIDE * sizeof *momenta);
    for (int k = 0; k < c.kept; k++)
        assert_relative(evaluate_one(3, &o, c.momenta + k * STRIDE) * weight[k], c.weight[k], 1e-12,
                        "weight of point %d", k);
    bg_generator_destroy(trained);
    /* a grid that an integration has adapted lets more points pass, and makes their weights alike */
    w.phase_space = BG_PHASE_SPACE_ADAPTIVE;
    w.receive = NULL;
    assert_int_equal(bg_generator_create(&trained, process, &o, &w, &error), BG_OK);
    w.generator = trained;
    assert_int_equal(bg_integrate(process, &o, &w, &r, &error), BG_OK);
    assert_int_equal(bg_generator_points(trained, COUNT, event, momenta, weight, &error), BG_OK);
    int passed = 0;
    for (size_t k = 0; k < COUNT; k++) passed += weight[k] > 0.;
    assert_true(passed > inside);
    /* ... and is only for what it was made for */
    w.cuts.pt_min = 30.;
    assert_refused(bg_integrate(process, &o, &w, &r, &error), &error, BG_ERROR_ARGUMENT, "generator is for another");
    assert_refused(bg_generator_points(g, 1, NULL, momenta, weight, &error), &error, BG_ERROR_ARGUMENT, "NULL");
    assert_refused(bg_generator_points(NULL, 1, event, momenta, weight, &error), &error, BG_ERROR_ARGUMENT, "NULL");
    assert_int_equal(bg_generator_points(g, 0, NULL, NULL, NULL, &error), BG_OK);
    w.sqrts = 0.;
    bg_generator *none = g;
    assert_refused(bg_generator_create(&none, process, &o, &w, &error), &error, BG_ERROR_ARGUMENT, "sqrts is 0");
    assert_null(none);
    bg_generator_destroy(trained);
    bg_generator_destroy(g);
    bg_generator_destroy(NULL);
    free(event);
    free(momenta);
    free(weight);
    bg_process_destroy(process);
}

/* ---- before anything is created ----------------------------------------------------------------------------------- */

static void memory_beforehand(void **state)
{
    (void)state;
    for (int n_out = 2; n_out <= 6; n_out++) {
        bg_process *process = process_of(n_out);
        bg_evaluator *e;
        bg_options o = default_options();
        bg_memory needed, taken;
        strcpy(o.backend, "cpu");
        o.threads = 2;
        bg_memory_init(&needed);
        bg_memory_init(&taken);
        assert_int_equal(bg_memory_needed(process, &o, &needed, NULL), BG_OK);
        assert_int_equal(bg_evaluator_create(&e, process, &o, NULL), BG_OK);
        assert_int_equal(bg_evaluator_memory(e, &taken, NULL), BG_OK);
        assert_memory_equal(&needed, &taken, sizeof needed);
        assert_true(needed.batch > 0 && needed.shared > 0);
        bg_evaluator_destroy(e);
        bg_process_destroy(process);
    }
}

static void the_choice_is_known(void **state)
{
    (void)state;
    for (int n_out = 2; n_out <= 12; n_out++)
        for (int purpose = BG_FOR_MATRIX_ELEMENTS; purpose <= BG_FOR_ESTIMATED_CROSS_SECTION; purpose++) {
            bg_process *process = process_of(n_out);
            bg_options o = default_options(), resolved = default_options();
            bg_choice c;
            bg_error error;
            bg_choice_init(&c);
            strcpy(o.backend, "cpu");
            bg_options_set_automatic(&o);
            assert_int_equal(bg_choose(process, &o, (bg_purpose)purpose, &c, &resolved, &error), BG_OK);
            assert_false(bg_options_are_automatic(&resolved));
            assert_string_equal(c.backend, "cpu");
            assert_true(strlen(c.strategy) > 0 && strlen(c.machine) > 0 && c.precision > 0.);
            if (purpose == BG_FOR_MATRIX_ELEMENTS && n_out <= 9) assert_string_equal(c.strategy, "full");
            if (n_out > 9) assert_int_equal(resolved.color, BG_COLOR_SAMPLED);
            assert_true(purpose != BG_FOR_MATRIX_ELEMENTS && n_out <= 8 ? c.seconds > 0. : c.seconds == 0.);
            bg_process_destroy(process);
        }
    bg_process *process = process_of(3);
    bg_options o = default_options();
    bg_integration w;
    bg_choice c;
    bg_error error;
    /* estimates come first where the colors are left open and all points need not be exact */
    bg_integration_init(&w);
    assert_int_equal(bg_integration_purpose(&o, &w), BG_FOR_CROSS_SECTION);
    bg_options_set_automatic(&o);
    assert_int_equal(bg_integration_purpose(&o, &w), BG_FOR_ESTIMATED_CROSS_SECTION);
    w.hybrid = 1;
    assert_int_equal(bg_integration_purpose(&o, &w), BG_FOR_CROSS_SECTION);
    w.hybrid = 0;
    w.estimate = BG_ESTIMATE_OFF;
    assert_int_equal(bg_integration_purpose(&o, &w), BG_FOR_CROSS_SECTION);
    o = default_options();
    bg_choice_init(&c);
    assert_int_equal(bg_choose(process, &o, BG_FOR_CROSS_SECTION, &c, NULL, &error), BG_OK);
    assert_string_equal(c.strategy, ""); /* nothing was left open */
    assert_refused(bg_choose(process, &o, (bg_purpose)3, &c, NULL, &error), &error, BG_ERROR_ARGUMENT, "purpose is 3");
    assert_refused(bg_choose(NULL, &o, BG_FOR_CROSS_SECTION, &c, NULL, &error), &error, BG_ERROR_ARGUMENT, "NULL");
    bg_process_destroy(process);
}

/* ---- floats, instructions and backends ------------------------------------------------------------------------------ */

static void floats_and_instructions(void **state)
{
    (void)state;
    bg_process *process = process_of(4);
    bg_evaluator *e;
    bg_error error;
    double p[24], exact = 0.;
    random_source source = fixed_source(5);
    random_cut_point(&source, 4, 14000., p);
    bg_options o = default_options();
    const double plain = evaluate_one(4, &o, p);
    o.floats = BG_FLOATS_QUAD;
    o.instruction_set = BG_INSTRUCTIONS_BASELINE;
    assert_refused(bg_evaluator_create(&e, process, &o, &error), &error, BG_ERROR_UNSUPPORTED,
                   "128-bit|instruction_set");
    o.instruction_set = BG_INSTRUCTIONS_AUTO;
    if (bg_built_with("quad") == 1) {
        assert_int_equal(bg_evaluator_create(&e, process, &o, &error), BG_OK); /* with backend auto: the one that can */
        assert_string_equal(bg_evaluator_backend(e), "cpu");
        assert_non_null(strstr(bg_evaluator_hardware(e), "128-bit"));
        assert_int_equal(bg_evaluator_evaluate(e, 0, 1, p, &exact, NULL, &error), BG_OK);
        assert_relative(plain, exact, 1e-12, "double against quad");
        bg_evaluator_destroy(e);
    } else {
        assert_refused(bg_evaluator_create(&e, process, &o, &error), &error, BG_ERROR_UNSUPPORTED, "128-bit floats");
    }
    o = default_options();
    strcpy(o.backend, "cpu");
    o.instruction_set = BG_INSTRUCTIONS_BASELINE;
    setenv("BLOCKGEN_SIMD", "quad", 1); /* what is named is not overridden */
    if (bg_built_with("quad") == 1) {
        assert_int_equal(bg_evaluator_create(&e, process, &o, &error), BG_OK);
        assert_non_null(strstr(bg_evaluator_hardware(e), "baseline"));
        bg_evaluator_destroy(e);
    }
    unsetenv("BLOCKGEN_SIMD");
    assert_relative(evaluate_one(4, &o, p), plain, 1e-12, "baseline against the best");
    if (bg_built_with("avx2") == 0) {
        o.instruction_set = BG_INSTRUCTIONS_AVX2;
        assert_refused(bg_evaluator_create(&e, process, &o, &error), &error, BG_ERROR_ARGUMENT,
                       "instruction_set|avx2|baseline");
    }
    assert_int_equal(bg_built_with("abacus"), -1);
    assert_int_equal(bg_built_with(NULL), -1);
    bg_process_destroy(process);
}

static void backends_say_what_they_can(void **state)
{
    (void)state;
    bg_backend_info info;
    bg_error error;
    bg_backend_info_init(&info);
    assert_int_equal(bg_backend_describe("cpu", &info, &error), BG_OK);
    assert_string_equal(info.name, "cpu");
    assert_int_equal(info.usable, 1);
    assert_true(info.threads >= 1 && info.devices == 1 && info.description[0]);
    assert_true(info.capabilities & BG_CAN_CHOOSE_THREADS && info.capabilities & BG_CAN_DELIVER_POINTS);
    assert_false(info.capabilities & BG_CAN_CHOOSE_DEVICE);
    assert_int_equal(bg_backend_describe("abacus", &info, &error), BG_ERROR_ARGUMENT);
    assert_refused(bg_backend_describe(NULL, &info, &error), &error, BG_ERROR_ARGUMENT, "NULL");
    /* calls that cannot fail take NULL, too */
    assert_int_equal(bg_process_n_out(NULL) + bg_evaluator_threads(NULL), 0);
    assert_string_equal(bg_evaluator_backend(NULL), "");
    assert_string_equal(bg_evaluator_hardware(NULL), "");
    assert_string_equal(bg_evaluator_note(NULL), "");
    assert_null(bg_evaluator_options(NULL));
    assert_true(!strncmp(bg_version_string(), bg_version(), strlen(bg_version())));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(histograms_add_up),          cmocka_unit_test(points_are_handed_out),
        cmocka_unit_test(histograms_of_ones_own),     cmocka_unit_test(histograms_that_make_no_sense),
        cmocka_unit_test(points_by_number),           cmocka_unit_test(memory_beforehand),
        cmocka_unit_test(the_choice_is_known),        cmocka_unit_test(floats_and_instructions),
        cmocka_unit_test(backends_say_what_they_can),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
