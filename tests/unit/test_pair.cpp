/* The kernel of two quark lines (backend/cuda/line.cu with BG_PAIR), compiled for the host as one thread: its amplitudes are those of the list of
 * vertices, and with numbers that count (BG_COUNTED) it takes as many operations as backend/operations.h says. */
#include "cuda_runtime_api.h"

extern "C" {
#include "amplitude/program.h"
#include "backend/operations.h"
#include "color/strings.h"
#include "process/process.h"
}
#include "base/scalar.h"

struct double2 {
    real x, y;
};
static inline double2 make_double2(real x, real y)
{
#ifdef BG_COUNTED
    x.unit = y.unit = false; /* what was stored is no literal any more */
#endif
    return {x, y};
}
static struct {
    unsigned x, y, z;
} threadIdx, blockIdx, gridDim = {1, 1, 1};
double2 chip[10000];

#define BG_LETTERS 5
#define BG_PAIR
#define BG_ONE_THREAD
#define BG_STRAIGHT
#ifdef BG_COUNTED
#define BG_BACKEND_CUDA_EVENTS_CUH /* loads momenta, which are plain numbers */
#endif
#include "backend/cuda/line.cu"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

extern "C" {
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
}

/* The tables, with the places of the amplitudes. */
static std::vector<uint32_t> table_of_records()
{
    std::vector<uint32_t> table(bg_cuda_line_table(N, 1));
    bg_cuda_line_fill(N, 1, table.data());
    return table;
}

enum { STRUCTURES = 2 * ORDERINGS };

static std::vector<double2> run_kernel(const std::vector<double> &numbers)
{
    static const std::vector<uint32_t> table = table_of_records();
    std::vector<double2> amplitude((size_t)STRUCTURES << N);
    static_assert(sizeof chip >= CHIP_PAIRS * sizeof(double2), "shared memory of a block");
    line_kernel(fast_words{}, table.data(), numbers.data(), 1, 1, nullptr, amplitude.data(), 1u << N);
    return amplitude;
}

#ifdef BG_COUNTED

/* Any numbers will do. */
static void test_operations(void **)
{
    std::vector<double> numbers(NUMBERS);
    double x = 0.3;
    for (auto &y : numbers) y = x = std::fmod(x * 1.7 + 0.31, 1.) + 0.05;
    counted::operations = 0.;
    run_kernel(numbers);
    if (counted::operations != bg_pair_operations(N))
        fail_msg("%.0f operations, the formula says %.0f", counted::operations, bg_pair_operations(N));
}

#else

/* What prepare_kernel() makes of momenta by place, all of them taken as outgoing. */
static std::vector<double> numbers_of(const bg_subprocess *s, const quark_program *program, const vec4 *p)
{
    std::vector<double> numbers(NUMBERS, NAN); /* all are written */
    double w[OUT * (4 + OUT)];
    const line_places places = bg_cuda_line_places(s);
    const light_frame frame = light_frame_of(p[s->opposite], p[s->gauge]);
    quark_program own = *program;
    own.at_outgoing = 0;
    quark_put_outgoing(&own, s, &frame, p, 1, w);
    const line_legs l = {s, &own, &places, w};
    for (uint32_t share = 0; share < SHARES; share++) put_share(l, share, 1, numbers.data());
    for (double x : numbers) assert_false(std::isnan(x));
    return numbers;
}

/* The amplitudes of the list of vertices, [configuration][place], configurations as in amplitude/program.h. */
static std::vector<quark_number> run_list(const bg_subprocess *s, const quark_program *program, const vec4 *p)
{
    std::vector<double> w(program->numbers);
    std::vector<quark_number> amplitude((size_t)program->structures << N);
    const light_frame frame = light_frame_of(p[s->opposite], p[s->gauge]);
    quark_put_outgoing(program, s, &frame, p, 1, w.data());
    quark_momenta(program, s, 1, w.data());
    quark_put_signs(program, 1, w.data());
    quark_put_legs(program, 1, w.data());
    for (uint32_t k = 0; k < program->steps; k++) {
        const program_step *step = &program->step[k];
        if (step->closes)
            amplitude[(size_t)step->configuration * program->structures + step->at] =
                quark_part_amplitude(program, step, 1, w.data());
        else
            quark_any_current(program, step, 1, w.data());
    }
    return amplitude;
}

/* The sum over colors of the squares of a column of amplitudes. */
static double color_sum(const std::vector<double> &matrix, const std::vector<double> &a)
{
    double sum = 0.;
    for (size_t i = 0; i < a.size(); i++)
        for (size_t j = 0; j < a.size(); j++) sum += a[i] * matrix[i * a.size() + j] * a[j];
    return sum;
}

