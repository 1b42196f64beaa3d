/* The matrix elements of BlockGen behind the interface of umami.h: a shared library of its own, a client of
 * blockgen/blockgen.h like any other.
 *
 * Answers about the library itself (particles, device) belong to all handles at once: the first handle settles them, and
 * others must agree until the last one is gone. The interface has no place for a message, so reasons go to standard error.
 */
#include "umami.h"
#include "configuration.h"
#include "device.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 1024 }; /* events that are brought into order at a time */

typedef struct instance {
    umami_configuration configuration;
    bg_evaluator *evaluator[UMAMI_MOST_PROCESSES];
    double alpha_s;      /* where an event has none of its own */
    uint64_t next_event; /* numbers of the draws, where colors or helicities are sampled */
    double *momenta;     /* [CHUNK][legs][4] */
    double me2[CHUNK];
    size_t place[CHUNK];
    umami_device device;
} instance;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    int handles; /* that are in use */
    int known, legs, cuda;
    uint64_t handles_ever;
} all;

static UmamiStatus complain(const char *why)
{
    fprintf(stderr, "blockgen_umami: %s\n", why);
    return UMAMI_ERROR;
}

/* ---- about the library ----------------------------------------------------------------------------------------- */

static const bool inputs_supported[UMAMI_INPUTS] = {
    [UMAMI_IN_MOMENTA] = true, [UMAMI_IN_ALPHA_S] = true, [UMAMI_IN_FLAVOR_INDEX] = true};
static const bool inputs_required[UMAMI_INPUTS] = {[UMAMI_IN_MOMENTA] = true};
static const bool outputs_supported[UMAMI_OUTPUTS] = {[UMAMI_OUT_MATRIX_ELEMENT] = true, [UMAMI_OUT_GPU_STREAM] = true};

static UmamiStatus tell(const bool *truths, int number, bool const **answer, int *count)
{
    if (!answer || !count) return UMAMI_ERROR;
    *answer = truths;
    *count = number;
    return UMAMI_SUCCESS;
}

UmamiStatus umami_supported_inputs(bool const **supported, int *count)
{
    return tell(inputs_supported, UMAMI_INPUTS, supported, count);
}

UmamiStatus umami_required_inputs(bool const **required, int *count)
{
    return tell(inputs_required, UMAMI_INPUTS, required, count);
}

UmamiStatus umami_supported_outputs(bool const **supported, int *count)
{
    return tell(outputs_supported, UMAMI_OUTPUTS, supported, count);
}

/* Before the first handle there is only what the environment says. Call with the lock. */
static int find_out(void)
{
    umami_configuration c;
    bg_error error;
    if (all.known) return 1;
    if (!getenv("BLOCKGEN_UMAMI")) return 0;
    if (umami_configuration_read(&c, NULL, &error) != 0) {
        complain(error.message);
        return 0;
    }
    all.known = 1;
    all.legs = c.legs;
    all.cuda = c.cuda;
    umami_configuration_release(&c);
    return 1;
}

UmamiStatus umami_get_meta(UmamiMetaKey key, void *result)
{
    if (!result) return UMAMI_ERROR;
    pthread_mutex_lock(&lock);
    const int known = find_out(), legs = all.legs, cuda = all.cuda;
    pthread_mutex_unlock(&lock);
    if (key == UMAMI_META_DIAGRAM_COUNT || key == UMAMI_META_COLOR_COUNT) return UMAMI_ERROR_UNSUPPORTED_META;
    if (!known) return UMAMI_ERROR_UNINITIALIZED_META;
    switch (key) {
    case UMAMI_META_DEVICE: *(UmamiDevice *)result = cuda ? UMAMI_DEVICE_CUDA : UMAMI_DEVICE_CPU; break;
    case UMAMI_META_PARTICLE_COUNT: *(int *)result = legs; break;
    case UMAMI_META_HELICITY_COUNT: *(int *)result = 1 << legs; break;
    case UMAMI_META_MASSES: memset(result, 0, (size_t)legs * sizeof(double)); break;
    default: return UMAMI_ERROR_UNSUPPORTED_META;
    }
    return UMAMI_SUCCESS;
}

/* ---- handles --------------------------------------------------------------------------------------------------- */

/* A new handle joins those that there are, or settles what they all have in common. Returns 0 where it does not fit. */
static int join(instance *self)
{
    const umami_configuration *c = &self->configuration;
    pthread_mutex_lock(&lock);
    const int fits = !all.handles || (all.legs == c->legs && all.cuda == c->cuda);
    if (fits) {
        all.known = 1;
        all.legs = c->legs;
        all.cuda = c->cuda;
        all.handles++;
        /* Handles of several threads must not draw the same numbers. */
        self->next_event = all.handles_ever++ << 40;
    }
    pthread_mutex_unlock(&lock);
    return fits;
}

static void leave(void)
{
    pthread_mutex_lock(&lock);
    all.handles--;
    pthread_mutex_unlock(&lock);
}

