/* Events in HDF5, the layout LHEH5 2.0.1 (arXiv:2309.13154) that Pythia's plug-in, Sherpa and pylhe read.
 *
 *     version    (3)              2 0 1, integers; all other numbers are doubles
 *     init       (10)             beamA beamB energyA energyB PDFgroupA PDFgroupB PDFsetA
 *                                 PDFsetB weightingStrategy numProcesses
 *     procInfo   (P, 6)           procId npLO npNLO xSection error unitWeight
 *     events     (N, 9 + W)       pid nparticles start trials scale fscale rscale aqed aqcd NOMINAL [variations ..]
 *     particles  (N most, 13)     id status mother1 mother2 color1 color2 px py pz e m lifetime spin
 *
 * Names of columns are an attribute of each, "properties", but "events" on events, where it must be the only one:
 * readers take the first they find. They are strings of variable length, npLO counts incoming partons, and every event
 * has as many rows of particles as the largest has, or readers crash. Pythia starts its shower at rscale, pylhe has
 * `scale` for that: both have the event's scale, and aqcd is the coupling at the renormalization scale, which has no
 * column. A dataset of our own, blockgen_numbers, has the events' numbers.
 *
 * Readers take the mean of NOMINAL over the mean of trials for sigma, in pb, whatever the strategy says. So unweighted
 * events have the cross section there, which is known well in the end only; then the column is multiplied by what it
 * has changed.
 *
 * Nothing can be written to a full disk, not even the end of a file in HDF5. So room for each block is asked for before.
 * After each block all of the file is on its way to the disk, and can be read whatever happens next.
 *
 * Where HDF5 was built for MPI, ranks write together: rank 0 begins the file and ends it, as if it were alone, and in between all
 * have it open and write their rows of each block, collectively. The data are the same, whoever writes them.
 */
#include "events/format.h"

#ifdef BG_HAVE_HDF5
#ifdef BG_HAVE_PARALLEL_HDF5
#include "blockgen/mpi.h"
#endif

#include <errno.h>
#include <fcntl.h>
#include <hdf5.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { EVENT_COLUMNS = 10, PARTICLE_COLUMNS = 13, PROCESS_COLUMNS = 6, INIT_COLUMNS = 10 };
enum { SPARE = 1 << 20 }; /* bytes for what HDF5 needs besides the data */

static const char *const init_names[INIT_COLUMNS] = {
    "beamA",     "beamB",   "energyA", "energyB",           "PDFgroupA",
    "PDFgroupB", "PDFsetA", "PDFsetB", "weightingStrategy", "numProcesses"};
static const char *const process_names[PROCESS_COLUMNS] = {"procId",   "npLO",  "npNLO",
                                                           "xSection", "error", "unitWeight"};
static const char *const event_names[EVENT_COLUMNS] = {"pid",    "nparticles", "start", "trials", "scale",
                                                       "fscale", "rscale",     "aqed",  "aqcd",   "NOMINAL"};
static const char *const particle_names[PARTICLE_COLUMNS] = {
    "id", "status", "mother1", "mother2", "color1", "color2", "px", "py", "pz", "e", "m", "lifetime", "spin"};

typedef struct tables {
    hid_t file, events, particles, numbers;
    hid_t transfer; /* how rows are written: by this process, or collectively */
    double unit;    /* pb of a weight of 1 in the file */
} tables;

/* ---- errors ------------------------------------------------------------------------------------------------------ */

/* What HDF5 says where it went wrong first. */
static herr_t first_words(unsigned n, const H5E_error2_t *e, void *user)
{
    if (n == 0 && e->desc) {
        char *words = user;
        strncpy(words, e->desc, 199);
    }
    return 0;
}

static bg_status failed(const events_sink *s, const char *what, bg_error *error)
{
    char words[200] = "";

    (void)H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, first_words, words);
    return events_fail(error, BG_ERROR_IO, "cannot %s '%.200s': %s; it has %llu complete events", what, s->part,
                       words[0] ? words : "HDF5 failed", (unsigned long long)s->count);
}

