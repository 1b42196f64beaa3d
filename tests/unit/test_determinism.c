/* Bit for bit: results do not depend on threads, on how points are cut into batches, or on the events beside them.
 * To rounding: every instruction set gives the same, draws included.
 */
#include "support.h"

/* Every kernel of the library, with a multiplicity that keeps it quick. */
typedef struct question {
    const char *name;
    int n_out;
    bg_options options;
} question;

enum { QUESTIONS = 20 };

static question question_of(int k)
{
    question q = {.options = default_options()};
    bg_options *o = &q.options;
    o->samples = 3;
    o->seed = 42;
    q.n_out = 3;
    switch (k) {
    case 0: q.name = "co-sum"; break;
    case 1:
        q.name = "co-sum, tensor";
        o->vertex = BG_VERTEX_TENSOR;
        o->kernel = BG_KERNEL_PAPER;
        break;
    case 2:
        q.name = "traces";
        o->decomposition = BG_DECOMPOSITION_TRACE;
        break;
    case 3:
        q.name = "co-sum, fixed helicities";
        o->helicity = BG_HELICITY_FIXED;
        strcpy(o->helicities, "+-+-+-");
        q.n_out = 4;
        break;
    case 4:
    case 5:
    case 6:
    case 7: {
        static const char *const names[] = {"co-sum, angle", "co-sum, phase", "co-sum, linear", "co-sum, circular"};
        q.name = names[k - 4];
        o->helicity = BG_HELICITY_SAMPLED;
        o->helicity_sampling = (bg_helicity_sampling)(k - 4);
        q.n_out = 4;
        break;
    }
    case 8:
        q.name = "lc";
        o->color = BG_COLOR_LEADING;
        break;
    case 9:
        q.name = "lc, one ordering";
        o->color = BG_COLOR_LEADING;
        o->orderings = BG_ORDERINGS_ONE;
        break;
    case 10:
        q.name = "tess";
        o->color = BG_COLOR_LEADING;
        o->layout = BG_LAYOUT_COOPERATIVE;
        o->helicity = BG_HELICITY_SAMPLED;
        break;
    case 11:
        q.name = "tess, one ordering, circular";
        o->color = BG_COLOR_LEADING;
        o->layout = BG_LAYOUT_COOPERATIVE;
        o->orderings = BG_ORDERINGS_ONE;
        o->helicity = BG_HELICITY_SAMPLED;
        o->helicity_sampling = BG_SAMPLE_CIRCULAR;
        q.n_out = 5;
        break;
    case 12:
        q.name = "co-mc";
        o->color = BG_COLOR_SAMPLED;
        break;
    case 13:
        q.name = "co-mc, circular";
        o->color = BG_COLOR_SAMPLED;
        o->helicity = BG_HELICITY_SAMPLED;
        o->helicity_sampling = BG_SAMPLE_CIRCULAR;
        q.n_out = 4;
        break;
    case 14:
        q.name = "cd-mc";
        o->color = BG_COLOR_SAMPLED;
        o->recursion = BG_RECURSION_DRESSED;
        o->color_sampling = BG_COLORS_CONTINUOUS;
        o->helicity = BG_HELICITY_SAMPLED;
        q.n_out = 4;
        break;
    case 15:
        q.name = "cd-mc, discrete, summed helicities";
        o->color = BG_COLOR_SAMPLED;
        o->recursion = BG_RECURSION_DRESSED;
        o->color_sampling = BG_COLORS_DISCRETE;
        q.n_out = 2;
        break;
    case 16:
        q.name = "coherent"; /* groups end within the points, wherever they start */
        o->color = BG_COLOR_SAMPLED;
        o->recursion = BG_RECURSION_DRESSED;
        o->helicity = BG_HELICITY_SAMPLED;
        q.n_out = 5;
        break;
    case 17:
        q.name = "coherent, four a group, circular";
        o->color = BG_COLOR_SAMPLED;
        o->recursion = BG_RECURSION_DRESSED;
        o->color_group = 4;
        o->helicity = BG_HELICITY_SAMPLED;
        o->helicity_sampling = BG_SAMPLE_CIRCULAR;
        break;
    case 18:
        q.name = "coherent, one a group, summed helicities";
        o->color = BG_COLOR_SAMPLED;
        o->recursion = BG_RECURSION_DRESSED;
        o->color_sampling = BG_COLORS_COHERENT;
        o->color_group = 1;
        q.n_out = 2;
        break;
    default:
        q.name = "cd-mc, fixed helicities";
        o->color = BG_COLOR_SAMPLED;
        o->recursion = BG_RECURSION_DRESSED;
        o->color_sampling = BG_COLORS_CONTINUOUS;
        o->helicity = BG_HELICITY_FIXED;
        strcpy(o->helicities, "+-+-+");
    }
    return q;
}

enum { COUNT = 75 }; /* two chunks of the widest instance and a remainder */

typedef struct answers {
    double me2[COUNT], uncertainty[COUNT];
} answers;

static void assert_identical(const question *q, const answers *a, const answers *b, const char *what)
{
    for (int k = 0; k < COUNT; k++)
        if (memcmp(&a->me2[k], &b->me2[k], sizeof(double)) ||
            memcmp(&a->uncertainty[k], &b->uncertainty[k], sizeof(double)))
            fail_msg("%s, %s, point %d: %.17g and %.17g", q->name, what, k, a->me2[k], b->me2[k]);
}

