/* Loads a library of UMAMI as MadSpace does, with dlopen(), and asks it for the points of a file:
 *
 *     umami_load LIBRARY PATH POINTS [flavors] [alpha_s=X] [parameter=X] [other=PATH] [stream]
 *
 * Points are lines of E px py pz of every leg. They are handed over in two calls, in arrays that are longer than they are, so
 * that stride and offset are seen to matter; what lies outside must stay untouched. Every value is printed on a line.
 * `flavors`: event i has the flavor index i modulo 2. `other`: a process with other legs, which must be refused as long as
 * there is a handle. `stream`: arrays on a device, on a stream of our own. Before all that it tries what must be refused. Exit status 1 and a message where the library does not do as it should, 77 without a device.
 */
#include "umami.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef BG_HAVE_CUDA
#include <cuda_runtime.h>
#endif

enum { BEFORE = 3, AFTER = 5, MOST_LEGS = 14 };
#define UNTOUCHED (-12345.)

static struct {
    UmamiStatus (*get_meta)(UmamiMetaKey, void *);
    UmamiStatus (*supported_inputs)(bool const **, int *);
    UmamiStatus (*initialize)(UmamiHandle *, char const *);
    UmamiStatus (*set_parameter)(UmamiHandle, char const *, double, double);
    UmamiStatus (*get_parameter)(UmamiHandle, char const *, double *, double *);
    UmamiStatus (*matrix_element)(UmamiHandle, size_t, size_t, size_t, size_t, UmamiInputKey const *,
                                  void const *const *, size_t, UmamiOutputKey const *, void *const *);
    UmamiStatus (*release)(UmamiHandle);
} umami;

static void stop(const char *what)
{
    fprintf(stderr, "umami_load: %s\n", what);
    exit(1);
}

static void must(int holds, const char *what)
{
    if (!holds) stop(what);
}

static void load(void *library, const char *name, void *function)
{
    void *symbol = dlsym(library, name);
    if (!symbol) stop(name);
    memcpy(function, &symbol, sizeof symbol);
}

static void load_all(const char *path)
{
    void *library = dlopen(path, RTLD_NOW);
    if (!library) stop(dlerror());
    load(library, "umami_get_meta", &umami.get_meta);
    load(library, "umami_supported_inputs", &umami.supported_inputs);
    load(library, "umami_initialize", &umami.initialize);
    load(library, "umami_set_parameter", &umami.set_parameter);
    load(library, "umami_get_parameter", &umami.get_parameter);
    load(library, "umami_matrix_element", &umami.matrix_element);
    load(library, "umami_free", &umami.release);
}

/* ---- arrays, here or on a device ---------------------------------------------------------------------------------- */

static int on_device;
#ifdef BG_HAVE_CUDA
static cudaStream_t stream;

static void check_cuda(cudaError_t code)
{
    if (code != cudaSuccess) stop(cudaGetErrorString(code));
}
#endif

/* A copy of a host's array where the library wants it. */
static void *place(const void *data, size_t bytes)
{
    void *copy;
#ifdef BG_HAVE_CUDA
    if (on_device) {
        check_cuda(cudaMalloc(&copy, bytes));
        check_cuda(cudaMemcpy(copy, data, bytes, cudaMemcpyHostToDevice));
        return copy;
    }
#endif
    copy = malloc(bytes);
    if (!copy) stop("not enough memory");
    memcpy(copy, data, bytes);
    return copy;
}

static void fetch(void *data, void *copy, size_t bytes)
{
#ifdef BG_HAVE_CUDA
    if (on_device) {
        check_cuda(cudaMemcpyAsync(data, copy, bytes, cudaMemcpyDeviceToHost, stream));
        check_cuda(cudaStreamSynchronize(stream));
        check_cuda(cudaFree(copy));
        return;
    }
#endif
    memcpy(data, copy, bytes);
    free(copy);
}

/* ---- points -------------------------------------------------------------------------------------------------------- */

/* Momenta in the order of the interface, `stride` events of which those from BEFORE on are of the file. */
static double *read_points(const char *path, int legs, size_t *count, size_t *stride)
{
    char line[4096];
    double *points = NULL;
    size_t numbers = 0;
    FILE *file = fopen(path, "r");
    if (!file) stop("cannot read the points");
    while (fgets(line, sizeof line, file)) {
        char *text = line;
        if (line[0] == '#') continue;
        points = realloc(points, (numbers + 4 * MOST_LEGS) * sizeof *points);
        if (!points) stop("not enough memory");
        for (int k = 0; k < 4 * legs; k++) points[numbers++] = strtod(text, &text);
    }
    fclose(file);
    *count = numbers / (4 * (size_t)legs);
    *stride = BEFORE + *count + AFTER;
    double *momenta = calloc(4 * (size_t)legs * *stride, sizeof *momenta);
    if (!momenta) stop("not enough memory");
    for (size_t event = 0; event < *count; event++)
        for (size_t leg = 0; leg < (size_t)legs; leg++)
            for (size_t c = 0; c < 4; c++)
                momenta[*stride * ((size_t)legs * c + leg) + BEFORE + event] =
                    points[4 * ((size_t)legs * event + leg) + c];
    free(points);
    return momenta;
}