/* The color matrix in the order of the amplitudes. */
static std::vector<double> color_matrix()
{
    const color_strings strings = bg_color_strings(2, GLUONS);
    const size_t F = (size_t)strings.structures;
    double *by_structure = bg_color_string_matrix(&strings);
    std::vector<double> matrix(F * F);
    std::vector<size_t> at(F);
    assert_true(by_structure && F == STRUCTURES);
    for (size_t k = 0; k < F; k++) {
        const color_structure structure = bg_color_structure_unrank(&strings, k);
        at[k] = bg_program_position(&strings, &structure);
    }
    for (size_t i = 0; i < F; i++)
        for (size_t j = 0; j < F; j++) matrix[at[i] * F + at[j]] = by_structure[i * F + j];
    free(by_structure);
    return matrix;
}

/* Outgoing momenta of random directions and energies, brought to rest together and to 1000 GeV. */
static void random_point(int n_out, double *momenta)
{
    static uint64_t state = 1;
    const auto uniform = [] {
        state = state * 6364136223846793005u + 1442695040888963407u;
        return ((double)(state >> 11) + 0.5) * 0x1p-53;
    };
    double *q = momenta + 8, total[4] = {0.};
    for (int k = 0; k < n_out; k++, q += 4) {
        const double c = 2. * uniform() - 1., phi = 6.283185307179586 * uniform(), s = std::sqrt(1. - c * c),
                     energy = -std::log(uniform() * uniform());
        const double own[4] = {energy, energy * s * std::cos(phi), energy * s * std::sin(phi), energy * c};
        for (int m = 0; m < 4; m++) total[m] += q[m] = own[m];
    }
    const double mass =
                     std::sqrt(total[0] * total[0] - total[1] * total[1] - total[2] * total[2] - total[3] * total[3]),
                 g = total[0] / mass, scale = 1000. / mass;
    for (q = momenta + 8; n_out-- > 0; q += 4) {
        double along = 0.;
        for (int m = 1; m < 4; m++) along -= total[m] / mass * q[m];
        for (int m = 1; m < 4; m++) q[m] = scale * (q[m] - total[m] / mass * (q[0] + along / (1. + g)));
        q[0] = scale * (g * q[0] + along);
    }
    const double beams[8] = {500., 0., 0., 500., 500., 0., 0., -500.};
    for (int k = 0; k < 8; k++) momenta[k] = beams[k];
}

/* Both by columns: a configuration and the real or the imaginary part. Where the quark that closes is taken as an antiquark, amplitudes
 * are conjugate and stand elsewhere, so that it is the squares that agree. */
static void check_process(const char *text)
{
    static const std::vector<double> matrix = color_matrix();
    bg_process *process = nullptr;
    double momenta[4 * BG_MAX_LEGS];
    vec4 p[BG_MAX_LEGS];
    quark_program program;
    program_layout layout = {};
    assert_int_equal(bg_process_parse(&process, text, 5, BG_ALL_LINES, nullptr), BG_OK);
    const bg_subprocess *s = &process->subprocess[0];
    layout.inner = GLUONS;
    layout.parts = 1;
    assert_int_equal(bg_program_create(&program, s, &layout), 0);
    random_point(s->n_out, momenta);
    for (int leg = 0; leg < s->n; leg++) {
        const double sign = leg < s->n_in ? -1. : 1., *q = momenta + 4 * leg;
        p[s->place[leg]] = {sign * q[0], sign * q[1], sign * q[2], sign * q[3]};
    }
    const std::vector<double2> kernel = run_kernel(numbers_of(s, &program, p));
    const std::vector<quark_number> list = run_list(s, &program, p);
    double total = 0., worst = 0.;
    for (uint32_t c = 0; c < 1u << N; c++) {
        const uint32_t configuration = c >> 1 | (c & 1u) << GLUONS; /* letter 0 is the second line */
        std::vector<double> re(STRUCTURES), im(STRUCTURES), x(STRUCTURES), y(STRUCTURES);
        for (size_t k = 0; k < STRUCTURES; k++) {
            const quark_number a = list[(size_t)configuration * STRUCTURES + k];
            re[k] = a.re;
            im[k] = a.im;
            x[k] = kernel[(k << N) + c].x;
            y[k] = kernel[(k << N) + c].y;
        }
        const double expected = color_sum(matrix, re) + color_sum(matrix, im);
        worst = std::fmax(worst, std::fabs(color_sum(matrix, x) + color_sum(matrix, y) - expected));
        total += expected;
    }
    assert_true(total > 0.);
    if (!(worst < 1e-12 * total)) fail_msg("%s: %g of %g", text, worst, total);
    bg_program_destroy(&program);
    bg_process_destroy(process);
}

/* Both beams on the line that closes, one of them, or neither; quarks and antiquarks that close, and legs that are no beam. */
static void test_amplitudes(void **)
{
    static const char *const texts[] = {"u u~ > d d~ 4g",  "u~ u > d d~ 4g",    "u d > u d 4g",      "u d~ > u d~ 4g",
                                        "g u > u d d~ 3g", "u~ g > u~ d d~ 3g", "g g > u u~ d d~ 2g"};
    for (const char *text : texts) check_process(text);
}

#endif

int main()
{
#ifdef BG_COUNTED
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_operations)};
#else
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_amplitudes)};
#endif
    return cmocka_run_group_tests_name("pair", tests, NULL, NULL);
}
