/* sched_getaffinity and its sets */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier) */
#include "machine.h"
#include "backends.h"
#include "console.h"

#include <sched.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

/* ---- what it is ---------------------------------------------------------------------------------------- */

/* The first line of /proc/cpuinfo that names the processor. */
static void name_cpu(char *name, size_t size)
{
    static const char *const keys[] = {"model name", "Model", "cpu model"};
    char line[256];
    FILE *f = fopen("/proc/cpuinfo", "r");
    snprintf(name, size, "unknown");
    while (f && fgets(line, sizeof line, f)) {
        const char *colon = strchr(line, ':');
        for (int k = 0; colon && k < 3; k++)
            if (!strncmp(line, keys[k], strlen(keys[k]))) {
                const char *value = colon + 1 + strspn(colon + 1, " \t");
                snprintf(name, size, "%.*s", (int)strcspn(value, "\n"), value);
                fclose(f);
                return;
            }
    }
    if (f) fclose(f);
}

/* Cores that this process may use, and will: without OpenMP there is one thread. */
static int count_cores(void)
{
    if (bg_built_with("openmp") < 1) return 1;
    int cores = (int)sysconf(_SC_NPROCESSORS_ONLN);
#ifdef __linux__
    cpu_set_t allowed;
    if (!sched_getaffinity(0, sizeof allowed, &allowed)) cores = CPU_COUNT(&allowed);
#endif
    return cores > 0 ? cores : 1;
}

void machine_describe(machine *m)
{
    struct utsname u;
    char description[BG_NOTE_LENGTH];
    const char *host = backend_that_can(BG_CAN_CHOOSE_INSTRUCTIONS);
    memset(m, 0, sizeof *m);
    name_cpu(m->cpu, sizeof m->cpu);
    if (host && bg_backend_probe(host, description, sizeof description, NULL) == BG_OK)
        snprintf(m->simd, sizeof m->simd, "%.*s", (int)strcspn(description, ","), description);
    if (!uname(&u)) snprintf(m->system, sizeof m->system, "%.40s %.60s %.40s", u.sysname, u.release, u.machine);
    m->compiler = COMPILER;
    m->cores = count_cores();
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    if (pages > 0 && page > 0) m->bytes = (size_t)pages * (size_t)page;
}

/* ---- what it can do -------------------------------------------------------------------------------------- */

static int number_of(const char *backend)
{
    for (int k = 0; k < MACHINE_BACKENDS && bg_backend_name(k); k++)
        if (!strcmp(bg_backend_name(k), backend)) return k;
    return MACHINE_BACKENDS;
}

const bg_roofline *machine_roofline(const machine *m, const char *backend) { return &m->roofline[number_of(backend)]; }

bg_status machine_measure(machine *m, const char *backend, int device, double seconds, bg_error *error)
{
    return bg_backend_roofline(backend, device, seconds, cli_wants_to_stop, NULL, &m->roofline[number_of(backend)],
                               error);
}

/* ---- as JSON ------------------------------------------------------------------------------------------------ */

static void measured(json *j, const char *key, double x)
{
    if (x > 0.)
        json_real(j, key, x);
    else
        json_null(j, key);
}

void machine_json(const machine *m, json *j, const char *key)
{
    json_open(j, key, '{');
    json_text(j, "cpu", m->cpu);
    json_text(j, "simd", m->simd);
    json_integer(j, "cores", m->cores);
    json_unsigned(j, "memory_bytes", m->bytes);
    json_text(j, "system", m->system);
    json_text(j, "compiler", m->compiler);
    json_open(j, "backends", '[');
    for (int k = 0; bg_backend_name(k); k++) {
        char description[BG_NOTE_LENGTH];
        if (bg_backend_probe(bg_backend_name(k), description, sizeof description, NULL) != BG_OK) continue;
        json_open(j, NULL, '{');
        json_text(j, "name", bg_backend_name(k));
        json_text(j, "description", description);
        const bg_roofline *r = machine_roofline(m, bg_backend_name(k));
        measured(j, "fp64_gflops", r->gflops[1]);
        measured(j, "fp64_tensor_gflops", r->tensor_gflops);
        measured(j, "bandwidth_gbs", r->gigabytes[1]);
        json_close(j);
    }
    json_close(j);
    const bg_roofline *cpu = machine_roofline(m, backend_of_host());
    measured(j, "fp64_gflops_one_thread", cpu->gflops[0]);
    measured(j, "fp64_gflops_all_threads", cpu->gflops[1]);
    measured(j, "bandwidth_gbs_one_thread", cpu->gigabytes[0]);
    measured(j, "bandwidth_gbs_all_threads", cpu->gigabytes[1]);
    json_close(j);
}
