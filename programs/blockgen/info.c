/* blockgen info: what this program is and what it finds here. */
#include "commands.h"
#include "json.h"
#include "options.h"

#include <stdio.h>

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER "unknown"
#endif

/* Optional parts, from the definitions that the build passes to library and program. */
static const struct {
    const char *name;
    int present;
    const char *how; /* to get it */
} parts[] = {
#ifdef BG_HAVE_OPENMP
    {"OpenMP", 1, NULL},
#else
    {"OpenMP", 0, "a compiler with OpenMP (clang: libomp-dev)"},
#endif
#ifdef BG_HAVE_QUAD
    {"128-bit floats", 1, NULL},
#else
    {"128-bit floats", 0, "a compiler with __float128"},
#endif
#ifdef BG_HAVE_CUDA
    {"CUDA", 1, NULL},
#else
    {"CUDA", 0, "the CUDA toolkit (nvcc) at configure time"},
#endif
#ifdef BG_HAVE_MPI
    {"MPI", 1, NULL},
#else
    {"MPI", 0, "an MPI library (libopenmpi-dev) at configure time"},
#endif
#ifdef BG_HAVE_HDF5
    {"HDF5", 1, NULL},
#else
    {"HDF5", 0, "libhdf5-dev at configure time"},
#endif
#ifdef BG_HAVE_ZLIB
    {"zlib", 1, NULL},
#else
    {"zlib", 0, "zlib1g-dev at configure time"},
#endif
};
enum { PARTS = sizeof parts / sizeof *parts };

/* Ranges of n_out. */
static const struct {
    const char *name;
    int most;
    const char *what;
} limits[] = {
    {"summed", BG_MAX_OUT_SUMMED, "colors summed, fast kernel"},
    {"ordered", BG_MAX_OUT_ORDERED, "everything else with the ordered recursion"},
    {"dressed", BG_MAX_OUT_DRESSED, "dressed recursion"},
};
enum { LIMITS = sizeof limits / sizeof *limits };

static int default_threads(void)
{
    bg_process *process = NULL;
    bg_evaluator *evaluator = NULL;
    bg_options options;
    int threads = 1;
    bg_options_init(&options);
    snprintf(options.backend, sizeof options.backend, "cpu");
    if (bg_process_create_gluons(&process, BG_MIN_OUT, NULL) == BG_OK &&
        bg_evaluator_create(&evaluator, process, &options, NULL) == BG_OK)
        threads = bg_evaluator_threads(evaluator);
    bg_evaluator_destroy(evaluator);
    bg_process_destroy(process);
    return threads;
}

static void as_text(void)
{
    char description[128];
    bg_error error;
    printf("blockgen %s\n", bg_version());
    printf("compiler        %s\n", COMPILER);
    printf("threads         %d\n", default_threads());
    printf("\nbackends\n");
    for (int k = 0; bg_backend_name(k); k++) {
        const int there = bg_backend_probe(bg_backend_name(k), description, sizeof description, &error) == BG_OK;
        printf("  %-14s%s%s\n", bg_backend_name(k),
               there ? "" : "not usable here: ", there ? description : error.message);
    }
    printf("\nn_out\n");
    for (int k = 0; k < LIMITS; k++)
        printf("  %-14s%d to %-4d(%s)\n", limits[k].name, BG_MIN_OUT, limits[k].most, limits[k].what);
    printf("\nbuilt in\n");
    for (int k = 0; k < PARTS; k++)
        printf("  %-16s%s%s\n", parts[k].name, parts[k].present ? "yes" : "no; needs ",
               parts[k].present ? "" : parts[k].how);
}

static void as_json(void)
{
    char description[128];
    json j = json_start(stdout);
    json_open(&j, NULL, '{');
    json_text(&j, "version", bg_version());
    json_text(&j, "compiler", COMPILER);
    json_integer(&j, "threads", default_threads());
    json_open(&j, "backends", '[');
    for (int k = 0; bg_backend_name(k); k++) {
        bg_error error;
        const int there = bg_backend_probe(bg_backend_name(k), description, sizeof description, &error) == BG_OK;
        json_open(&j, NULL, '{');
        json_text(&j, "name", bg_backend_name(k));
        json_bool(&j, "usable", there);
        json_text(&j, "description", there ? description : error.message);
        json_close(&j);
    }
    json_close(&j);
    json_open(&j, "n_out", '{');
    for (int k = 0; k < LIMITS; k++) {
        json_open(&j, limits[k].name, '[');
        json_integer(&j, NULL, BG_MIN_OUT);
        json_integer(&j, NULL, limits[k].most);
        json_close(&j);
    }
    json_close(&j);
    json_open(&j, "built_in", '{');
    for (int k = 0; k < PARTS; k++) json_bool(&j, parts[k].name, parts[k].present);
    json_close(&j);
    json_close(&j);
}

int command_info(int argc, char **argv)
{
    static const cli_command command = {.name = "info",
                                        .summary = "Version, hardware in use, limits, and what was built in."};
    cli_common common;
    int status;
    if (cli_parse(&command, argc, argv, &common, &status)) return status;
    (common.json ? as_json : as_text)();
    return CLI_DONE;
}
