/* Files of events: what is in them, full disks, and going on with what was interrupted. Readers of others are in
 * tests/cli/test_events.py. */
#include "events/format.h"
#include "events/sample.h"

#include "support.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const endings[] = {"lhe", "lhe.gz", "h5", "npy", "csv"};
enum { ENDINGS = sizeof endings / sizeof *endings, COUNT = 3000 };

static char folder[] = "/tmp/blockgen_events_XXXXXX";
static sample unweighted, weighted;

static int set_up(void **state)
{
    (void)state;
    signal(SIGXFSZ, SIG_IGN);
    sample_create(&unweighted, "u g > u g g", COUNT, EVENTS_UNWEIGHTED);
    sample_create(&weighted, "g g > g g g", 100, EVENTS_WEIGHTED);
    return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    sample_destroy(&unweighted);
    sample_destroy(&weighted);
    return rmdir(folder);
}

static const char *path_of(const char *name)
{
    static char path[4][128];
    static int turn;
    turn = (turn + 1) % 4;
    snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

/* With the text that an array has beside it. */
static void remove_file(const char *name)
{
    char about[64];
    const char *part = strstr(name, ".part");
    snprintf(about, sizeof about, "%.*s.about", (int)(part ? (size_t)(part - name) : strlen(name)), name);
    assert_int_equal(unlink(path_of(name)), 0);
    const int array = strstr(name, ".npy") || strstr(name, ".csv");
    assert_int_equal(unlink(path_of(about)), array ? 0 : -1);
}

static char *read_all(const char *name, size_t *length)
{
    struct stat about;
    FILE *f = fopen(path_of(name), "rb");
    assert_non_null(f);
    assert_int_equal(fstat(fileno(f), &about), 0);
    *length = (size_t)about.st_size;
    char *bytes = malloc(*length + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *length, f), *length);
    bytes[*length] = '\0';
    fclose(f);
    return bytes;
}

static int is_built(const char *ending)
{
    char name[32];
    bg_error error;
    snprintf(name, sizeof name, "a.%s", ending);
    if (events_format_name(name, &error)) return 1;
    printf("left out: %s\n", error.message);
    assert_int_equal(error.status, BG_ERROR_UNSUPPORTED);
    return 0;
}

static events_writer *open_writer(const char *name, const events_run *run, const events_options *options)
{
    events_writer *w;
    bg_error error;
    if (events_open(&w, path_of(name), run, options, &error) != BG_OK) fail_msg("%s: %s", name, error.message);
    return w;
}

/* A whole file, in batches of different sizes. */
static void write_file(const char *name, const sample *s, int threads)
{
    const events_options options = {.threads = threads};
    events_process final = s->process[0];
    bg_error error;
    events_writer *w = open_writer(name, &s->run, &options);
    assert_int_equal(events_count(w), 0);
    for (size_t done = 0, batch = (size_t)threads; done < s->count; batch = 3 * batch + 1) {
        const size_t some = s->count - done < batch ? s->count - done : batch;
        if (events_write(w, s->event + done, some, &error) != BG_OK) fail_msg("%s: %s", name, error.message);
        done += some;
    }
    assert_int_not_equal(access(path_of(name), F_OK), 0); /* it has its name when it is complete */
    final.sigma_pb *= 2.;
    if (events_close(w, &final, 12345., &error) != BG_OK) fail_msg("%s: %s", name, error.message);
    assert_int_equal(access(path_of(name), F_OK), 0);
}

/* ---- numbers ------------------------------------------------------------------------------------------------------ */

static void check_number(double x)
{
    char text[EVENTS_REAL], other[EVENTS_REAL];
    const size_t length = events_format_real(x, text);
    assert_true(length < sizeof text);
    text[length] = '\0';
    snprintf(other, sizeof other, "%.16e", x);
    assert_int_equal(length, strlen(other));
    if (strtod(text, NULL) != x) fail_msg("%s for %s", text, other);
}

