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
static int choose_inner(const bg_plan *plan, int parts, size_t chip)
{
    const size_t numbers = chip / WANTED_EVENTS / sizeof(double);
    for (int inner = plan->process.gluons; inner > 0; inner--) {
        const program_layout layout = {.inner = inner, .parts = parts, .interrupt = plan->interrupt};
        quark_program p;
        if (bg_program_create(&p, &plan->process, &layout)) return -1;
        const int fits = p.numbers <= numbers;
        bg_program_destroy(&p);
        if (fits) return inner;
    }
    return 0;
}

extern const line_instance bg_cuda_line_4, bg_cuda_line_5, bg_cuda_line_6, bg_cuda_pair_5;

/* [letters]; [1] with a second line of another flavor, which is a letter */
static const line_instance *const lines[2][LINE_MOST - LINE_LEAST + 1] = {
    {&bg_cuda_line_4, &bg_cuda_line_5, &bg_cuda_line_6}, {NULL, &bg_cuda_pair_5, NULL}};

/* The kernel of one line with gluons, or of two lines, or NULL where there is none, or no room on chip. */
static const line_instance *choose_line(const bg_plan *plan, size_t chip)
{
    const bg_subprocess *s = &plan->process;
    const int pair = s->lines == 2 && s->flavors == 2, letters = s->gluons + pair;
    if (plan->mode != HELICITY_BASIS || (s->lines != 1 && !pair) || letters < LINE_LEAST || letters > LINE_MOST)
        return NULL;
    const line_instance *line = lines[pair][letters - LINE_LEAST];
    return line && line->chip <= chip ? line : NULL;
}

/* Two lines have their color sum in two parts, or in four where there is room on chip. */
static void choose_parts(quark_space *s)
{
    s->paired = s->process.lines == 2;
    s->quartets = s->paired && s->host.structures == 4 * CUDA_QUARTER && chip_bytes() >= CUDA_QUARTER_CHIP;
}

static double dense_operations(const quark_space *s)
{
    const uint64_t F = s->host.structures;
    if (s->quartets) return 4. * bg_dense_operations(F / 4) + 2. * (double)F;
    return s->paired ? 2. * bg_dense_operations(F / 2) + (double)F : bg_dense_operations(F);
}

/* The kernels that were written out, where there are any and a block has room on chip. -1 without memory. */
static int choose_straight(const bg_plan *plan, size_t chip, quark_space *s)
{
    straight_runs *r = &s->straight;
    if (bg_cuda_straight_create(r, &plan->process)) return -1;
    if (bg_cuda_straight_chip(r) > chip) bg_straight_destroy(r);
    s->process = plan->process;
    s->host.structures = s->program.structures = r->structures;
    s->configurations = r->configurations;
    choose_parts(s);
    s->operations = r->whole ? r->color_operations : dense_operations(s);
    s->on_chip = 1;
    return 0;
}

/* Sizes of the kernel that works through the program. */
static bg_status plan_program(quark_space *s, size_t chip, bg_error *error)
{
    const size_t one = (size_t)s->host.numbers * sizeof(double);
    size_t stack;
    int blocks = 0;
    s->on_chip = one <= chip;
    s->events = QUARK_MOST_EVENTS;
    while (s->on_chip && s->events > 1 && (size_t)s->events * one > chip) s->events /= 2;
    /* as many threads as registers allow: half of them in each of two blocks where there is room for two */
    s->threads = QUARK_MOST_THREADS / (2 * (size_t)s->events * one <= chip ? 2 : 1);
    const bg_status status =
        bg_cuda_quark_blocks(s->events, s->threads, s->on_chip, one * (size_t)s->events, &blocks, &stack, error);
    s->blocks = (unsigned)(blocks > 0 ? blocks : 1) * processors();
    return status;
}

/* ... and of a kernel of line.cu: events whose amplitudes exist at a time are some for each multiprocessor. The more they are, the
 * less a device waits for the last blocks of one kernel before the next one begins. */