/* Each thread has its own setting. */
static void be_quiet(void) { (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL); }

/* ---- datasets ---------------------------------------------------------------------------------------------------- */

/* The attribute with the names of columns. Returns 0, or -1. */
static int put_names(hid_t set, const char *attribute, const char *const *name, int names)
{
    const hsize_t size = (hsize_t)names;
    const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate_simple(1, &size, NULL);
    (void)H5Tset_size(type, H5T_VARIABLE);
    (void)H5Tset_cset(type, H5T_CSET_UTF8);
    const hid_t a = H5Acreate2(set, attribute, type, space, H5P_DEFAULT, H5P_DEFAULT);
    const int bad = a < 0 || H5Awrite(a, type, name) < 0;
    if (a >= 0) (void)H5Aclose(a);
    (void)H5Sclose(space);
    (void)H5Tclose(type);
    return bad ? -1 : 0;
}

static int put_word(hid_t set, const char *attribute, const char *word)
{
    const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    (void)H5Tset_size(type, H5T_VARIABLE);
    (void)H5Tset_cset(type, H5T_CSET_UTF8);
    const hid_t a = H5Acreate2(set, attribute, type, space, H5P_DEFAULT, H5P_DEFAULT);
    const int bad = a < 0 || H5Awrite(a, type, &word) < 0;
    if (a >= 0) (void)H5Aclose(a);
    (void)H5Sclose(space);
    (void)H5Tclose(type);
    return bad ? -1 : 0;
}

/* A dataset of fixed size with its numbers. */
static hid_t put_fixed(hid_t file, const char *name, int rank, const hsize_t *size, hid_t type, const void *data)
{
    const hid_t space = H5Screate_simple(rank, size, NULL);
    const hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    (void)H5Sclose(space);
    if (set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0) return set;
    if (set >= 0) (void)H5Dclose(set);
    return -1;
}

/* One that grows by rows; `columns` 0: a list. */
static hid_t make_growing(const events_sink *s, hid_t file, const char *name, hid_t type, size_t columns, size_t rows)
{
    const int rank = columns ? 2 : 1;
    const hsize_t none[2] = {0, columns}, most[2] = {H5S_UNLIMITED, columns}, chunk[2] = {rows, columns};
    const hid_t space = H5Screate_simple(rank, none, most), plist = H5Pcreate(H5P_DATASET_CREATE);
    (void)H5Pset_chunk(plist, rank, chunk);
    /* rows are written as soon as they are there: they have their place before, as ranks that write together want it, and nobody
     * has to fill it first */
    (void)H5Pset_alloc_time(plist, H5D_ALLOC_TIME_EARLY);
    if (!s->options.compression) (void)H5Pset_fill_time(plist, H5D_FILL_TIME_NEVER);
    if (s->options.compression && H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0) {
        (void)H5Pset_shuffle(plist);
        (void)H5Pset_deflate(plist, (unsigned)s->options.compression);
    }
    const hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, plist, H5P_DEFAULT);
    (void)H5Pclose(plist);
    (void)H5Sclose(space);
    return set;
}

/* Rows that a dataset gets at its end, and which of them are in the memory of this process. */
typedef struct new_rows {
    hsize_t before, total; /* rows that there are, and those that come */
    hsize_t first, count;  /* of these, ours */
} new_rows;

static new_rows rows_for(const events_sink *s, const events_slab *slab, size_t each)
{
    const hsize_t n = (hsize_t)each;
    return (new_rows){s->count * n, slab->total * n, slab->before * n, slab->count * n};
}