/* What is read is what was written. */
static void numbers_return(void **state)
{
    (void)state;
    random_source r = fresh_source(1);
    static const double special[] = {
        0.,    -0.,  1.,   -1.,  9.9999999999999995e22, 5e-324, 1.7976931348623157e308, 0.1,
        1e-30, 1e30, 1e16, 1e17, 123456789.123456789,   2.5,    9007199254740993.};
    for (size_t k = 0; k < sizeof special / sizeof *special; k++) check_number(special[k]);
    for (int k = -40; k <= 40; k++) { /* powers of ten and their neighbors */
        const double x = pow(10., k);
        check_number(x);
        check_number(nextafter(x, 0.));
        check_number(nextafter(x, INFINITY));
    }
    for (int k = 0; k < 200000; k++) {
        check_number(uniform(&r, -1., 1.) * pow(10., uniform(&r, -5., 5.)));
        check_number(ldexp(uniform(&r, 1., 2.), random_below(&r, 400) - 200));
        check_number(nextafter(ldexp(1., random_below(&r, 180) - 90), random_below(&r, 2) ? 0. : INFINITY));
    }
}

/* ---- what is in a file ------------------------------------------------------------------------------------------- */

/* The same numbers, bit for bit. */
static void check_lhef(const sample *s, char *text, size_t events)
{
    size_t count = 0;
    assert_non_null(strstr(text, "<LesHouchesEvents version=\"3.0\">"));
    assert_non_null(strstr(text, "a &lt;sample&gt; &amp; no more"));
    assert_non_null(strstr(text, "<weight id='muR=2'>"));
    char *at = text;
    while ((at = strstr(at, "<event "))) {
        const bg_event *e = &s->event[count++];
        unsigned long long number;
        double weight, scale, alpha_s, qed;
        int legs, process, used;
        assert_int_equal(sscanf(at, "<event number='%llu'", &number), 1);
        assert_int_equal(number, e->number);
        at = strchr(at, '\n') + 1;
        assert_int_equal(
            sscanf(at, "%d %d %lf %lf %lf %lf\n%n", &legs, &process, &weight, &scale, &qed, &alpha_s, &used), 6);
        assert_true(legs == e->legs && process == e->process + 1);
        assert_true(weight == e->weight && scale == e->scale && alpha_s == e->alpha_s);
        for (int k = 0; k < legs; k++) {
            int id, status, mother[2], color[2], spin;
            double p[4], mass, time;
            at += used;
            assert_int_equal(sscanf(at, "%d %d %d %d %d %d %lf %lf %lf %lf %lf %lf %d\n%n", &id, &status, &mother[0],
                                    &mother[1], &color[0], &color[1], &p[1], &p[2], &p[3], &p[0], &mass, &time, &spin,
                                    &used),
                             13);
            assert_true(id == e->pdg[k] && status == (k < 2 ? -1 : 1) && spin == e->helicity[k]);
            assert_true(mother[0] == (k < 2 ? 0 : 1) && mother[1] == (k < 2 ? 0 : 2));
            assert_memory_equal(color, e->color[k], sizeof color);
            assert_memory_equal(p, e->momentum[k], sizeof p);
        }
    }
    assert_int_equal(count, events);
    assert_string_equal(text + strlen(text) - 20, "</LesHouchesEvents>\n");
}

static void text_has_all(void **state)
{
    (void)state;
    size_t length;
    write_file("a.lhe", &unweighted, 2);
    char *text = read_all("a.lhe", &length);
    check_lhef(&unweighted, text, COUNT);
    /* the head has the numbers of the end */
    char line[128];
    snprintf(line, sizeof line, "\n%23.16e %23.16e", 2. * 123.456, 0.5);
    assert_non_null(strstr(text, line));
    assert_non_null(strstr(text, "ntries='               12345'"));
    assert_non_null(strstr(text, "neve='                3000'"));
    assert_non_null(strstr(text, " 316200 316200 3 1\n"));
    free(text);
    remove_file("a.lhe");
    write_file("a.lhe", &weighted, 1);
    text = read_all("a.lhe", &length);
    check_lhef(&weighted, text, weighted.count);
    assert_non_null(strstr(text, " 316200 316200 -4 1\n"));
    free(text);
    remove_file("a.lhe");
}