static void plan_line(quark_space *s)
{
    static const size_t each[2][LINE_MOST - LINE_LEAST + 1] = {{2048, 128, 16}, {0, 64, 0}};
    const int letters = s->line->letters;
    s->lines.tile = each[s->line->pair][letters - LINE_LEAST] * processors();
    s->lines.tile = (s->lines.tile + CUDA_BLOCK - 1) / CUDA_BLOCK * CUDA_BLOCK;
    s->lines.blocks = processors() * (size_t)s->line->blocks;
    s->lines.places = bg_cuda_line_places(&s->process);
    bg_word_sizes(letters, letters, &s->lines.words);
}

bg_status bg_cuda_quarks_plan(const bg_plan *plan, quark_space *s, bg_error *error)
{
    const int circular = plan->mode == HELICITY_CIRCULAR, summed = plan->mode == HELICITY_BASIS;
    const size_t chip = chip_bytes();
    memset(s, 0, sizeof *s);
    if (summed && choose_straight(plan, chip, s)) return bg_plan_no_vertices(plan, error);
    if (s->straight.runs) return BG_OK;
    s->line = choose_line(plan, chip);
    /* chiralities by parts where these need not be joined (amplitude/program.h): lines of different flavors */
    const int parts = !circular && plan->process.lines > 1 && bg_program_pairings(&plan->process) == 1;
    const int inner = summed && !s->line ? choose_inner(plan, parts, chip) : 0;
    const program_layout layout = {
        .inner = inner, .complex = circular, .given = circular, .parts = parts, .interrupt = plan->interrupt};
    s->process = plan->process;
    if (inner < 0 || bg_program_create(&s->host, &plan->process, &layout)) return bg_plan_no_vertices(plan, error);
    s->program = s->host;
    s->configurations = s->host.configurations << (summed ? s->host.gluons - inner : 0);
    choose_parts(s);
    s->fourier = plan->process.lines == 1 && plan->process.gluons >= FAST_FOURIER;
    bg_status status = BG_OK;
    if (!s->fourier && s->host.structures > DENSE_MOST)
        status = bg_fail(error, BG_ERROR_UNSUPPORTED,
                         "%d quark lines and %d gluons have %u color structures; the device takes at most %d",
                         plan->process.lines, plan->process.gluons, s->host.structures, DENSE_MOST);
    if (status == BG_OK && s->line)
        plan_line(s);
    else if (status == BG_OK)
        status = plan_program(s, chip, error);
    if (status != BG_OK) bg_cuda_quarks_destroy(s);
    return status;
}

bg_status bg_cuda_quark_resources(const quark_space *s, size_t *on_chip, size_t *stack, bg_error *error)
{
    const size_t numbers = s->host.numbers * sizeof(double);
    int blocks;
    if (s->straight.runs) return bg_cuda_straight_resources(&s->straight, on_chip, stack, error);
    if (s->line) {
        *on_chip = s->line->chip / (size_t)s->line->events;
        return s->line->resources(stack, error);
    }
    *on_chip = s->on_chip ? numbers : 0;
    return bg_cuda_quark_blocks(s->events, s->threads, s->on_chip, numbers * (size_t)s->events, &blocks, stack, error);
}

void bg_cuda_quarks_destroy(quark_space *s)
{
    bg_program_destroy(&s->host);
    bg_straight_destroy(&s->straight);
}

/* Events of kernels that were written out: whole numbers of blocks for each multiprocessor. */
static size_t straight_batch(const quark_space *s, size_t most)
{
    const size_t wave = 2 * processors() * (size_t)bg_cuda_straight_instance(s->straight.run)->events;
    const size_t waves = s->straight.whole ? 32 : most / wave;
    return (waves < 1 ? 1 : waves < 4 || s->straight.whole ? waves : 4) * wave;
}