static void answer(const question *q, int threads, uint64_t first, size_t from, size_t count, const double *p,
                   answers *a)
{
    bg_options o = q->options;
    o.threads = threads;
    evaluate(q->n_out, &o, first + from, count, p + from * (size_t)(q->n_out + 2) * 4, a->me2 + from,
             a->uncertainty + from);
}

static void check_question(int k, random_source *r)
{
    const question q = question_of(k);
    const size_t stride = (size_t)(q.n_out + 2) * 4;
    const uint64_t first = random_bits(r) >> 1;
    double *p = random_cut_points(r, q.n_out, 14000., COUNT);
    answers one, other;
    answer(&q, 1, first, 0, COUNT, p, &one);
    for (int threads = 2; threads <= 3; threads++) {
        answer(&q, threads, first, 0, COUNT, p, &other);
        assert_identical(&q, &one, &other, "threads");
    }
    for (int trial = 0; trial < 2; trial++) { /* random cuts, one of them down to single points */
        for (size_t from = 0, count; from < COUNT; from += count) {
            count = 1 + (size_t)random_below(r, trial ? 12 : 40);
            count = count < COUNT - from ? count : COUNT - from;
            answer(&q, 1 + random_below(r, 3), first, from, count, p, &other);
        }
        assert_identical(&q, &one, &other, "batches");
    }
    /* one evaluator, points in another order: the numbers of an event are its own */
    bg_process *process;
    bg_evaluator *evaluator;
    bg_error error;
    assert_int_equal(bg_process_create_gluons(&process, q.n_out, &error), BG_OK);
    assert_int_equal(bg_evaluator_create(&evaluator, process, &q.options, &error), BG_OK);
    bg_process_destroy(process);
    for (size_t i = COUNT; i-- > 0;)
        assert_int_equal(bg_evaluator_evaluate(evaluator, first + i, 1, p + i * stride, other.me2 + i,
                                               other.uncertainty + i, &error),
                         BG_OK);
    assert_identical(&q, &one, &other, "backwards");
    bg_evaluator_destroy(evaluator);
    free(p);
}

static const char *const simd[] = {"baseline", "avx2", "avx512"};

static void threads_and_batches(void **state)
{
    (void)state;
    random_source r = fresh_source(1);
    for (int k = 0; k < QUESTIONS; k++) check_question(k, &r);
    for (int s = 0; s < 3; s++) {
        if (!choose_simd(simd[s])) continue;
        for (int k = 0; k < QUESTIONS; k++) check_question(k, &r);
        default_simd();
    }
}

/* Without the uncertainty nothing changes. */
static void uncertainty_is_optional(void **state)
{
    (void)state;
    random_source r = fresh_source(2);
    for (int k = 0; k < QUESTIONS; k++) {
        const question q = question_of(k);
        double *p = random_cut_points(&r, q.n_out, 14000., 5), with[5], without[5], uncertainty[5];
        evaluate(q.n_out, &q.options, 3, 5, p, with, uncertainty);
        evaluate(q.n_out, &q.options, 3, 5, p, without, NULL);
        assert_memory_equal(with, without, sizeof with);
        free(p);
    }
}

/* Against 128-bit floats: the draws are the same, only rounding differs. */
static void instruction_sets(void **state)
{
    (void)state;
    random_source r = fresh_source(3);
    for (int k = 0; k < QUESTIONS; k++) {
        question q = question_of(k);
        enum { POINTS = 9 };
        double *p = random_cut_points(&r, q.n_out, 14000., POINTS);
        double reference[POINTS], me2[POINTS], scale[POINTS], one[POINTS];
        /* single draws may vanish: the full sum says how large things are */
        bg_options full = default_options();
        evaluate(q.n_out, &full, 0, POINTS, p, scale, NULL);
        q.options.threads = 2;
        const char *yardstick = choose_simd("quad") ? "quad" : "baseline";
        if (strcmp(yardstick, "quad")) assert_true(choose_simd(yardstick));
        evaluate(q.n_out, &q.options, 11, POINTS, p, reference, NULL);
        for (int s = 0; s < 3; s++) {
            if (!choose_simd(simd[s])) continue;
            evaluate(q.n_out, &q.options, 11, POINTS, p, me2, NULL);
            for (int i = 0; i < POINTS; i++)
                assert_bounded(sqrt(me2[i]) - sqrt(reference[i]), 1e-10 * sqrt(fmax(scale[i], reference[i])),
                               "%s, %s against %s: %.17g and %.17g", q.name, simd[s], yardstick, me2[i], reference[i]);
        }
        default_simd();
        /* what is chosen by itself is one of them */
        evaluate(q.n_out, &q.options, 11, POINTS, p, one, NULL);
        int same = 0;
        for (int s = 0; s < 3; s++) {
            if (!choose_simd(simd[s])) continue;
            evaluate(q.n_out, &q.options, 11, POINTS, p, me2, NULL);
            same |= !memcmp(one, me2, sizeof one);
        }
        default_simd();
        assert_true(same);
        free(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_and_batches),
        cmocka_unit_test(uncertainty_is_optional),
        cmocka_unit_test(instruction_sets),
    };
    return cmocka_run_group_tests_name("determinism", tests, NULL, NULL);
}