static int add_rows(hid_t set, hid_t transfer, hid_t type, size_t columns, new_rows r, const void *data)
{
    const int rank = columns ? 2 : 1;
    const hsize_t size[2] = {r.before + r.total, columns}, start[2] = {r.before + r.first, 0},
                  some[2] = {r.count, columns};
    if (H5Dset_extent(set, size) < 0) return -1;
    const hid_t file_space = H5Dget_space(set), space = H5Screate_simple(rank, some, NULL);
    if (r.count) {
        (void)H5Sselect_hyperslab(file_space, H5S_SELECT_SET, start, NULL, some, NULL);
    } else { /* of ranks that write together this one has none */
        (void)H5Sselect_none(file_space);
        (void)H5Sselect_none(space);
    }
    const herr_t done = H5Dwrite(set, type, space, file_space, transfer, data);
    (void)H5Sclose(space);
    (void)H5Sclose(file_space);
    return done < 0 ? -1 : 0;
}

static size_t event_columns(const events_sink *s) { return EVENT_COLUMNS + (size_t)s->run.variations; }

/* Pb of a weight of 1: sigma where events are unweighted. */
static double unit_of(const events_sink *s)
{
    double sigma = 0.;
    if (s->run.strategy != EVENTS_UNWEIGHTED) return 1.;
    for (int k = 0; k < s->run.processes; k++) sigma += s->run.process[k].sigma_pb;
    return sigma > 0. ? sigma : 1.;
}

/* ---- processes and beams ----------------------------------------------------------------------------------------- */

static void fill_processes(const events_sink *s, double *to)
{
    for (int k = 0; k < s->run.processes; k++, to += PROCESS_COLUMNS) {
        const events_process *p = &s->run.process[k];
        const double row[PROCESS_COLUMNS] = {k + 1, s->legs, -1, p->sigma_pb, p->error_pb, p->sigma_pb};
        memcpy(to, row, sizeof row);
    }
}

static int put_init(const events_sink *s, hid_t file)
{
    static const int version[3] = {2, 0, 1};
    const events_run *r = &s->run;
    const double init[INIT_COLUMNS] = {r->beam[0], r->beam[1], r->energy[0], r->energy[1], 0,
                                       0,          r->pdf[0],  r->pdf[1],    r->strategy,  r->processes};
    const hsize_t three = 3, ten = INIT_COLUMNS, rows[2] = {(hsize_t)r->processes, PROCESS_COLUMNS};
    double *processes = malloc((size_t)r->processes * PROCESS_COLUMNS * sizeof *processes);
    if (!processes) return -1;
    fill_processes(s, processes);
    const hid_t v = put_fixed(file, "version", 1, &three, H5T_NATIVE_INT, version);
    const hid_t i = put_fixed(file, "init", 1, &ten, H5T_NATIVE_DOUBLE, init);
    const hid_t p = put_fixed(file, "procInfo", 2, rows, H5T_NATIVE_DOUBLE, processes);
    const int bad = v < 0 || i < 0 || p < 0 || put_names(i, "properties", init_names, INIT_COLUMNS) ||
                    put_word(i, "generatorName", "BlockGen") || put_word(i, "generatorVersion", r->version) ||
                    put_word(i, "generatorDescription", r->description) || put_word(file, EVENTS_OPTIONS, r->about) ||
                    put_names(p, "properties", process_names, PROCESS_COLUMNS);
    if (v >= 0) (void)H5Dclose(v);
    if (i >= 0) (void)H5Dclose(i);
    if (p >= 0) (void)H5Dclose(p);
    free(processes);
    return bad ? -1 : 0;
}