/* Enough to fill the device several times over, in at most a gigabyte of amplitudes. */
size_t bg_cuda_quarks_batch(const quark_space *s)
{
    const size_t event = 2 * (size_t)s->configurations * s->host.structures * sizeof(double);
    if (s->straight.runs) return straight_batch(s, ((size_t)1 << 30) / event);
    if (s->line) return 2 * s->lines.tile;
    const size_t most = ((size_t)1 << 30) / event, fill = 16 * (size_t)s->blocks * (size_t)s->events;
    const size_t batch = most < fill ? most : fill;
    return batch > CUDA_BLOCK ? batch : CUDA_BLOCK;
}

/* Tables of a kernel of line.cu, */
static void cut_line(cutter *c, quark_space *s)
{
    line_space *l = &s->lines;
    const int n = s->line->letters;
    l->words.row = cut(c, l->words.first[n] * sizeof *l->words.row);
    l->record = cut(c, bg_cuda_line_table(n, s->line->pair) * sizeof *l->record);
}

/* ... and of that which works through the program. */
static void cut_program(cutter *c, quark_space *s)
{
    quark_program *p = &s->program;
    p->set = cut(c, p->sets * sizeof *p->set);
    p->split = cut(c, p->splits * sizeof *p->split);
    p->leg = cut(c, p->legs * sizeof *p->leg);
    p->step = cut(c, p->steps * sizeof *p->step);
    p->term = cut(c, p->terms * sizeof *p->term);
    p->pairing = cut(c, (size_t)p->pairings * sizeof *p->pairing);
    p->level = cut(c, (p->levels + 1) * sizeof *p->level);
}

void bg_cuda_quarks_cut_tables(cutter *c, quark_space *s, cuda_task *t)
{
    const size_t F = s->host.structures;
    if (s->straight.whole) return;
    if (s->line)
        cut_line(c, s);
    else
        cut_program(c, s);
    t->orderings_count = F;
    if (s->fourier) {
        bg_fourier_sizes(s->process.gluons, &s->tables);
        s->tables.task = cut(c, s->tables.tasks * sizeof(chip_task));
        s->tables.tile = cut(c, s->tables.tiles * sizeof(product_tile));
        s->tables.place = cut(c, s->tables.places * sizeof(uint32_t));
        s->tables.coefficient = cut(c, s->tables.coefficients * sizeof(double));
    } else {
        t->matrix = cut(c, (s->quartets ? CUDA_QUARTER_TABLE : F * F) * sizeof(float));
        s->place = cut(c, s->quartets ? F * sizeof(uint32_t) : 0);
    }
}

void bg_cuda_quarks_cut_batch(cutter *c, quark_space *s, size_t pitch, cuda_task *t)
{
    if (s->straight.whole) {
        t->partial = cut(c, pitch * sizeof(double));
        return;
    }
    const size_t together = s->line && s->lines.tile < pitch ? s->lines.tile : pitch;
    const size_t columns = 2 * (size_t)s->configurations * together, F = s->host.structures;
    const size_t numbers = s->line || s->on_chip ? 0 : (size_t)s->blocks * s->host.numbers * (size_t)s->events;
    s->lines.numbers = cut(c, s->line ? s->line->numbers * pitch * sizeof(double) : 0);
    s->lines.currents = cut(c, s->line ? s->line->memory * s->lines.blocks : 0);
    s->memory = cut(c, numbers * sizeof(double));
    t->amplitude = cut(c, F * columns * sizeof(double));
    t->columns = columns;
    if (s->fourier) {
        s->other = cut(c, bg_fourier_other(s->process.gluons) * columns * sizeof(double));
    } else {
        const size_t rows = s->paired ? F / 2 : F, tiles = (rows + CUDA_FORM_ROWS - 1) / CUDA_FORM_ROWS;
        const size_t all = s->quartets ? 0 : s->paired ? 2 * tiles : tiles > 1 ? tiles : 0;
        t->tile = cut(c, rows > CUDA_FORM_COLUMN ? all * columns * sizeof(double) : 0);
    }
    t->partial = cut(c, 2 * (size_t)s->configurations * pitch * sizeof(double));
}

