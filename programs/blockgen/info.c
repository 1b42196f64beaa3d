/* blockgen info: what this program is and what it finds here. */
#include "backends.h"
#include "commands.h"
#include "json.h"
#include "options.h"

#include <stdio.h>
#include <string.h>

#ifdef BG_HAVE_MPI
#include <mpi.h>
#endif
#ifdef BG_HAVE_ZLIB
#include <zlib.h>
#endif
#ifdef BG_HAVE_HDF5
#include <hdf5.h>
#endif

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER "unknown"
#endif

/* Optional parts. What the library has, it says itself; the rest are parts of the program, with the version that is
 * linked. */
typedef struct version {
    char text[64];
} version;

#ifdef BG_HAVE_MPI
static version version_of_mpi(void)
{
    char name[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    version v;
    int length;
    (void)MPI_Get_library_version(name, &length); /* may be called before MPI_Init() */
    name[strcspn(name, ",\n")] = '\0';            /* what follows is where and when it was built */
    snprintf(v.text, sizeof v.text, "%.60s", name);
    return v;
}
#endif

#ifdef BG_HAVE_ZLIB
static version version_of_zlib(void)
{
    version v;
    snprintf(v.text, sizeof v.text, "%.60s", zlibVersion());
    return v;
}
#endif

#ifdef BG_HAVE_HDF5
static version version_of_hdf5(void)
{
    version v = {""};
    unsigned major, minor, release;
    if (H5get_libversion(&major, &minor, &release) >= 0)
        snprintf(v.text, sizeof v.text, "%u.%u.%u", major, minor, release);
    return v;
}
#endif

static const struct {
    const char *name;
    const char *part; /* of the library, or NULL: */
    version (*linked)(void);
    const char *how; /* to get it */
} parts[] = {
    {.name = "OpenMP", .part = "openmp", .how = "a compiler with OpenMP (clang: libomp-dev)"},
    {.name = "128-bit floats", .part = "quad", .how = "a compiler with __float128"},
    {.name = "CUDA", .part = "cuda", .how = "the CUDA toolkit (nvcc) at configure time"},
#ifdef BG_HAVE_MPI
    {.name = "MPI", .linked = version_of_mpi},
#else
    {.name = "MPI", .how = "an MPI library (libopenmpi-dev) at configure time"},
#endif
#ifdef BG_HAVE_ZLIB
    {.name = "zlib", .linked = version_of_zlib},
#else
    {.name = "zlib", .how = "zlib (zlib1g-dev) at configure time"},
#endif
#ifdef BG_HAVE_HDF5
    {.name = "HDF5", .linked = version_of_hdf5},
#else
    {.name = "HDF5", .how = "HDF5 (libhdf5-dev) at configure time"},
#endif
#ifdef BG_HAVE_PARALLEL_HDF5
    {.name = "parallel HDF5", .linked = version_of_hdf5},
#else
    {.name = "parallel HDF5", .how = "MPI, and an HDF5 for it (libhdf5-openmpi-dev) at configure time"},
#endif
};
enum { PARTS = sizeof parts / sizeof *parts };

static int is_present(int k) { return parts[k].part ? bg_built_with(parts[k].part) > 0 : parts[k].linked != NULL; }

static version version_of(int k)
{
    const version none = {""};
    return parts[k].linked ? parts[k].linked() : none;
}

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

/* Threads of a run that does not say how many. */
static int default_threads(void)
{
    bg_backend_info host;
    bg_backend_info_init(&host);
    return bg_backend_describe(backend_of_host(), &host, NULL) == BG_OK ? host.threads : 1;
}

static void as_text(void)
{
    char description[BG_NOTE_LENGTH];
    bg_error error;
    printf("blockgen %s\n", bg_version_string());
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
    for (int k = 0; k < PARTS; k++) {
        const version v = version_of(k);
        printf("  %-16s%s%s%s\n", parts[k].name, is_present(k) ? "yes" : "no; needs ", v.text[0] ? ", " : "",
               is_present(k) ? v.text : parts[k].how);
    }
}

static void as_json(void)
{
    char description[BG_NOTE_LENGTH];
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
    for (int k = 0; k < PARTS; k++) json_bool(&j, parts[k].name, is_present(k));
    json_close(&j);
    json_open(&j, "versions", '{');
    for (int k = 0; k < PARTS; k++)
        if (parts[k].linked) json_text(&j, parts[k].name, version_of(k).text);
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