/* Channels that are their representative with beams exchanged have the parton along -z first. */
static void beams_are_ordered(void **state)
{
    (void)state;
    sample s = unweighted;
    size_t length;
    s.count = 10;
    s.event = malloc(10 * sizeof *s.event);
    assert_non_null(s.event);
    memcpy(s.event, unweighted.event, 10 * sizeof *s.event);
    for (size_t k = 0; k < 10; k++) {
        bg_event *e = &s.event[k];
        const bg_event from = *e;
        for (int leg = 0; leg < 2; leg++) {
            e->pdg[leg] = from.pdg[1 - leg];
            memcpy(e->color[leg], from.color[1 - leg], sizeof e->color[leg]);
            memcpy(e->momentum[leg], from.momentum[1 - leg], sizeof e->momentum[leg]);
        }
    }
    write_file("a.lhe", &s, 1);
    char *text = read_all("a.lhe", &length);
    check_lhef(&unweighted, text, 10);
    free(text);
    free(s.event);
    remove_file("a.lhe");
}

/* How many threads there are does not matter, nor how events are cut into batches. */
static void threads_do_not_matter(void **state)
{
    (void)state;
    for (int k = 0; k < ENDINGS; k++) {
        char name[2][16];
        char *bytes[2];
        size_t length[2];
        if (!is_built(endings[k]) || !strcmp(endings[k], "h5")) continue; /* HDF5 may keep the time */
        for (int run = 0; run < 2; run++) {
            snprintf(name[run], sizeof name[run], "%d.%s", run, endings[k]);
            write_file(name[run], &unweighted, run ? 5 : 1);
            bytes[run] = read_all(name[run], &length[run]);
        }
        assert_int_equal(length[0], length[1]);
        assert_memory_equal(bytes[0], bytes[1], length[0]);
        for (int run = 0; run < 2; run++) {
            remove_file(name[run]);
            free(bytes[run]);
        }
    }
}

/* ---- what is refused --------------------------------------------------------------------------------------------- */

static void refuse_event(bg_event e, bg_status status, const char *words)
{
    const events_options options = {.threads = 1};
    bg_error error;
    events_writer *w = open_writer("a.lhe", &unweighted.run, &options);
    assert_refused(events_write(w, &e, 1, &error), &error, status, words);
    assert_int_equal(events_leave(w, &error), BG_OK);
    remove_file("a.lhe.part");
}

static void refusals(void **state)
{
    (void)state;
    events_options options = {.threads = 1};
    events_writer *w;
    bg_error error;
    events_run run = unweighted.run;
    static const char *const bad[2] = {"a", "<b>"};
    assert_refused(events_open(&w, "a.root", &run, &options, &error), &error, BG_ERROR_ARGUMENT, "a.root|.lhe.gz");
    assert_refused(events_open(&w, "/nowhere/a.lhe", &run, &options, &error), &error, BG_ERROR_IO,
                   "/nowhere/a.lhe.part");
    assert_refused(events_open(&w, path_of("a.csv"), &run, &(events_options){.resume = 1}, &error), &error,
                   BG_ERROR_UNSUPPORTED, "csv|.lhe.gz");
    assert_refused(events_open(&w, path_of("a.lhe"), &run, &(events_options){.compression = 10}, &error), &error,
                   BG_ERROR_ARGUMENT, "compression|10");
    run.variation = bad;
    assert_refused(events_open(&w, path_of("a.lhe"), &run, &options, &error), &error, BG_ERROR_ARGUMENT, "<b>");
    run = unweighted.run;
    run.strategy = 2;
    assert_refused(events_open(&w, path_of("a.lhe"), &run, &options, &error), &error, BG_ERROR_ARGUMENT,
                   "strategy 2|-4");
    /* files that are there */
    w = open_writer("a.lhe", &unweighted.run, &options);
    assert_int_equal(events_leave(w, &error), BG_OK);
    assert_refused(events_open(&w, path_of("a.lhe"), &unweighted.run, &options, &error), &error, BG_ERROR_ARGUMENT,
                   "a.lhe.part|--resume|--force");
    options.force = 1;
    w = open_writer("a.lhe", &unweighted.run, &options);
    assert_int_equal(events_close(w, NULL, 0., &error), BG_OK);
    options.force = 0;
    assert_refused(events_open(&w, path_of("a.lhe"), &unweighted.run, &options, &error), &error, BG_ERROR_ARGUMENT,
                   "a.lhe|there|--force");
    remove_file("a.lhe");
    /* events */
    bg_event e = unweighted.event[0];
    e.weight = 1.5;
    refuse_event(e, BG_ERROR_ARGUMENT, "1000|weight 1.5|strategy 3");
    e = unweighted.event[0];
    e.scale = 0.;
    refuse_event(e, BG_ERROR_ARGUMENT, "scale 0");
    e = unweighted.event[0];
    e.momentum[0][3] *= -1.;
    refuse_event(e, BG_ERROR_POINT, "along +z");
    e = unweighted.event[0];
    e.momentum[3][1] = NAN;
    refuse_event(e, BG_ERROR_POINT, "parton 4");
    e = unweighted.event[0];
    e.legs = 4;
    refuse_event(e, BG_ERROR_ARGUMENT, "4|5");
    e = unweighted.event[0];
    e.process = 1;
    refuse_event(e, BG_ERROR_ARGUMENT, "process 1");
    e = unweighted.event[0];
    e.variation = NULL;
    refuse_event(e, BG_ERROR_ARGUMENT, "2 variations");
}

