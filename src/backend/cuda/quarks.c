/* The host's side of processes with quark lines: how many events a block takes, tables on the device, the order of the kernels. */
#include "backend/cuda/quarks.h"
#include "backend/cuda/fast.h"
#include "backend/operations.h"
#include "base/status.h"
#include "base/system.h"
#include "helicity/mode.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WANTED_EVENTS = 4 };  /* of a block: with fewer, threads read scattered numbers */
enum { DENSE_MOST = 10080 }; /* structures of a dense matrix: 0.4 GB */

/* ---- sizes ------------------------------------------------------------------------------------------------------------ */

static size_t chip_bytes(void)
{
    int device = 0, most = 0;
    (void)cudaGetDevice(&device);
    (void)cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    return most > 0 ? (size_t)most : 0;
}

static unsigned processors(void)
{
    int device = 0, count = 0;
    (void)cudaGetDevice(&device);
    (void)cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device);
    return count > 0 ? (unsigned)count : 1u;
}

/* The most inner gluons whose currents leave room on chip for WANTED_EVENTS events. */
static int choose_inner(const bg_plan *plan, size_t chip)
{
    const size_t numbers = chip / WANTED_EVENTS / sizeof(double);
    for (int inner = plan->process.gluons; inner > 0; inner--) {
        const program_layout layout = {.inner = inner};
        quark_program p;
        if (bg_program_create(&p, &plan->process, &layout)) return -1;
        const int fits = p.numbers <= numbers;
        bg_program_destroy(&p);
        if (fits) return inner;
    }
    return 0;
}

bg_status bg_cuda_quarks_plan(const bg_plan *plan, quark_space *s, bg_error *error)
{
    const int circular = plan->mode == HELICITY_CIRCULAR, summed = plan->mode == HELICITY_BASIS;
    const size_t chip = chip_bytes();
    const int inner = summed ? choose_inner(plan, chip) : 0;
    const program_layout layout = {.inner = inner, .complex = circular, .given = circular};
    memset(s, 0, sizeof *s);
    s->process = plan->process;
    if (inner < 0 || bg_program_create(&s->host, &plan->process, &layout))
        return bg_fail(error, BG_ERROR_MEMORY, "no memory for the vertices of %d gluons and %d quark lines",
                       plan->process.gluons, plan->process.lines);
    s->program = s->host;
    s->configurations = s->host.configurations << (summed ? s->host.gluons - inner : 0);
    s->fourier = plan->process.lines == 1 && plan->process.gluons >= FAST_FOURIER;
    const size_t one = (size_t)s->host.numbers * sizeof(double);
    s->on_chip = one <= chip;
    s->events = QUARK_MOST_EVENTS;
    while (s->on_chip && s->events > 1 && (size_t)s->events * one > chip) s->events /= 2;
    /* as many threads as registers allow: half of them in each of two blocks where there is room for two */
    s->threads = QUARK_MOST_THREADS / (2 * (size_t)s->events * one <= chip ? 2 : 1);
    bg_status status = BG_OK;
    int blocks = 0;
    size_t stack;
    if (!s->fourier && s->host.structures > DENSE_MOST)
        status = bg_fail(error, BG_ERROR_UNSUPPORTED,
                         "%d quark lines and %d gluons have %u color structures; the device takes at most %d",
                         plan->process.lines, plan->process.gluons, s->host.structures, DENSE_MOST);
    if (status == BG_OK)
        status =
            bg_cuda_quark_blocks(s->events, s->threads, s->on_chip, one * (size_t)s->events, &blocks, &stack, error);
    if (status != BG_OK) {
        bg_cuda_quarks_destroy(s);
        return status;
    }
    s->blocks = (unsigned)(blocks > 0 ? blocks : 1) * processors();
    return BG_OK;
}

void bg_cuda_quarks_destroy(quark_space *s) { bg_program_destroy(&s->host); }

/* Enough to fill the device several times over, in at most a gigabyte of amplitudes. */
size_t bg_cuda_quarks_batch(const quark_space *s)
{
    const size_t event = 2 * (size_t)s->configurations * s->host.structures * sizeof(double);
    const size_t most = ((size_t)1 << 30) / event, fill = 16 * (size_t)s->blocks * (size_t)s->events;
    const size_t batch = most < fill ? most : fill;
    return batch > CUDA_BLOCK ? batch : CUDA_BLOCK;
}

void bg_cuda_quarks_cut(cutter *c, quark_space *s, size_t pitch, cuda_task *t)
{
    const size_t columns = 2 * (size_t)s->configurations * pitch, F = s->host.structures;
    quark_program *p = &s->program;
    p->set = cut(c, p->sets * sizeof *p->set);
    p->split = cut(c, p->splits * sizeof *p->split);
    p->leg = cut(c, p->legs * sizeof *p->leg);
    p->step = cut(c, p->steps * sizeof *p->step);
    p->term = cut(c, p->terms * sizeof *p->term);
    p->pairing = cut(c, (size_t)p->pairings * sizeof *p->pairing);
    p->level = cut(c, (p->levels + 1) * sizeof *p->level);
    s->memory = cut(c, s->on_chip ? 0 : (size_t)s->blocks * p->numbers * (size_t)s->events * sizeof(double));
    t->orderings_count = F;
    t->amplitude = cut(c, F * columns * sizeof(double));
    t->columns = columns;
    if (s->fourier) {
        bg_fourier_sizes(s->process.gluons, &s->tables);
        s->tables.task = cut(c, s->tables.tasks * sizeof(chip_task));
        s->tables.tile = cut(c, s->tables.tiles * sizeof(product_tile));
        s->tables.place = cut(c, s->tables.places * sizeof(uint32_t));
        s->tables.coefficient = cut(c, s->tables.coefficients * sizeof(double));
        s->other = cut(c, bg_fourier_other(s->process.gluons) * columns * sizeof(double));
    } else {
        const size_t tiles = (F + CUDA_FORM_ROWS - 1) / CUDA_FORM_ROWS;
        t->matrix = cut(c, F * F * sizeof(float));
        t->tile = cut(c, tiles > 1 ? tiles * columns * sizeof(double) : 0);
    }
    t->partial = cut(c, columns * sizeof(double));
}