/* ---- what must be refused --------------------------------------------------------------------------------------------- */

static void try_refusals(UmamiHandle handle, void *momenta, size_t stride)
{
    const UmamiInputKey in[] = {UMAMI_IN_MOMENTA, UMAMI_IN_RANDOM_COLOR};
    const UmamiOutputKey out[] = {UMAMI_OUT_MATRIX_ELEMENT, UMAMI_OUT_COLOR_INDEX};
    const void *inputs[] = {momenta, momenta};
    double one = 0.;
    void *outputs[] = {&one, &one};
    const bool *supported;
    int number;
    UmamiHandle none;
    must(umami.supported_inputs(&supported, &number) == UMAMI_SUCCESS && number > UMAMI_IN_RANDOM_COLOR &&
             supported[UMAMI_IN_MOMENTA] && !supported[UMAMI_IN_RANDOM_COLOR],
         "supported inputs");
    must(umami.matrix_element(handle, 1, stride, 0, 2, in, inputs, 1, out, outputs) == UMAMI_ERROR_UNSUPPORTED_INPUT,
         "an input that is not supported");
    must(umami.matrix_element(handle, 1, stride, 0, 1, in, inputs, 2, out, outputs) == UMAMI_ERROR_UNSUPPORTED_OUTPUT,
         "an output that is not supported");
    must(umami.matrix_element(handle, 1, stride, 0, 0, in, inputs, 1, out, outputs) == UMAMI_ERROR_MISSING_INPUT,
         "missing momenta");
    must(umami.matrix_element(handle, 2, stride, stride - 1, 1, in, inputs, 1, out, outputs) == UMAMI_ERROR,
         "more events than the stride has");
    must(umami.matrix_element(NULL, 1, stride, 0, 1, in, inputs, 1, out, outputs) == UMAMI_ERROR, "no handle");
    must(umami.get_meta(UMAMI_META_DIAGRAM_COUNT, &number) == UMAMI_ERROR_UNSUPPORTED_META, "number of diagrams");
    must(umami.set_parameter(handle, "mdl_MT", 173., 0.) == UMAMI_ERROR, "a parameter that there is not");
    must(getenv("BLOCKGEN_UMAMI") || umami.initialize(&none, "/nowhere") == UMAMI_ERROR, "a file that is not there");
    must(umami.release(NULL) == UMAMI_SUCCESS, "nothing to free");
}

/* ---- the call --------------------------------------------------------------------------------------------------------------- */

typedef struct request {
    int flavors;
    double alpha_s, parameter;
    const char *other;
} request;

/* Several handles at a time: of the same process they go together, of one with other legs only when they are gone. */
static void try_handles(const char *path, const char *other)
{
    UmamiHandle first, second, third;
    must(umami.initialize(&first, path) == UMAMI_SUCCESS && umami.initialize(&second, path) == UMAMI_SUCCESS,
         "two handles");
    if (other) must(umami.initialize(&third, other) == UMAMI_ERROR && !third, "other legs beside them");
    must(umami.release(first) == UMAMI_SUCCESS && umami.release(second) == UMAMI_SUCCESS, "free both");
    if (!other) return;
    must(umami.initialize(&third, other) == UMAMI_SUCCESS, "other legs when they are gone");
    must(umami.release(third) == UMAMI_SUCCESS, "free the third");
}