/* Everything of a handle but its membership. */
static void release(instance *self)
{
    for (int k = 0; k < self->configuration.processes; k++) bg_evaluator_destroy(self->evaluator[k]);
#ifdef BG_HAVE_CUDA
    if (self->configuration.cuda) umami_device_destroy(&self->device);
#endif
    umami_configuration_release(&self->configuration);
    free(self->momenta);
    free(self);
}

#ifdef BG_HAVE_CUDA
/* On the device that the caller has made current, unless the file names one. */
static const char *prepare_device(instance *self)
{
    umami_configuration *c = &self->configuration;
    if (c->options.device < 0) c->options.device = umami_device_current();
    return umami_device_create(&self->device, c->options.device < 0 ? 0 : c->options.device, c->legs);
}
#else
static const char *prepare_device(instance *self)
{
    (void)self;
    return "CUDA is not built in";
}
#endif

static const char *prepare(instance *self, bg_error *error)
{
    umami_configuration *c = &self->configuration;
    const char *why = c->cuda ? prepare_device(self) : NULL;
    if (why) return why;
    self->alpha_s = c->options.alpha_s;
    for (int k = 0; k < c->processes; k++)
        if (bg_evaluator_create(&self->evaluator[k], c->process[k], &c->options, error) != BG_OK) return error->message;
    if (!c->cuda) self->momenta = malloc(sizeof(double) * CHUNK * 4 * (size_t)c->legs);
    return c->cuda || self->momenta ? NULL : "not enough memory";
}

UmamiStatus umami_initialize(UmamiHandle *handle, char const *path)
{
    bg_error error = {.status = BG_OK};
    if (!handle) return UMAMI_ERROR;
    *handle = NULL;
    instance *self = calloc(1, sizeof *self);
    if (!self) return complain("not enough memory");
    const char *why =
        umami_configuration_read(&self->configuration, path, &error) == 0 ? prepare(self, &error) : error.message;
    if (!why && !join(self))
        why = "another handle has other legs or another device: use a copy of the library for this one";
    if (why) {
        complain(why);
        release(self);
        return UMAMI_ERROR;
    }
    *handle = self;
    return UMAMI_SUCCESS;
}

UmamiStatus umami_free(UmamiHandle handle)
{
    if (!handle) return UMAMI_SUCCESS;
    release(handle);
    leave();
    return UMAMI_SUCCESS;
}

/* The coupling is the one parameter: of massless QCD there is no other. aS is its name in MadGraph's model. */
static int is_coupling(const char *name) { return name && (!strcmp(name, "alpha_s") || !strcmp(name, "aS")); }

UmamiStatus umami_set_parameter(UmamiHandle handle, char const *name, double real, double imaginary)
{
    instance *self = handle;
    (void)imaginary; /* the interface: ignored where a parameter is real */
    if (!self || !is_coupling(name) || !(real > 0.) || !(real <= 1e3)) return UMAMI_ERROR;
    self->alpha_s = real;
    return UMAMI_SUCCESS;
}

UmamiStatus umami_get_parameter(UmamiHandle handle, char const *name, double *real, double *imaginary)
{
    const instance *self = handle;
    if (!self || !is_coupling(name) || !real) return UMAMI_ERROR;
    *real = self->alpha_s;
    if (imaginary) *imaginary = 0.;
    return UMAMI_SUCCESS;
}

/* ---- matrix elements ------------------------------------------------------------------------------------------------ */

/* A call with its arrays found. */
typedef struct batch {
    size_t count, stride, offset;
    const double *momenta, *alpha_s;
    const int *flavor;
    double *me2;
    void *stream;
    int has_stream;
} batch;

static UmamiStatus find_inputs(batch *b, size_t count, UmamiInputKey const *keys, void const *const *inputs)
{
    for (size_t k = 0; k < count; k++) switch (keys[k]) {
        case UMAMI_IN_MOMENTA: b->momenta = inputs[k]; break;
        case UMAMI_IN_ALPHA_S: b->alpha_s = inputs[k]; break;
        case UMAMI_IN_FLAVOR_INDEX: b->flavor = inputs[k]; break;
        default: return UMAMI_ERROR_UNSUPPORTED_INPUT;
        }
    return b->momenta ? UMAMI_SUCCESS : UMAMI_ERROR_MISSING_INPUT;
}

static UmamiStatus find_outputs(batch *b, int cuda, size_t count, UmamiOutputKey const *keys, void *const *outputs)
{
    for (size_t k = 0; k < count; k++)
        if (keys[k] == UMAMI_OUT_MATRIX_ELEMENT) {
            b->me2 = outputs[k];
        } else if (keys[k] == UMAMI_OUT_GPU_STREAM && cuda) {
            b->stream = outputs[k];
            b->has_stream = 1;
        } else {
            return UMAMI_ERROR_UNSUPPORTED_OUTPUT;
        }
    return UMAMI_SUCCESS;
}

static double power(double base, int exponent)
{
    double result = 1.;
    while (exponent-- > 0) result *= base;
    return result;
}

/* |M|^2 of 2 -> n is proportional to alpha_s^n. */
static double coupling_factor(const instance *self, double alpha_s)
{
    return power(alpha_s / self->configuration.options.alpha_s, self->configuration.legs - 2);
}