bg_status bg_cuda_quarks_clear(cudaStream_t stream, const quark_space *s, const cuda_task *t, bg_error *error)
{
    if (!s->straight.whole && !s->line) /* whose padding repeats an event */
        CUDA_TRY(error, cudaMemsetAsync(t->amplitude, 0, s->host.structures * t->columns * sizeof(double), stream));
    return BG_OK;
}

/* ---- tables ------------------------------------------------------------------------------------------------------------ */

static bg_status upload(cudaStream_t stream, void *to, const void *from, size_t bytes, bg_error *error)
{
    if (!bytes) return BG_OK;
    CUDA_TRY(error, cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream));
    CUDA_TRY(error, cudaStreamSynchronize(stream));
    return BG_OK;
}

/* The color matrix in whole numbers, in the order of the amplitudes. With two lines, whose amplitudes are in halves by the connection of
 * their strings: the matrices of the sums and of the differences of the halves, (P + Q)/2 and (P - Q)/2, where P are the elements
 * within a half and Q those between them. */
static void lay_out_matrix(const quark_space *s, size_t F, const size_t *at, const double *by_structure, float *to)
{
    const size_t half = F / 2;
    const double unit = bg_color_line_unit(COLOR_LINE_FUNDAMENTAL, s->process.gluons);
    for (size_t a = 0; a < F; a++)
        for (size_t b = 0; b < F; b++) {
            const float c = rintf((float)(by_structure[a * F + b] / unit));
            if (!s->paired) {
                to[at[a] * F + at[b]] = c;
            } else if (at[a] < half) {
                float *sums = to + at[a] * half + at[b] % half, *differences = sums + half * half;
                *sums += 0.5f * c;
                *differences += at[b] < half ? 0.5f * c : -0.5f * c;
            }
        }
}

/* The structures of two lines in fours: as they are, with the antiquarks exchanged, with the lines exchanged, and both. */
static void find_quartets(const color_strings *strings, uint32_t *place)
{
    const uint64_t half = strings->structures / 2; /* those whose strings end in the same lines */
    for (uint64_t k = 0; k < half; k++) {
        const color_structure own = bg_color_structure_unrank(strings, k);
        color_structure other = {.connection = own.connection, .length = {own.length[1], own.length[0]}};
        for (int i = 0; i < strings->gluons; i++) other.word.at[i] = own.word.at[(i + own.length[0]) % strings->gluons];
        const uint64_t both[2] = {k, bg_color_structure_rank(strings, &other)};
        if (both[1] < k) continue;
        for (int i = 0; i < 4; i++) {
            color_structure x = i & 2 ? other : own;
            if (i & 1) x.connection = bg_permutation_unrank(2, 1);
            *place++ = bg_program_position(strings, &x);
        }
    }
}

/* The matrices of the four parts, combinations of the elements between one structure and the four that belong together: first rows and columns up
 * to 32, then the other rows and all columns, four columns at a time; a lane has its numbers of two tiles (tensor.cuh) side by side. `at`: places of
 * structures. */
static void lay_out_quartets(size_t F, const size_t *at, const double *by_structure, double unit, const uint32_t *place,
                             float *to, double *by_place)
{
    for (size_t a = 0; a < F; a++)
        for (size_t b = 0; b < F; b++) by_place[at[a] * F + at[b]] = rint(by_structure[a * F + b] / unit);
    for (int part = 0; part < 4; part++)
        for (int step = 0; step < CUDA_QUARTER_TABLE / 512; step++)
            for (int n = 0; n < 128; n++) {
                const int other = step >= 8, lane = n / 4, row = 32 * other + 8 * (n % 4) + lane / 4,
                          column = 4 * (step - 8 * other) + lane % 4;
                double c = 0.;
                for (int g = 0; g < 4 && row < CUDA_QUARTER && column < CUDA_QUARTER; g++)
                    c += (__builtin_popcount((unsigned)(part & g)) & 1 ? -0.25 : 0.25) *
                         by_place[place[4 * row] * F + place[4 * column + g]];
                *to++ = (float)c;
            }
}