/* The names of the columns of events, variations last. */
static int put_event_names(const events_sink *s, hid_t set)
{
    const size_t columns = event_columns(s);
    const char **name = malloc(columns * sizeof *name);
    if (!name) return -1;
    memcpy(name, event_names, sizeof event_names);
    for (int k = 0; k < s->run.variations; k++) name[EVENT_COLUMNS + k] = s->run.variation[k];
    const int bad = put_names(set, "events", name, (int)columns);
    free(name);
    return bad;
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

static void close_tables(events_sink *s)
{
    tables *t = s->own;
    if (!t) return;
    if (t->events >= 0) (void)H5Dclose(t->events);
    if (t->particles >= 0) (void)H5Dclose(t->particles);
    if (t->numbers >= 0) (void)H5Dclose(t->numbers);
    if (t->transfer != H5P_DEFAULT) (void)H5Pclose(t->transfer);
    if (t->file >= 0) (void)H5Fclose(t->file);
    free(t);
    s->own = NULL;
}

static tables *new_tables(events_sink *s)
{
    tables *t = malloc(sizeof *t);
    if (t) *t = (tables){-1, -1, -1, -1, H5P_DEFAULT, unit_of(s)};
    s->own = t;
    be_quiet();
    return t;
}

static int create_all(events_sink *s, tables *t)
{
    enum { ROWS = 1024 };
    t->file = H5Fcreate(s->part, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    if (t->file < 0 || put_init(s, t->file)) return -1;
    t->events = make_growing(s, t->file, "events", H5T_NATIVE_DOUBLE, event_columns(s), ROWS);
    t->particles = make_growing(s, t->file, "particles", H5T_NATIVE_DOUBLE, PARTICLE_COLUMNS, ROWS * (size_t)s->legs);
    t->numbers = make_growing(s, t->file, "blockgen_numbers", H5T_NATIVE_UINT64, 0, ROWS);
    return t->events < 0 || t->particles < 0 || t->numbers < 0 || put_event_names(s, t->events) ||
                   put_names(t->particles, "properties", particle_names, PARTICLE_COLUMNS) ||
                   H5Fflush(t->file, H5F_SCOPE_GLOBAL) < 0
               ? -1
               : 0;
}

/* The file and what grows in it; a dataset may be missing. */
static int open_all(const events_sink *s, tables *t, hid_t access)
{
    t->file = H5Fopen(s->part, H5F_ACC_RDWR, access);
    if (t->file < 0) return -1;
    t->events = H5Dopen2(t->file, "events", H5P_DEFAULT);
    t->particles = H5Dopen2(t->file, "particles", H5P_DEFAULT);
    t->numbers = H5Dopen2(t->file, "blockgen_numbers", H5P_DEFAULT);
    return 0;
}

/* Whether there is room for so many bytes more. */
static int has_room(const events_sink *s, size_t bytes)
{
    struct stat about;
    if (fstat(s->file, &about)) return 1;
    const int why = posix_fallocate(s->file, about.st_size, (off_t)bytes);
    if (ftruncate(s->file, about.st_size)) return 0;
    errno = why;
    return why != ENOSPC && why != EFBIG && why != EDQUOT;
}

static bg_status no_room(const events_sink *s, bg_error *error)
{
    return events_fail(error, BG_ERROR_IO, "cannot write '%.300s': %s; it has %llu complete events", s->part,
                       strerror(errno), (unsigned long long)s->count);
}

static bg_status start(events_sink *s, bg_error *error)
{
    tables *t = new_tables(s);
    if (!t) return events_fail(error, BG_ERROR_MEMORY, "no memory for a file of events");
    if (!has_room(s, SPARE)) {
        close_tables(s);
        return no_room(s, error);
    }
    if (create_all(s, t)) {
        const bg_status status = failed(s, "write", error);
        close_tables(s);
        return status;
    }
    return BG_OK;
}

/* ---- going on ---------------------------------------------------------------------------------------------------- */

/* Rows of a dataset with so many columns; 0 where it looks different. */
static int rows_of(hid_t set, size_t columns, uint64_t *rows)
{
    hsize_t size[2] = {0, 0};
    const hid_t space = set >= 0 ? H5Dget_space(set) : -1;
    const int rank = space >= 0 ? H5Sget_simple_extent_ndims(space) : 0;
    const int right = rank == (columns ? 2 : 1) && H5Sget_simple_extent_dims(space, size, NULL) == rank;
    if (space >= 0) (void)H5Sclose(space);
    *rows = size[0];
    return right && (!columns || size[1] == columns);
}

/* Whether the numbers of a small dataset are these. */
static int same_numbers(hid_t file, const char *name, const double *wanted, size_t count)
{
    double found[INIT_COLUMNS];
    uint64_t rows;
    const hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
    const int same = rows_of(set, 0, &rows) && rows == count && count <= INIT_COLUMNS &&
                     H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, found) >= 0 &&
                     !memcmp(found, wanted, count * sizeof *found);
    if (set >= 0) (void)H5Dclose(set);
    return same;
}

/* The unit of a file that was left: the cross sections that it began with. */
static int read_unit(const events_sink *s, tables *t)
{
    const size_t P = (size_t)s->run.processes;
    double *rows = malloc(P * PROCESS_COLUMNS * sizeof *rows), sigma = 0.;
    uint64_t found;
    const hid_t set = H5Dopen2(t->file, "procInfo", H5P_DEFAULT);
    const int good = rows && rows_of(set, PROCESS_COLUMNS, &found) && found == P &&
                     H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows) >= 0;
    for (size_t k = 0; good && k < P; k++) sigma += rows[PROCESS_COLUMNS * k + 3];
    if (s->run.strategy == EVENTS_UNWEIGHTED) t->unit = sigma > 0. ? sigma : 1.;
    if (set >= 0) (void)H5Dclose(set);
    free(rows);
    return good ? 0 : -1;
}