/* ---- tables ------------------------------------------------------------------------------------------------------------ */

static bg_status upload(cudaStream_t stream, void *to, const void *from, size_t bytes, bg_error *error)
{
    if (!bytes) return BG_OK;
    CUDA_TRY(error, cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream));
    CUDA_TRY(error, cudaStreamSynchronize(stream));
    return BG_OK;
}

/* The color matrix in whole numbers, in the order of the amplitudes: by skeleton and the rank of the inverse word. */
static bg_status fill_matrix(cudaStream_t stream, const quark_space *s, const cuda_task *t, bg_error *error)
{
    const color_strings strings = bg_color_strings(s->process.lines, s->process.gluons);
    const size_t F = (size_t)strings.structures, words = (size_t)strings.words;
    double *by_structure = bg_color_string_matrix(&strings);
    float *matrix = malloc(F * F * sizeof *matrix);
    size_t *at = malloc(F * sizeof *at);
    bg_status status = BG_OK;
    if (!by_structure || !matrix || !at)
        status = bg_fail(error, BG_ERROR_MEMORY, "no memory for the color matrix of %zu structures", F);
    for (size_t k = 0; k < F && status == BG_OK; k++) {
        const permutation word = bg_permutation_unrank(strings.gluons, k % words);
        const permutation inverse = bg_permutation_inverse(strings.gluons, &word);
        at[k] = k / words * words + (size_t)bg_permutation_rank(strings.gluons, &inverse);
    }
    const double unit = bg_color_line_unit(COLOR_LINE_FUNDAMENTAL, strings.gluons);
    for (size_t a = 0; a < F && status == BG_OK; a++)
        for (size_t b = 0; b < F; b++) matrix[at[a] * F + at[b]] = rintf((float)(by_structure[a * F + b] / unit));
    if (status == BG_OK) status = upload(stream, writable(t->matrix), matrix, F * F * sizeof *matrix, error);
    free(by_structure);
    free(matrix);
    free(at);
    return status;
}

bg_status bg_cuda_quarks_fill(cudaStream_t stream, quark_space *s, const cuda_task *t, bg_interrupt *interrupt,
                              bg_error *error)
{
    const quark_program *from = &s->host, *to = &s->program;
    bg_status status = upload(stream, to->set, from->set, from->sets * sizeof *from->set, error);
    if (status == BG_OK) status = upload(stream, to->split, from->split, from->splits * sizeof *from->split, error);
    if (status == BG_OK) status = upload(stream, to->leg, from->leg, from->legs * sizeof *from->leg, error);
    if (status == BG_OK) status = upload(stream, to->step, from->step, from->steps * sizeof *from->step, error);
    if (status == BG_OK) status = upload(stream, to->term, from->term, from->terms * sizeof *from->term, error);
    if (status == BG_OK)
        status = upload(stream, to->pairing, from->pairing, (size_t)from->pairings * sizeof *from->pairing, error);
    if (status == BG_OK)
        status = upload(stream, to->level, from->level, (from->levels + 1) * sizeof *from->level, error);
    if (status != BG_OK) return status;
    /* columns beyond the last event are summed as well, and nobody reads what comes out */
    CUDA_TRY(error, cudaMemsetAsync(t->amplitude, 0, s->host.structures * t->columns * sizeof(double), stream));
    if (s->fourier)
        return bg_fast_fill_fourier(stream, COLOR_LINE_FUNDAMENTAL, s->process.gluons, &s->tables, &s->operations,
                                    interrupt, error);
    s->operations = bg_dense_operations(from->structures);
    return fill_matrix(stream, s, t, error);
}

/* ---- work ---------------------------------------------------------------------------------------------------------------- */

bg_status bg_cuda_quarks(cuda_task *t, const quark_space *s, bg_error *error)
{
    const size_t columns = 2 * (size_t)s->configurations * t->pitch;
    if (s->host.adds)
        CUDA_TRY(error, cudaMemsetAsync(t->amplitude, 0, s->host.structures * columns * sizeof(double), t->stream));
    bg_status status = bg_cuda_mark(t, CUDA_PART_NONE, error);
    if (status == BG_OK) status = bg_cuda_quark_amplitudes(t, s, error);
    if (status == BG_OK) status = bg_cuda_mark(t, CUDA_PART_AMPLITUDES, error);
    if (status == BG_OK)
        status = s->fourier
                     ? bg_cuda_fourier_sum(t->stream, &s->tables, t->amplitude, s->other, columns, t->partial, error)
                     : bg_cuda_color_sum(t->stream, s->host.structures, t->matrix, t->amplitude, columns, t->tile,
                                         t->partial, error);
    if (status == BG_OK) status = bg_cuda_mark(t, CUDA_PART_COLOR_SUM, error);
    t->slices = 2 * (uint64_t)s->configurations;
    return status;
}
