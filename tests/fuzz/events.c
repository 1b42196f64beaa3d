/* Event files that a run goes on with (--resume). Byte 0 is the kind of file: 'L' for Les Houches events as text, and then the
 * rest is what stands behind a head that is this run's, or 'l', and then it is the whole file; 'z' for the same compressed, the head and
 * the rest each a member of gzip, and 'Z' with the rest as bytes that are to be uncompressed; 'H' for HDF5.
 *
 * The library of HDF5 does not stand bytes that are not its own, so that the rest of an 'H' does not become bytes of a file
 * but tells how a file is made: for each of its datasets, five of them, whether it is there, its rank, rows, columns and the
 * type of its numbers.
 *
 * Whatever the file was, if the run goes on with it, it is a file in the end that has as many events as it says.
 */
#include "fuzz.h"

#include "events/writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef BG_HAVE_HDF5
#include <hdf5.h>
#endif
#ifdef BG_HAVE_ZLIB
#include <zlib.h>
#endif

enum { EVENTS = 3, LEGS = 4 };

enum { TEXT, HDF5, GZIP, KINDS };

static char path[KINDS][300], part[KINDS][300];
static bg_event event[EVENTS];
static const events_process processes[1] = {{2, 12.5, 0.25, 1.}};
static const events_run run = {.beam = {2212, 2212},
                               .energy = {6800., 6800.},
                               .strategy = EVENTS_UNWEIGHTED,
                               .version = "1",
                               .description = "g g > 2 g, seed 1",
                               .processes = 1,
                               .process = processes};
static char *head[KINDS]; /* of a file of text, and of a compressed one */
static size_t head_size[KINDS];

static void make_events(void)
{
    static const double momentum[LEGS][4] = {
        {500., 0., 0., 500.}, {500., 0., 0., -500.}, {500., 300., 400., 0.}, {500., -300., -400., 0.}};
    for (int k = 0; k < EVENTS; k++) {
        bg_event *e = &event[k];
        e->number = 100u + (unsigned)k;
        e->legs = LEGS;
        e->weight = e->trials = 1.;
        e->scale = e->muf = e->mur = 500.;
        e->alpha_s = 0.118;
        e->x[0] = e->x[1] = 0.07;
        for (int leg = 0; leg < LEGS; leg++) {
            e->pdg[leg] = BG_PDG_GLUON;
            e->color[leg][0] = 501 + leg;
            e->color[leg][1] = 501 + (leg + 1) % LEGS;
            e->helicity[leg] = BG_HELICITY_UNKNOWN;
            memcpy(e->momentum[leg], momentum[leg], sizeof momentum[leg]);
        }
    }
}

static events_writer *begin(int kind, int resume, bg_error *error)
{
    const events_options options = {.threads = 1, .resume = resume, .force = 1};
    events_writer *w = NULL;
    const bg_status status = events_open(&w, path[kind], &run, &options, error);
    fuzz_require(!w == (status != BG_OK));
    fuzz_require(status == BG_OK || error->message[0]);
    return w;
}

/* The head of a file of a kind, which the end of the file follows. */
static void find_head(int kind, const char *end, size_t length)
{
    bg_error error;
    size_t size, at = 1;
    events_writer *w = begin(kind, 0, &error);
    fuzz_require(w && events_leave(w, &error) == BG_OK);
    head[kind] = fuzz_read(part[kind], &size);
    while (at + length < size && memcmp(head[kind] + at, end, length)) at++;
    fuzz_require(at + length < size);
    head_size[kind] = at;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    static const char *const endings[KINDS] = {".lhe", ".h5", ".lhe.gz"};
    (void)argc;
    (void)argv;
    for (int k = 0; k < KINDS; k++) {
        snprintf(path[k], sizeof path[k], "%s", fuzz_path(endings[k]));
        snprintf(part[k], sizeof part[k], "%s.part", path[k]);
    }
    make_events();
    find_head(TEXT, "</LesHouchesEvents>", 19);
#ifdef BG_HAVE_ZLIB
    find_head(GZIP, "\x1f\x8b\x08", 3); /* another member */
#endif
    return 0;
}

/* ---- text ------------------------------------------------------------------------------------------------------------ */

static void write_behind_head(int kind, const void *data, size_t size, int with_head)
{
    const size_t before = with_head ? head_size[kind] : 0;
    char *bytes = malloc(before + size + 1);
    fuzz_require(bytes);
    memcpy(bytes, head[kind], before);
    if (size) memcpy(bytes + before, data, size);
    fuzz_write(part[kind], bytes, before + size);
    free(bytes);
}