static int cut_rows(hid_t set, size_t columns, hsize_t rows)
{
    const hsize_t size[2] = {rows, columns};
    return H5Dset_extent(set, size) < 0 ? -1 : 0;
}

/* Some rows of one column, or of a list. */
static int read_rows(hid_t set, int column, hid_t type, uint64_t first, size_t rows, void *to)
{
    const hsize_t start[2] = {first, (hsize_t)(column < 0 ? 0 : column)}, some[2] = {rows, 1}, flat = rows;
    const hid_t file_space = H5Dget_space(set), space = H5Screate_simple(1, &flat, NULL);
    const int bad = H5Sselect_hyperslab(file_space, H5S_SELECT_SET, start, NULL, some, NULL) < 0 ||
                    H5Dread(set, type, space, file_space, H5P_DEFAULT, to) < 0;
    (void)H5Sclose(space);
    (void)H5Sclose(file_space);
    return bad ? -1 : 0;
}

/* Whether rows are what a run has written there, not what a process that was killed has left: energies of the first
 * partons. */
static int have_particles(const events_sink *s, hid_t set, uint64_t first, size_t events)
{
    enum { ENERGY = 9 };
    const size_t rows = events * (size_t)s->legs;
    double *energy = malloc(rows * sizeof *energy);
    int good = energy && !read_rows(set, ENERGY, H5T_NATIVE_DOUBLE, first * (uint64_t)s->legs, rows, energy);
    for (size_t k = 0; good && k < rows; k += (size_t)s->legs) good = energy[k] > 0. && energy[k + 1] > 0.;
    free(energy);
    return good;
}

/* Goes through the events that the file may have; those behind one that cannot be are left out. */
static int find_events(events_sink *s, const tables *t, uint64_t most)
{
    enum { ROWS = 4096 };
    double *process = malloc(ROWS * sizeof *process);
    uint64_t *number = malloc(ROWS * sizeof *number);
    int bad = !process || !number;
    for (uint64_t done = 0; done < most && s->count == done && !bad;) {
        const size_t rows = most - done < ROWS ? (size_t)(most - done) : ROWS;
        bad = read_rows(t->events, 0, H5T_NATIVE_DOUBLE, done, rows, process) ||
              read_rows(t->numbers, -1, H5T_NATIVE_UINT64, done, rows, number);
        if (bad || !have_particles(s, t->particles, done, rows)) break;
        for (size_t k = 0; k < rows; k++)
            if (!events_found(s, number[k], (int)process[k] - 1)) break;
        done += rows;
    }
    free(process);
    free(number);
    return bad ? -1 : 0;
}