/* Events of one process among `count` from `first` on, brought into order; `place` remembers where they were. */
static size_t gather(instance *self, const batch *b, int which, size_t first, size_t count)
{
    const size_t legs = (size_t)self->configuration.legs;
    size_t found = 0;
    for (size_t event = first; event < first + count; event++) {
        if ((b->flavor ? b->flavor[event] : 0) != which) continue;
        double *point = self->momenta + found * legs * 4;
        for (size_t leg = 0; leg < legs; leg++)
            for (size_t component = 0; component < 4; component++)
                point[4 * leg + component] = b->momenta[b->stride * (legs * component + leg) + event];
        self->place[found++] = event;
    }
    return found;
}

static const char *evaluate_chunk(instance *self, const batch *b, size_t first, size_t count, bg_error *error)
{
    for (int which = 0; which < self->configuration.processes; which++) {
        const size_t found = gather(self, b, which, first, count);
        if (!found) continue;
        if (bg_evaluator_evaluate(self->evaluator[which], self->next_event, found, self->momenta, self->me2, NULL,
                                  error) != BG_OK)
            return error->message;
        self->next_event += found;
        for (size_t k = 0; k < found; k++) {
            const size_t event = self->place[k];
            b->me2[event] = self->me2[k] * coupling_factor(self, b->alpha_s ? b->alpha_s[event] : self->alpha_s);
        }
    }
    return NULL;
}

static const char *evaluate_on_host(instance *self, const batch *b, bg_error *error)
{
    const size_t end = b->offset + b->count;
    for (size_t event = b->offset; b->flavor && event < end; event++)
        if (b->flavor[event] < 0 || b->flavor[event] >= self->configuration.processes) {
            snprintf(error->message, sizeof error->message, "flavor index %d of event %zu; it must be 0 to %d",
                     b->flavor[event], event, self->configuration.processes - 1);
            return error->message;
        }
    for (size_t first = b->offset; first < end; first += CHUNK) {
        const char *why = evaluate_chunk(self, b, first, end - first < CHUNK ? end - first : CHUNK, error);
        if (why) return why;
    }
    return NULL;
}

#ifdef BG_HAVE_CUDA
/* The host does not see the flavors of events: every process is computed for all of them, and delivered for its own. */
static const char *queue_chunk(instance *self, const batch *b, size_t first, size_t count, bg_error *error)
{
    umami_delivery how = {.out = b->me2,
                          .alpha_s = b->alpha_s,
                          .flavor = b->flavor,
                          .scale = coupling_factor(self, self->alpha_s),
                          .standard = self->configuration.options.alpha_s,
                          .power = self->configuration.legs - 2,
                          .flavors = self->configuration.processes};
    const int processes = b->flavor ? how.flavors : 1;
    const char *why = umami_device_gather(&self->device, b->stream, b->momenta, b->stride, first, count);
    for (how.which = 0; !why && how.which < processes; how.which++) {
        if (bg_evaluator_evaluate_device(self->evaluator[how.which], self->next_event, count, self->device.momenta,
                                         self->device.me2, b->stream, error) != BG_OK)
            return error->message;
        self->next_event += count;
        why = umami_device_deliver(&self->device, b->stream, &how, first, count);
    }
    return why;
}

static const char *evaluate_on_device(instance *self, const batch *b, bg_error *error)
{
    const size_t end = b->offset + b->count, room = UMAMI_DEVICE_ROOM;
    int before;
    const char *why = umami_device_begin(&self->device, b->stream, &before);
    if (why) return why;
    for (size_t first = b->offset; !why && first < end; first += room)
        why = queue_chunk(self, b, first, end - first < room ? end - first : room, error);
    const char *end_why = umami_device_end(&self->device, b->stream, !b->has_stream, before);
    return why ? why : end_why;
}
#else
static const char *evaluate_on_device(instance *self, const batch *b, bg_error *error)
{
    (void)self, (void)b, (void)error;
    return "CUDA is not built in";
}
#endif

UmamiStatus umami_matrix_element(UmamiHandle handle, size_t count, size_t stride, size_t offset, size_t input_count,
                                 UmamiInputKey const *input_keys, void const *const *inputs, size_t output_count,
                                 UmamiOutputKey const *output_keys, void *const *outputs)
{
    instance *self = handle;
    bg_error error = {.status = BG_OK};
    batch b = {.count = count, .stride = stride, .offset = offset};
    if (!self || (input_count && (!input_keys || !inputs)) || (output_count && (!output_keys || !outputs)))
        return UMAMI_ERROR;
    if (offset > stride || count > stride - offset)
        return complain("the events do not fit into the stride: offset + count must be at most stride");
    UmamiStatus status = find_inputs(&b, input_count, input_keys, inputs);
    if (status == UMAMI_SUCCESS)
        status = find_outputs(&b, self->configuration.cuda, output_count, output_keys, outputs);
    if (status != UMAMI_SUCCESS || !b.me2 || !count) return status;
    const char *why =
        self->configuration.cuda ? evaluate_on_device(self, &b, &error) : evaluate_on_host(self, &b, &error);
    return why ? complain(why) : UMAMI_SUCCESS;
}