static bg_status fill_quartets(cudaStream_t stream, const quark_space *s, const cuda_task *t, size_t F,
                               const size_t *at, const double *by_structure, float *matrix, bg_error *error)
{
    const color_strings strings = bg_color_strings(s->process.lines, s->process.gluons);
    uint32_t place[4 * CUDA_QUARTER];
    double *by_place = malloc(F * F * sizeof *by_place);
    bg_status status = BG_OK;
    if (!by_place) return bg_fail(error, BG_ERROR_MEMORY, "no memory for the color matrix of %zu structures", F);
    find_quartets(&strings, place);
    lay_out_quartets(F, at, by_structure, bg_color_line_unit(COLOR_LINE_FUNDAMENTAL, s->process.gluons), place, matrix,
                     by_place);
    free(by_place);
    status = upload(stream, writable(s->place), place, sizeof place, error);
    return status == BG_OK ? upload(stream, writable(t->matrix), matrix, CUDA_QUARTER_TABLE * sizeof *matrix, error)
                           : status;
}

static bg_status fill_matrix(cudaStream_t stream, const quark_space *s, const cuda_task *t, bg_error *error)
{
    const color_strings strings = bg_color_strings(s->process.lines, s->process.gluons);
    const size_t F = (size_t)strings.structures;
    double *by_structure = bg_color_string_matrix(&strings);
    float *matrix = calloc(F * F, sizeof *matrix);
    size_t *at = malloc(F * sizeof *at); /* [structure] */
    bg_status status = BG_OK;
    if (!by_structure || !matrix || !at)
        status = bg_fail(error, BG_ERROR_MEMORY, "no memory for the color matrix of %zu structures", F);
    for (size_t k = 0; k < F && status == BG_OK; k++) {
        const color_structure structure = bg_color_structure_unrank(&strings, k);
        at[k] = bg_program_position(&strings, &structure);
    }
    if (status == BG_OK && s->quartets) {
        status = fill_quartets(stream, s, t, F, at, by_structure, matrix, error);
    } else if (status == BG_OK) {
        lay_out_matrix(s, F, at, by_structure, matrix);
        status = upload(stream, writable(t->matrix), matrix, F * F * sizeof *matrix, error);
    }
    free(by_structure);
    free(matrix);
    free(at);
    return status;
}

static bg_status fill_line(cudaStream_t stream, const quark_space *s, bg_error *error)
{
    const line_space *l = &s->lines;
    const int n = s->line->letters;
    const size_t rows = l->words.first[n] * sizeof *l->words.row;
    const size_t records = bg_cuda_line_table(n, s->line->pair) * sizeof *l->record;
    word_split *row = malloc(rows);
    uint32_t *record = malloc(records);
    bg_status status = BG_OK;
    if (!row || !record) {
        status = bg_fail(error, BG_ERROR_MEMORY, "no memory for the words of %d gluons", n);
    } else {
        bg_word_tables(n, n, 1, row, NULL, NULL); /* of so few letters, in no time */
        bg_cuda_line_fill(n, s->line->pair, record);
        status = upload(stream, writable(l->words.row), row, rows, error);
    }
    if (status == BG_OK) status = upload(stream, writable(l->record), record, records, error);
    free(row);
    free(record);
    return status;
}

static bg_status fill_program(cudaStream_t stream, const quark_space *s, bg_error *error)
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
    return status;
}