static void evaluate(UmamiHandle handle, const request *asked, const double *momenta, int legs, size_t count,
                     size_t stride, double *me2)
{
    double *alpha_s = malloc(stride * sizeof *alpha_s);
    int *flavor = malloc(stride * sizeof *flavor);
    if (!alpha_s || !flavor) stop("not enough memory");
    for (size_t k = 0; k < stride; k++) {
        alpha_s[k] = asked->alpha_s;
        flavor[k] = k < BEFORE ? -1 : (int)(k - BEFORE) % 2;
        me2[k] = UNTOUCHED;
    }
    size_t number = 1, results = 1;
    UmamiInputKey in[3] = {UMAMI_IN_MOMENTA};
    void *arrays[3] = {place(momenta, 4 * (size_t)legs * stride * sizeof *momenta)};
    if (asked->alpha_s > 0.) {
        in[number] = UMAMI_IN_ALPHA_S;
        arrays[number++] = place(alpha_s, stride * sizeof *alpha_s);
    }
    if (asked->flavors) {
        in[number] = UMAMI_IN_FLAVOR_INDEX;
        arrays[number++] = place(flavor, stride * sizeof *flavor);
    }
    UmamiOutputKey out[2] = {UMAMI_OUT_MATRIX_ELEMENT};
    void *outputs[2] = {place(me2, stride * sizeof *me2)};
#ifdef BG_HAVE_CUDA
    if (on_device) {
        out[results] = UMAMI_OUT_GPU_STREAM;
        outputs[results++] = stream;
    }
#endif
    const void *inputs[3] = {arrays[0], arrays[1], arrays[2]};
    const size_t half = count / 2;
    must(umami.matrix_element(handle, half, stride, BEFORE, number, in, inputs, results, out, outputs) == UMAMI_SUCCESS,
         "the first half");
    must(umami.matrix_element(handle, count - half, stride, BEFORE + half, number, in, inputs, results, out, outputs) ==
             UMAMI_SUCCESS,
         "the second half");
    fetch(me2, outputs[0], stride * sizeof *me2);
    fetch(alpha_s, arrays[0], 0);
    for (size_t k = 1; k < number; k++) fetch(alpha_s, arrays[k], 0);
    free(alpha_s);
    free(flavor);
}

/* Sets up the device; 77 where there is none. */
static void start_device(void)
{
#ifdef BG_HAVE_CUDA
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) exit(77);
    check_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    on_device = 1;
#else
    exit(77);
#endif
}

static void check_meta(int *legs)
{
    double masses[MOST_LEGS];
    UmamiDevice device;
    int helicities;
    must(umami.get_meta(UMAMI_META_PARTICLE_COUNT, legs) == UMAMI_SUCCESS && *legs >= 4 && *legs <= MOST_LEGS, "legs");
    must(umami.get_meta(UMAMI_META_DEVICE, &device) == UMAMI_SUCCESS &&
             device == (on_device ? UMAMI_DEVICE_CUDA : UMAMI_DEVICE_CPU),
         "device");
    must(umami.get_meta(UMAMI_META_HELICITY_COUNT, &helicities) == UMAMI_SUCCESS && helicities == 1 << *legs,
         "helicities");
    must(umami.get_meta(UMAMI_META_MASSES, masses) == UMAMI_SUCCESS && !(fabs(masses[*legs - 1]) > 0.), "masses");
}

int main(int argc, char **argv)
{
    request asked = {0};
    UmamiHandle handle = NULL;
    double read = 0.;
    int legs;
    if (argc < 4)
        stop("usage: umami_load LIBRARY PATH POINTS [flavors] [alpha_s=X] [parameter=X] [other=PATH] [stream]");
    for (int k = 4; k < argc; k++) {
        if (!strcmp(argv[k], "flavors")) asked.flavors = 1;
        if (!strncmp(argv[k], "alpha_s=", 8)) asked.alpha_s = atof(argv[k] + 8);
        if (!strncmp(argv[k], "parameter=", 10)) asked.parameter = atof(argv[k] + 10);
        if (!strncmp(argv[k], "other=", 6)) asked.other = argv[k] + 6;
        if (!strcmp(argv[k], "stream")) start_device();
    }
    load_all(argv[1]);
    must(umami.get_meta(UMAMI_META_PARTICLE_COUNT, &legs) ==
             (getenv("BLOCKGEN_UMAMI") ? UMAMI_SUCCESS : UMAMI_ERROR_UNINITIALIZED_META),
         "what is known before the first handle");
    try_handles(argv[2], asked.other);
    must(umami.initialize(&handle, argv[2]) == UMAMI_SUCCESS, "initialize");
    check_meta(&legs);
    if (asked.parameter > 0.) {
        must(umami.set_parameter(handle, "alpha_s", asked.parameter, 0.) == UMAMI_SUCCESS, "set the coupling");
        must(umami.get_parameter(handle, "aS", &read, NULL) == UMAMI_SUCCESS && !(fabs(read - asked.parameter) > 0.),
             "get the coupling");
    }
    size_t count, stride;
    double *momenta = read_points(argv[3], legs, &count, &stride);
    double *me2 = malloc(stride * sizeof *me2);
    if (!me2) stop("not enough memory");
    try_refusals(handle, momenta, stride);
    evaluate(handle, &asked, momenta, legs, count, stride, me2);
    for (size_t k = 0; k < stride; k++) {
        if (k >= BEFORE && k < BEFORE + count)
            printf("%.17g\n", me2[k]);
        else
            must(!(fabs(me2[k] - UNTOUCHED) > 0.), "what lies outside is untouched");
    }
    must(umami.release(handle) == UMAMI_SUCCESS, "free");
    free(momenta);
    free(me2);
    return 0;
}