/* Whether an attribute is this text. */
static int same_word(hid_t file, const char *attribute, const char *word)
{
    const hid_t a = H5Aopen(file, attribute, H5P_DEFAULT), type = H5Tcopy(H5T_C_S1);
    char *found = NULL;
    (void)H5Tset_size(type, H5T_VARIABLE);
    (void)H5Tset_cset(type, H5T_CSET_UTF8);
    const int same = a >= 0 && H5Aread(a, type, &found) >= 0 && found && !strcmp(found, word);
    if (found) (void)H5free_memory(found);
    if (a >= 0) (void)H5Aclose(a);
    (void)H5Tclose(type);
    return same;
}

/* How much of a file is in use is written last. A process that was killed before that leaves a file whose tables tell of places that are not in use
 * by that account: they would be given away a second time. So all that there is counts as used, which may leave a gap. */
static int claim_all(hid_t file) { return H5Fincrement_filesize(file, 0) < 0 ? -1 : 0; }

/* What only a complete file has. */
static int take_back_final(hid_t file)
{
    return H5Aexists(file, "trials") > 0 && H5Adelete(file, "trials") < 0 ? -1 : 0;
}

static bg_status resume(events_sink *s, bg_error *error)
{
    const events_run *r = &s->run;
    const size_t legs = (size_t)s->legs;
    const double init[INIT_COLUMNS] = {r->beam[0], r->beam[1], r->energy[0], r->energy[1], 0,
                                       0,          r->pdf[0],  r->pdf[1],    r->strategy,  r->processes};
    uint64_t events, particles, numbers;
    tables *t = new_tables(s);
    if (!t) return events_fail(error, BG_ERROR_MEMORY, "no memory for a file of events");
    if (open_all(s, t, H5P_DEFAULT) || claim_all(t->file)) {
        const bg_status status = failed(s, "go on with", error);
        close_tables(s);
        return status;
    }
    if (!rows_of(t->events, event_columns(s), &events) || !rows_of(t->particles, PARTICLE_COLUMNS, &particles) ||
        !rows_of(t->numbers, 0, &numbers) || !same_numbers(t->file, "init", init, INIT_COLUMNS) ||
        !same_word(t->file, EVENTS_OPTIONS, r->about) || read_unit(s, t)) {
        close_tables(s);
        return events_fail(error, BG_ERROR_ARGUMENT,
                           "'%.300s' is of another run: it has other beams, processes, options or variations", s->part);
    }
    uint64_t most = events < numbers ? events : numbers;
    if (particles / legs < most) most = particles / legs;
    if (find_events(s, t, most) || cut_rows(t->events, event_columns(s), s->count) ||
        cut_rows(t->particles, PARTICLE_COLUMNS, s->count * legs) || cut_rows(t->numbers, 0, s->count) ||
        take_back_final(t->file)) {
        const bg_status status = failed(s, "go on with", error);
        close_tables(s);
        return status;
    }
    return BG_OK;
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

/* A block is rows of events, rows of particles, numbers, one after the other. Where its particles start is known only
 * when it is appended. */
static void encode(const events_sink *s, events_block *b)
{
    const double unit = ((const tables *)s->own)->unit;
    for (size_t k = 0; k < b->count; k++) {
        const bg_event *e = &b->event[k];
        const double row[EVENT_COLUMNS] = {e->process + 1, e->legs,  0,   e->trials,  e->scale,
                                           e->muf,         e->scale, -1., e->alpha_s, unit * e->weight};
        events_add(&b->text, row, sizeof row);
        for (int v = 0; v < s->run.variations; v++) {
            const double weight = unit * e->variation[v];
            events_add(&b->text, &weight, sizeof weight);
        }
    }
    for (size_t k = 0; k < b->count; k++)
        for (int leg = 0; leg < s->legs; leg++) {
            const bg_event *e = &b->event[k];
            const double *p = e->momentum[leg], out = leg < 2 ? 0. : 1.;
            const double row[PARTICLE_COLUMNS] = {e->pdg[leg],
                                                  leg < 2 ? -1. : 1.,
                                                  out,
                                                  2. * out,
                                                  e->color[leg][0],
                                                  e->color[leg][1],
                                                  p[1],
                                                  p[2],
                                                  p[3],
                                                  p[0],
                                                  0.,
                                                  0.,
                                                  e->helicity[leg]};
            static const double none[PARTICLE_COLUMNS];
            events_add(&b->text, leg < e->legs ? row : none, sizeof row);
        }
    for (size_t k = 0; k < b->count; k++) events_add(&b->text, &b->event[k].number, sizeof b->event[k].number);
}

/* Room on the disk, which rank 0 looks for where several write together. */
static bg_status find_room(const events_sink *s, size_t bytes, bg_error *error)
{
    int why = events_is_first(s) && !has_room(s, bytes + SPARE) ? errno : 0;
    events_tell(s, &why, sizeof why);
    errno = why;
    return why ? no_room(s, error) : BG_OK;
}

static bg_status append(events_sink *s, const events_block *b, bg_error *error)
{
    const tables *t = s->own;
    const events_slab slab = events_own_slab(s, b);
    const size_t columns = event_columns(s), legs = (size_t)s->legs,
                 row = (columns + legs * PARTICLE_COLUMNS) * sizeof(double) + sizeof(uint64_t);
    double *events = (double *)(void *)b->text.at;
    const double *particles = events ? events + b->count * columns : NULL,
                 *numbers = particles ? particles + b->count * legs * PARTICLE_COLUMNS : NULL;
    be_quiet();
    const bg_status status = find_room(s, (size_t)slab.total * row, error);
    if (status != BG_OK) return status;
    for (size_t k = 0; k < b->count; k++) events[k * columns + 2] = (double)((s->count + slab.before + k) * legs);
    if (add_rows(t->particles, t->transfer, H5T_NATIVE_DOUBLE, PARTICLE_COLUMNS, rows_for(s, &slab, legs), particles) ||
        add_rows(t->numbers, t->transfer, H5T_NATIVE_UINT64, 0, rows_for(s, &slab, 1), numbers) ||
        add_rows(t->events, t->transfer, H5T_NATIVE_DOUBLE, columns, rows_for(s, &slab, 1), events) ||
        H5Fflush(t->file, H5F_SCOPE_GLOBAL) < 0)
        return failed(s, "write", error);
    s->count += slab.total;
    if (b->count) s->last = b->event[b->count - 1].number;
    return BG_OK;
}

/* Multiplies all weights, some rows at a time. */
static int scale_weights(const events_sink *s, hid_t set, double factor)
{
    enum { ROWS = 1024 };
    const size_t weights = event_columns(s) - (EVENT_COLUMNS - 1);
    double *w = malloc(ROWS * weights * sizeof *w);
    int bad = !w;
    for (uint64_t done = 0; done < s->count && !bad; done += ROWS) {
        const uint64_t left = s->count - done;
        const hsize_t start[2] = {done, EVENT_COLUMNS - 1}, some[2] = {left < ROWS ? left : ROWS, weights};
        const hid_t file_space = H5Dget_space(set), space = H5Screate_simple(2, some, NULL);
        (void)H5Sselect_hyperslab(file_space, H5S_SELECT_SET, start, NULL, some, NULL);
        bad = H5Dread(set, H5T_NATIVE_DOUBLE, space, file_space, H5P_DEFAULT, w) < 0;
        for (size_t k = 0; k < some[0] * weights; k++) w[k] *= factor;
        bad = bad || H5Dwrite(set, H5T_NATIVE_DOUBLE, space, file_space, H5P_DEFAULT, w) < 0;
        (void)H5Sclose(space);
        (void)H5Sclose(file_space);
    }
    free(w);
    return bad ? -1 : 0;
}

/* Final cross sections, and trial points as an attribute of the file. */
static int put_final(const events_sink *s, hid_t file)
{
    double *processes = malloc((size_t)s->run.processes * PROCESS_COLUMNS * sizeof *processes);
    if (!processes) return -1;
    fill_processes(s, processes);
    const hid_t set = H5Dopen2(file, "procInfo", H5P_DEFAULT), space = H5Screate(H5S_SCALAR);
    int bad = set < 0 || H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, processes) < 0;
    const hid_t a = H5Acreate2(file, "trials", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT);
    bad |= a < 0 || H5Awrite(a, H5T_NATIVE_DOUBLE, &s->trials) < 0;
    if (a >= 0) (void)H5Aclose(a);
    if (set >= 0) (void)H5Dclose(set);
    (void)H5Sclose(space);
    free(processes);
    return bad ? -1 : 0;
}