bg_status bg_cuda_quarks_fill(cudaStream_t stream, quark_space *s, const cuda_task *t, bg_interrupt *interrupt,
                              bg_error *error)
{
    if (s->straight.whole) return BG_OK;
    const bg_status status = s->straight.runs ? BG_OK
                             : s->line        ? fill_line(stream, s, error)
                                              : fill_program(stream, s, error);
    if (status != BG_OK) return status;
    if (s->fourier)
        return bg_fast_fill_fourier(stream, COLOR_LINE_FUNDAMENTAL, s->process.gluons, &s->tables, &s->operations,
                                    interrupt, error);
    s->operations = dense_operations(s);
    return fill_matrix(stream, s, t, error);
}

/* ---- work ---------------------------------------------------------------------------------------------------------------- */

/* Sums over colors of so many columns. */
static bg_status sum_colors(const cuda_task *t, const quark_space *s, size_t columns, double *sum, bg_error *error)
{
    const uint64_t F = s->host.structures;
    bg_status status = bg_cuda_mark(t, CUDA_PART_AMPLITUDES, error);
    if (status == BG_OK)
        status = s->fourier    ? bg_cuda_fourier_sum(t->stream, &s->tables, t->amplitude, s->other, columns, sum, error)
                 : s->quartets ? bg_cuda_quartet_sum(t->stream, t->matrix, s->place, t->amplitude, columns, sum, error)
                 : s->paired
                     ? bg_cuda_paired_sum(t->stream, F / 2, t->matrix, t->amplitude, columns, t->tile, sum, error)
                     : bg_cuda_color_sum(t->stream, F, t->matrix, t->amplitude, columns, t->tile, sum, error);
    return status == BG_OK ? bg_cuda_mark(t, CUDA_PART_COLOR_SUM, error) : status;
}

/* One line: a tile of events after the other. */
static bg_status line_sums(cuda_task *t, const quark_space *s, bg_error *error)
{
    const size_t each = 2 * (size_t)s->configurations;
    bg_status status = bg_cuda_mark(t, CUDA_PART_NONE, error);
    if (status == BG_OK) status = s->line->prepare(t, &s->process, &s->program, &s->lines, error);
    for (size_t first = 0; first < t->pitch && status == BG_OK; first += s->lines.tile) {
        const size_t left = t->pitch - first, events = left < s->lines.tile ? left : s->lines.tile;
        status = s->line->amplitudes(t, &s->lines, first, events, error);
        if (status == BG_OK) status = sum_colors(t, s, each * events, t->partial + each * first, error);
    }
    t->slices = each;
    t->slice_step = 1;
    t->event_step = each;
    return status;
}

/* Amplitudes of kernels that were written out. */
static bg_status straight_amplitudes(const cuda_task *t, const straight_runs *r, bg_error *error)
{
    bg_status status = BG_OK;
    for (int k = 0; k < r->runs && status == BG_OK; k++)
        status = bg_cuda_straight_instance(&r->run[k])->evaluate(t, &r->run[k], t->amplitude, error);
    return status;
}

bg_status bg_cuda_quarks(cuda_task *t, const quark_space *s, bg_error *error)
{
    const size_t columns = 2 * (size_t)s->configurations * t->pitch;
    const straight_run *run = s->straight.run;
    t->slices = s->straight.whole ? 1 : 2 * (uint64_t)s->configurations;
    if (s->line) return line_sums(t, s, error);
    if (s->straight.whole) return bg_cuda_straight_instance(run)->evaluate(t, run, t->partial, error);
    if (s->host.adds)
        CUDA_TRY(error, cudaMemsetAsync(t->amplitude, 0, s->host.structures * columns * sizeof(double), t->stream));
    bg_status status = bg_cuda_mark(t, CUDA_PART_NONE, error);
    if (status == BG_OK)
        status = s->straight.runs ? straight_amplitudes(t, &s->straight, error) : bg_cuda_quark_amplitudes(t, s, error);
    return status == BG_OK ? sum_colors(t, s, columns, t->partial, error) : status;
}