/* The rest as it is, or as a member of gzip. */
static int write_gzip(const uint8_t *data, size_t size, int as_it_is)
{
#ifdef BG_HAVE_ZLIB
    z_stream z;
    memset(&z, 0, sizeof z);
    fuzz_require(deflateInit2(&z, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
    const size_t room = deflateBound(&z, (uLong)size);
    unsigned char *to = malloc(room);
    fuzz_require(to);
    z.next_in = (Bytef *)data;
    z.avail_in = (uInt)size;
    z.next_out = to;
    z.avail_out = (uInt)room;
    fuzz_require(deflate(&z, Z_FINISH) == Z_STREAM_END);
    write_behind_head(GZIP, as_it_is ? data : to, as_it_is ? size : (size_t)z.total_out, 1);
    (void)deflateEnd(&z);
    free(to);
    return 1;
#else
    (void)data;
    (void)size;
    (void)as_it_is;
    return 0;
#endif
}

static uint64_t count(const char *text, const char *line)
{
    uint64_t found = 0;
    for (const char *at = text; (at = strstr(at, line)); at++) found += at == text || at[-1] == '\n';
    return found;
}

/* As many events begin as end, and all is between one beginning and one end. */
static void check_text(uint64_t events)
{
    size_t size;
    char number[64], *text = fuzz_read(path[TEXT], &size);
    snprintf(number, sizeof number, "neve='%20llu'", (unsigned long long)events);
    fuzz_require(strlen(text) == size);
    fuzz_require(count(text, "<event ") == events && count(text, "</event>\n") == events);
    fuzz_require(count(text, "</LesHouchesEvents>\n") == 1 && strstr(text, number));
    free(text);
}

/* ---- HDF5 ------------------------------------------------------------------------------------------------------------ */

#ifdef BG_HAVE_HDF5
/* A dataset of four bytes: 0 missing, 1 fixed size, 2 growing; rank 0 to 3; rows; columns and type. */
static void put_dataset(hid_t file, const char *name, const uint8_t *by)
{
    const int rank = by[1] & 3, growing = by[0] % 3 == 2 && rank;
    const hid_t types[] = {H5T_NATIVE_DOUBLE, H5T_NATIVE_INT, H5T_NATIVE_UINT64, H5T_C_S1};
    const hsize_t size[3] = {by[2], by[3] & 31, 2}, most[3] = {H5S_UNLIMITED, size[1], 2},
                  chunk[3] = {8, size[1] ? size[1] : 1, 2};
    if (by[0] % 3 == 0) return;
    const hid_t space = rank ? H5Screate_simple(rank, size, growing ? most : NULL) : H5Screate(H5S_SCALAR);
    const hid_t list = H5Pcreate(H5P_DATASET_CREATE);
    if (growing) (void)H5Pset_chunk(list, rank, chunk);
    const hid_t set =
        space < 0 ? -1 : H5Dcreate2(file, name, types[by[3] >> 5 & 3], space, H5P_DEFAULT, list, H5P_DEFAULT);
    if (set >= 0) (void)H5Dclose(set);
    if (space >= 0) (void)H5Sclose(space);
    (void)H5Pclose(list);
}

/* Instead of "init" as it must be, or with it: then the rest of the file decides. */
static void put_init(hid_t file, int right, const uint8_t *by)
{
    static const double init[10] = {2212, 2212, 6800., 6800., 0, 0, 0, 0, EVENTS_UNWEIGHTED, 1};
    const hsize_t size = 10;
    if (!right) {
        put_dataset(file, "init", by);
        return;
    }
    const hid_t space = H5Screate_simple(1, &size, NULL);
    const hid_t set = H5Dcreate2(file, "init", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    (void)H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, init);
    (void)H5Dclose(set);
    (void)H5Sclose(space);
}

static int write_hdf5(const uint8_t *data, size_t size)
{
    uint8_t by[21] = {0};
    memcpy(by, data, size < sizeof by ? size : sizeof by);
    (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    const hid_t file = H5Fcreate(part[HDF5], H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    fuzz_require(file >= 0);
    put_init(file, by[20] & 1, by);
    put_dataset(file, "procInfo", by + 4);
    put_dataset(file, "events", by + 8);
    put_dataset(file, "particles", by + 12);
    put_dataset(file, "blockgen_numbers", by + 16);
    fuzz_require(H5Fclose(file) >= 0);
    return 1;
}

static void check_hdf5(uint64_t events)
{
    hsize_t rows[2] = {0, 0};
    const hid_t file = H5Fopen(path[HDF5], H5F_ACC_RDONLY, H5P_DEFAULT), set = H5Dopen2(file, "events", H5P_DEFAULT);
    const hid_t space = H5Dget_space(set);
    fuzz_require(file >= 0 && H5Sget_simple_extent_dims(space, rows, NULL) == 2 && rows[0] == events);
    (void)H5Sclose(space);
    (void)H5Dclose(set);
    (void)H5Fclose(file);
}
#else
static int write_hdf5(const uint8_t *data, size_t size)
{
    (void)data;
    (void)size;
    return 0;
}
static void check_hdf5(uint64_t events) { (void)events; }
#endif

/* ---- all ---------------------------------------------------------------------------------------------------------------- */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bg_error error = {BG_OK, ""};
    if (!size || !strchr("LlzZH", data[0])) return -1;
    const int kind = data[0] == 'H' ? HDF5 : data[0] == 'z' || data[0] == 'Z' ? GZIP : TEXT;
    if (kind == TEXT)
        write_behind_head(TEXT, data + 1, size - 1, data[0] == 'L');
    else if (!(kind == HDF5 ? write_hdf5(data + 1, size - 1) : write_gzip(data + 1, size - 1, data[0] == 'Z')))
        return -1;
    events_writer *w = begin(kind, 1, &error);
    fuzz_count(w != NULL);
    if (!w) return 0;
    const uint64_t before = events_count(w);
    const bg_status written = events_write(w, event, EVENTS, &error);
    fuzz_require(written == BG_OK || error.message[0]);
    const bg_status closed = events_close(w, NULL, 10., &error);
    fuzz_require(closed == BG_OK || error.message[0]);
    fuzz_require(closed == BG_OK || kind == HDF5); /* nothing is in the way of a file of text */
    if (closed == BG_OK && kind == TEXT) check_text(before + EVENTS);
    if (closed == BG_OK && kind == HDF5) check_hdf5(before + EVENTS);
    return 0;
}