static bg_status finish(events_sink *s, int complete, bg_error *error)
{
    const tables *t = s->own;
    bg_status status = BG_OK;
    if (!t) return BG_OK;
    if (complete && !has_room(s, SPARE))
        status = no_room(s, error);
    else if (complete &&
             ((unit_of(s) != t->unit && scale_weights(s, t->events, unit_of(s) / t->unit)) || put_final(s, t->file)))
        status = failed(s, "write", error);
    if (H5Fflush(t->file, H5F_SCOPE_GLOBAL) < 0 && status == BG_OK) status = failed(s, "write", error);
    close_tables(s);
    return status;
}

/* ---- ranks that write together -------------------------------------------------------------------------------------- */

#ifdef BG_HAVE_PARALLEL_HDF5

/* Opens the file on this rank, through MPI. */
static bg_status open_with_others(events_sink *s, bg_error *error)
{
    const bg_mpi *mpi = s->options.ranks->user;
    tables *t = new_tables(s);
    if (!t) return events_fail(error, BG_ERROR_MEMORY, "no memory for a file of events");
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    t->transfer = H5Pcreate(H5P_DATASET_XFER);
    const int bad = H5Pset_fapl_mpio(access, mpi->comm, MPI_INFO_NULL) < 0 ||
                    H5Pset_dxpl_mpio(t->transfer, H5FD_MPIO_COLLECTIVE) < 0 || open_all(s, t, access);
    (void)H5Pclose(access);
    return bad || t->events < 0 || t->particles < 0 || t->numbers < 0 ? failed(s, "share", error) : BG_OK;
}