/* ---- full disks, and going on ------------------------------------------------------------------------------------ */

/* So many bytes a file; 0: as many as before. */
static void limit_files(rlim_t bytes)
{
    static struct rlimit before;
    if (bytes) assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    struct rlimit limit = before;
    if (bytes) limit.rlim_cur = bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* Writes until there is no room any more. */
static void fill_disk(const char *name, rlim_t bytes)
{
    const events_options options = {.threads = 2};
    bg_error error = {BG_OK, ""};
    events_writer *w = open_writer(name, &unweighted.run, &options);
    limit_files(bytes);
    bg_status status = BG_OK;
    for (int k = 0; k < 5 && status == BG_OK; k++) status = events_write(w, unweighted.event + 600 * k, 600, &error);
    bg_error again;
    assert_int_equal(events_close(w, NULL, 0., &again), BG_ERROR_IO);
    limit_files(0);
    assert_non_null(strstr(again.message, "complete events"));
    assert_non_null(strstr(again.message, ".part"));
    assert_int_not_equal(access(path_of(name), F_OK), 0);
}

static size_t count_events(const char *text)
{
    size_t count = 0;
    for (; (text = strstr(text, "</event>")); text++) count++;
    return count;
}

static void full_disk(void **state)
{
    (void)state;
    for (int k = 0; k < ENDINGS; k++) {
        char name[16], part[32];
        size_t length;
        if (!is_built(endings[k])) continue;
        snprintf(name, sizeof name, "a.%s", endings[k]);
        snprintf(part, sizeof part, "%s.part", name);
        fill_disk(name, !strcmp(endings[k], "h5") ? 2400000 : 300000);
        char *bytes = read_all(part, &length);
        if (!strcmp(endings[k], "lhe")) check_lhef(&unweighted, bytes, count_events(bytes));
        if (!strcmp(endings[k], "lhe")) assert_true(count_events(bytes) > 100);
        if (!strcmp(endings[k], "csv")) assert_int_equal(bytes[length - 1], '\n');
        free(bytes);
        remove_file(part);
    }
}

/* A file of so many events that was left (0: any number), and the rest of them. Returns how many there were. */
static size_t go_on(const char *name, size_t before)
{
    const events_options options = {.threads = 2, .resume = 1};
    events_process final = unweighted.process[0];
    bg_error error;
    events_writer *w = open_writer(name, &unweighted.run, &options);
    const size_t count = (size_t)events_count(w);
    if (before) assert_int_equal(count, before);
    assert_int_equal(events_last_number(w), count ? unweighted.event[count - 1].number : 0);
    assert_int_equal(events_write(w, unweighted.event + count, COUNT - count, &error), BG_OK);
    final.sigma_pb *= 2.;
    assert_int_equal(events_close(w, &final, 12345., &error), BG_OK);
    return count;
}

static void leave(const char *name, size_t count)
{
    const events_options options = {.threads = 2};
    bg_error error;
    events_writer *w = open_writer(name, &unweighted.run, &options);
    assert_int_equal(events_write(w, unweighted.event, count, &error), BG_OK);
    assert_int_equal(events_leave(w, &error), BG_OK);
}

static void assert_same(const char *a, const char *b)
{
    size_t length[2];
    char *first = read_all(a, &length[0]), *second = read_all(b, &length[1]);
    assert_int_equal(length[0], length[1]);
    assert_memory_equal(first, second, length[0]);
    free(first);
    free(second);
}

static void text_goes_on(void **state)
{
    (void)state;
    bg_error error;
    events_writer *w;
    write_file("whole.lhe", &unweighted, 1);
    leave("a.lhe", 1234);
    go_on("a.lhe", 1234);
    assert_same("a.lhe", "whole.lhe");
    remove_file("a.lhe");
    fill_disk("a.lhe", 400000);
    go_on("a.lhe", 0);
    assert_same("a.lhe", "whole.lhe");
    remove_file("a.lhe");
    /* killed in the middle of an event, or before the first */
    for (int k = 0; k < 2; k++) {
        size_t length;
        leave("a.lhe", k ? 77 : 0);
        char *text = read_all("a.lhe.part", &length);
        free(text);
        assert_int_equal(truncate(path_of("a.lhe.part"), (off_t)length - (k ? 100 : 10)), 0);
        go_on("a.lhe", k ? 76 : 0);
        assert_same("a.lhe", "whole.lhe");
        remove_file("a.lhe");
    }
    /* killed in the head */
    for (off_t size = 0; size < 100; size += 60) {
        leave("a.lhe", 0);
        assert_int_equal(truncate(path_of("a.lhe.part"), size), 0);
        go_on("a.lhe", 0);
        assert_same("a.lhe", "whole.lhe");
        remove_file("a.lhe");
    }
    /* nothing to go on with; and a run that had just given the file its name */
    go_on("a.lhe", 0);
    go_on("a.lhe", COUNT);
    assert_same("a.lhe", "whole.lhe");
    /* ... of another run: the file stays as it is */
    events_run changed = unweighted.run;
    changed.about = "seed = 2\n";
    assert_refused(events_open(&w, path_of("a.lhe"), &changed, &(events_options){.resume = 1}, &error), &error,
                   BG_ERROR_ARGUMENT, "another run");
    assert_same("a.lhe", "whole.lhe");
    remove_file("a.lhe");
    /* of another run */
    leave("a.lhe", 10);
    events_run other = unweighted.run;
    other.energy[0] = 7000.;
    assert_refused(events_open(&w, path_of("a.lhe"), &other, &(events_options){.resume = 1}, &error), &error,
                   BG_ERROR_ARGUMENT, "another run");
    other = unweighted.run;
    other.description = "b <sample> & no more";
    assert_refused(events_open(&w, path_of("a.lhe"), &other, &(events_options){.resume = 1}, &error), &error,
                   BG_ERROR_ARGUMENT, "another run");
    remove_file("a.lhe.part");
    remove_file("whole.lhe");
}

/* Whole blocks stay; the rest is made again, so that all bytes are the same. */
static void compressed_text_goes_on(void **state)
{
    (void)state;
    enum { BLOCK = 512 };
    size_t length;
    bg_error error;
    events_writer *w;
    if (!is_built("lhe.gz")) skip();
    leave("whole.lhe.gz", 0);
    go_on("whole.lhe.gz", 0);
    leave("a.lhe.gz", 1234);
    go_on("a.lhe.gz", 2 * BLOCK);
    assert_same("a.lhe.gz", "whole.lhe.gz");
    go_on("a.lhe.gz", 5 * BLOCK); /* a file that is complete already */
    assert_same("a.lhe.gz", "whole.lhe.gz");
    remove_file("a.lhe.gz");
    for (int k = 0; k < 3; k++) { /* killed in a block, at its end, in the first */
        leave("a.lhe.gz", k < 2 ? 3 * BLOCK : BLOCK);
        free(read_all("a.lhe.gz.part", &length));
        const off_t tail = 64; /* about */
        assert_int_equal(truncate(path_of("a.lhe.gz.part"), (off_t)length - (k == 1 ? 10 : 1000 + tail)), 0);
        go_on("a.lhe.gz", k == 1 ? 3 * BLOCK : k ? 0 : 2 * BLOCK);
        assert_same("a.lhe.gz", "whole.lhe.gz");
        remove_file("a.lhe.gz");
    }
    for (off_t size = 0; size < 100; size += 60) { /* in the head */
        leave("a.lhe.gz", 0);
        assert_int_equal(truncate(path_of("a.lhe.gz.part"), size), 0);
        go_on("a.lhe.gz", 0);
        assert_same("a.lhe.gz", "whole.lhe.gz");
        remove_file("a.lhe.gz");
    }
    leave("a.lhe.gz", 10);
    events_run other = unweighted.run;
    other.about = "seed = 2\n";
    assert_refused(events_open(&w, path_of("a.lhe.gz"), &other, &(events_options){.resume = 1}, &error), &error,
                   BG_ERROR_ARGUMENT, "another run");
    remove_file("a.lhe.gz.part");
    remove_file("whole.lhe.gz");
}

/* What identifies an event, and its options, come back from every format. */
static void events_are_found_again(void **state)
{
    (void)state;
    sample s = unweighted;
    s.run.about = "process = u g > u g g\nseed = 7\n";
    for (int k = 0; k < ENDINGS; k++) {
        char name[16];
        bg_error error;
        events_entry entry[4] = {{.place = COUNT}, {.place = 1}, {.place = 777}, {.place = 1}};
        if (!is_built(endings[k])) continue;
        snprintf(name, sizeof name, "a.%s", endings[k]);
        write_file(name, &s, 1);
        char *about = events_read_about(path_of(name), &error);
        if (!about) fail_msg("%s", error.message);
        assert_non_null(strstr(about, s.run.about));
        free(about);
        if (events_read(path_of(name), entry, 4, &error) != BG_OK) fail_msg("%s", error.message);
        for (int i = 0; i < 4; i++) {
            bg_event e = s.event[entry[i].place - 1];
            events_order_beams(&e);
            assert_int_equal(entry[i].number, e.number);
            assert_int_equal(entry[i].process, e.process);
            assert_int_equal(entry[i].legs, e.legs);
            assert_memory_equal(entry[i].pdg, e.pdg, (size_t)e.legs * sizeof *e.pdg);
            assert_memory_equal(entry[i].color, e.color, (size_t)e.legs * sizeof *e.color);
            assert_memory_equal(entry[i].momentum, e.momentum, (size_t)e.legs * sizeof *e.momentum);
        }
        events_entry beyond = {.place = COUNT + 1};
        assert_refused(events_read(path_of(name), &beyond, 1, &error), &error, BG_ERROR_ARGUMENT, "no event 3001");
        remove_file(name);
        assert_null(events_read_about(path_of(name), &error));
        assert_int_equal(error.status, BG_ERROR_IO);
    }
}

static void hdf5_goes_on(void **state)
{
    (void)state;
    if (!is_built("h5")) skip();
    bg_error error;
    events_writer *w;
    leave("a.h5", 1234);
    go_on("a.h5", 1234);
    go_on("a.h5", COUNT); /* a file that is complete already */
    remove_file("a.h5");
    fill_disk("a.h5", 2400000);
    assert_in_range(go_on("a.h5", 0), 600, COUNT - 1);
    remove_file("a.h5");
    leave("a.h5", 10);
    events_run other = unweighted.run;
    other.energy[0] = 7000.;
    assert_refused(events_open(&w, path_of("a.h5"), &other, &(events_options){.resume = 1}, &error), &error,
                   BG_ERROR_ARGUMENT, "another run");
    assert_int_equal(truncate(path_of("a.h5.part"), 1000), 0);
    assert_refused(events_open(&w, path_of("a.h5"), &unweighted.run, &(events_options){.resume = 1}, &error), &error,
                   BG_ERROR_IO, "go on|a.h5.part");
    remove_file("a.h5.part");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_return),
        cmocka_unit_test(text_has_all),
        cmocka_unit_test(beams_are_ordered),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(refusals),
        cmocka_unit_test(full_disk),
        cmocka_unit_test(text_goes_on),
        cmocka_unit_test(hdf5_goes_on),
        cmocka_unit_test(compressed_text_goes_on),
        cmocka_unit_test(events_are_found_again),
    };
    return cmocka_run_group_tests_name("events", tests, set_up, tear_down);
}