static bg_status share(events_sink *s, bg_error *error)
{
    tables *begun = s->own;
    double unit = begun ? begun->unit : 0.;
    close_tables(s);
    events_tell(s, &unit, sizeof unit);               /* of a file that is gone on with it is that of before */
    bg_status status = events_agree(s, BG_OK, error); /* rank 0 has closed it */
    if (status == BG_OK) status = open_with_others(s, error);
    if (s->own) ((tables *)s->own)->unit = unit;
    return status;
}

/* Rank 0 has it for itself again. */
static bg_status unshare(events_sink *s, bg_error *error)
{
    const tables *shared = s->own;
    const double unit = shared ? shared->unit : 0.;
    close_tables(s);
    bg_status status = events_agree(s, BG_OK, error);
    if (status != BG_OK || !events_is_first(s)) return status;
    tables *t = new_tables(s);
    if (!t) return events_fail(error, BG_ERROR_MEMORY, "no memory for a file of events");
    t->unit = unit;
    if (!open_all(s, t, H5P_DEFAULT)) return BG_OK;
    status = failed(s, "go on with", error);
    close_tables(s);
    return status;
}

#endif

const events_format events_hdf5 = {.name = "hdf5",
                                   .endings = "h5 hdf5",
                                   .block = 1024,
                                   .resumes = 1,
                                   .start = start,
                                   .resume = resume,
                                   .encode = encode,
                                   .append = append,
#ifdef BG_HAVE_PARALLEL_HDF5
                                   .share = share,
                                   .unshare = unshare,
#endif
                                   .finish = finish};

#else

const events_format events_hdf5 = {
    .name = "hdf5",
    .endings = "h5 hdf5",
    .missing = "this program was built without HDF5; install it (Debian: libhdf5-dev) and build again, or write .lhe"};

#endif
