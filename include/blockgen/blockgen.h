/* BlockGen: tree-level scattering g g -> n gluons with full color.
 *
 * The library works as FFTW does: describe the question once (a process and options), let
 * bg_evaluator_create() choose kernels, build tables and allocate, then evaluate batches of
 * phase-space points as often as you like.
 *
 *     bg_error error;
 *     bg_process *process;
 *     bg_evaluator *evaluator;
 *     bg_options options;
 *     bg_options_init(&options);
 *     if (bg_process_create_gluons(&process, 4, &error) != BG_OK ||
 *         bg_evaluator_create(&evaluator, process, &options, &error) != BG_OK)
 *         fprintf(stderr, "%s\n", error.message);
 *     bg_evaluator_evaluate(evaluator, 0, count, momenta, me2, NULL, &error);
 *
 * Conventions. Momenta are (E, px, py, pz) in GeV, metric (+,-,-,-), physical energies, the two
 * incoming gluons first. The result is |M|^2 summed over helicities and colors, averaged over the
 * incoming ones and divided by n_out!, in GeV^(4 - 2 n_out).
 *
 * Errors. Every call that can fail returns a bg_status and, when `error` is not NULL, leaves a
 * message there that names the wrong value and the valid range. The library never prints and
 * never exits.
 *
 * Threads. There is no global mutable state. Different objects may be used from different threads
 * at the same time; one evaluator by one thread at a time. A process is immutable once created.
 */
#ifndef BLOCKGEN_H
#define BLOCKGEN_H

#include <stddef.h>
#include <stdint.h>

#define BG_VERSION_MAJOR 0
#define BG_VERSION_MINOR 1
#define BG_VERSION_PATCH 0

#if defined(__GNUC__)
#define BG_API __attribute__((visibility("default")))
#else
#define BG_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- status ------------------------------------------------------------------------------- */

typedef enum bg_status {
    BG_OK = 0,
    BG_ERROR_ARGUMENT = 1,    /* an argument or option has a value outside its range */
    BG_ERROR_UNSUPPORTED = 2, /* each value is fine, the combination makes no sense or is not built in */
    BG_ERROR_POINT = 3,       /* a phase-space point is not physical */
    BG_ERROR_MEMORY = 4,      /* not enough memory */
    BG_ERROR_DEVICE = 5,      /* no device, or the device failed */
    BG_ERROR_IO = 6           /* a file could not be read or written */
} bg_status;

#define BG_MESSAGE_LENGTH 512

/* What went wrong, filled by the call that failed; `message` is a sentence without newline. */
typedef struct bg_error {
    bg_status status;
    char message[BG_MESSAGE_LENGTH];
} bg_error;

/* A short name of a status, such as "bad argument". Never NULL. */
BG_API const char *bg_status_string(bg_status status);

/* "MAJOR.MINOR.PATCH" of the library that is linked. */
BG_API const char *bg_version(void);

/* ---- process ------------------------------------------------------------------------------ */

#define BG_PDG_GLUON 21
#define BG_MIN_OUT 2
#define BG_MAX_OUT_ORDERED 8  /* largest n_out of color-ordered amplitudes */
#define BG_MAX_OUT_SUMMED 10  /* ... and of exact color sums with the fast kernel */
#define BG_MAX_OUT_DRESSED 12 /* largest n_out of color-dressed amplitudes */

typedef struct bg_process bg_process;

/* A process from PDG ids: `n_in` incoming (must be 2) followed by `n_out` outgoing ones. Only 21
 * (gluon) is accepted. On success *process is to be released by bg_process_destroy(). */
BG_API bg_status bg_process_create(bg_process **process, int n_in, int n_out, const int *pdg, bg_error *error);

/* Shorthand: g g -> n_out gluons. */
BG_API bg_status bg_process_create_gluons(bg_process **process, int n_out, bg_error *error);

BG_API int bg_process_n_out(const bg_process *process);

/* Accepts NULL. Evaluators keep what they need: a process may go before they do. */
BG_API void bg_process_destroy(bg_process *process);

/* ---- options: the axes of an algorithm ------------------------------------------------------ */

typedef enum bg_color {
    BG_COLOR_SUMMED = 0, /* exact sum over all colors */
    BG_COLOR_SAMPLED,    /* one random color assignment a draw */
    BG_COLOR_LEADING,    /* leading term in 1/N_c */
    BG_COLOR_AUTO        /* summed or sampled, whatever answers the question fastest */
} bg_color;

typedef enum bg_recursion {
    BG_RECURSION_ORDERED = 0, /* color-ordered currents */
    BG_RECURSION_DRESSED,     /* color-dressed currents (needs sampled colors) */
    BG_RECURSION_AUTO         /* what goes with the colors */
} bg_recursion;

typedef enum bg_helicity {
    BG_HELICITY_SUMMED = 0, /* sum over all 2^n configurations */
    BG_HELICITY_SAMPLED,    /* one random polarisation of each gluon a draw */
    BG_HELICITY_FIXED,      /* the configuration in options.helicities */
    BG_HELICITY_AUTO        /* summed or sampled; the sampling is chosen with it */
} bg_helicity;

/* How sampled helicities are drawn. All of them average to the sum. */
typedef enum bg_helicity_sampling {
    BG_SAMPLE_ANGLE = 0, /* e(phi) = cos(phi) e1 + sin(phi) e2 */
    BG_SAMPLE_PHASE,     /* e^{i phi} eps+ + e^{-i phi} eps- */
    BG_SAMPLE_LINEAR,    /* e1 or e2 */
    BG_SAMPLE_CIRCULAR,  /* helicity + or - */
    BG_SAMPLE_ADAPTIVE,  /* whole configurations, probabilities learned (integration only) */
    BG_SAMPLE_INVARIANTS /* pairs of equal helicity by two-particle invariants (integration only) */
} bg_helicity_sampling;

/* How sampled colors of the dressed recursion are drawn (the ordered one has discrete colors). */
typedef enum bg_color_sampling {
    BG_SAMPLE_AUTOMATIC = 0, /* what the kernel is made for: coherent (fast), continuous (paper) */
    BG_SAMPLE_CONTINUOUS,    /* two real unit vectors a gluon */
    BG_SAMPLE_DISCRETE,      /* color-flow indices 1, 2, 3, each event its own */
    BG_SAMPLE_COHERENT       /* color-flow indices shared by groups of options.color_group events; fast kernel */
} bg_color_sampling;

typedef enum bg_kernel {
    BG_KERNEL_FAST = 0, /* the fastest that is known for the question */
    BG_KERNEL_PAPER     /* the published algorithm, kept as the yardstick */
} bg_kernel;

/* How the paper's ordered recursion treats the four-gluon vertex. */
typedef enum bg_vertex {
    BG_VERTEX_QUARTIC = 0, /* explicit four-gluon vertex, O(n^4) */
    BG_VERTEX_TENSOR       /* auxiliary antisymmetric tensor, O(n^3) */
} bg_vertex;

/* Basis of the exact color sum. The trace basis is a cross-check, for n_out <= 4. */
typedef enum bg_decomposition { BG_DECOMPOSITION_ADJOINT = 0, BG_DECOMPOSITION_TRACE } bg_decomposition;

/* Leading color: all (n-1)! orderings, or one random ordering a draw with weight (n-1)!. */
typedef enum bg_orderings { BG_ORDERINGS_ALL = 0, BG_ORDERINGS_ONE } bg_orderings;

/* How the work of one event is laid out: one lane (SIMD lane, GPU thread) an event, or several
 * lanes cooperating on the currents of one event (leading color only). */
typedef enum bg_layout { BG_LAYOUT_EVENTS = 0, BG_LAYOUT_COOPERATIVE } bg_layout;

/* The five algorithms of the paper, presets of the axes above. */
typedef enum bg_algorithm {
    BG_ALGORITHM_TESS = 0, /* leading color, sampled helicities, cooperative layout */
    BG_ALGORITHM_LC,       /* leading color, summed helicities */
    BG_ALGORITHM_CO_SUM,   /* summed colors, ordered, summed helicities */
    BG_ALGORITHM_CO_MC,    /* sampled colors, ordered, summed helicities */
    BG_ALGORITHM_CD_MC     /* sampled colors, dressed, sampled helicities */
} bg_algorithm;
#define BG_ALGORITHM_COUNT 5

#define BG_HELICITIES_LENGTH 16

typedef struct bg_options {
    bg_color color;
    bg_recursion recursion;
    bg_helicity helicity;
    bg_helicity_sampling helicity_sampling;
    bg_color_sampling color_sampling;
    bg_kernel kernel;
    bg_vertex vertex;
    bg_decomposition decomposition;
    bg_orderings orderings;
    bg_layout layout;
    char helicities[BG_HELICITIES_LENGTH]; /* "+-+--+", incoming first; for BG_HELICITY_FIXED */
    char backend[16];                      /* "auto", "cpu" or "cuda" */
    int device; /* which device of a GPU backend; -1: the first, with MPI ranks in turn; an integration by one process
                   then uses all of them */
    int threads;                           /* CPU threads, 0: all cores */
    int samples;                           /* draws a point where color or helicity is sampled */
    int color_group;                       /* events that share colors (coherent sampling), a power of two; 0: a good choice */
    uint64_t seed;                         /* of the draws */
    double alpha_s;
    int rescue; /* 1: points that double precision cannot be trusted with are evaluated again in 128-bit floats; 0: not */
} bg_options;

/* Defaults: everything summed and exact, fast kernel, automatic backend, all cores, one sample,
 * seed 1, alpha_s 0.118, unstable points rescued. */
BG_API void bg_options_init(bg_options *options);

/* Color, recursion and helicity are chosen for n_out, the backend and the question: exact sums for matrix elements as
 * far as there are any, the least time to a given precision for cross sections. Any of the three may be set again
 * afterwards; bg_evaluator_options() and bg_integration.resolved tell what was chosen. */
BG_API void bg_options_set_automatic(bg_options *options);

/* Sets the axes of one of the paper's algorithms and leaves the rest alone. */
BG_API bg_status bg_options_set_algorithm(bg_options *options, bg_algorithm algorithm, bg_error *error);

/* The paper's name ("tess", "lc", "co-sum", "co-mc", "cd-mc"), and back. */
BG_API const char *bg_algorithm_name(bg_algorithm algorithm);
BG_API bg_status bg_algorithm_parse(bg_algorithm *algorithm, const char *name, bg_error *error);

/* ---- evaluator ------------------------------------------------------------------------------ */

typedef struct bg_evaluator bg_evaluator;

/* Memory of an evaluator in bytes. */
typedef struct bg_memory {
    size_t shared;    /* tables, independent of the number of events */
    size_t per_event; /* workspace for each event in flight */
    size_t batch;     /* events in flight */
    size_t on_chip;   /* of each event in flight, in the shared memory of a GPU's multiprocessor */
    size_t stack;     /* of each GPU thread; the driver sets it aside for all threads that can be resident */
} bg_memory;

/* Chooses kernels, builds tables and allocates the workspace. Checks every option and estimates
 * the memory first: a plan that does not fit fails with BG_ERROR_MEMORY and says what it needs. */
BG_API bg_status bg_evaluator_create(bg_evaluator **evaluator, const bg_process *process, const bg_options *options,
                                     bg_error *error);

/* |M|^2 at `count` points. `momenta` is [event][2 + n_out][4]. `me2` gets one number a point;
 * where colors or helicities are sampled, the mean over options.samples draws, and
 * `uncertainty` (may be NULL) its standard error (0 where nothing is sampled, NaN for one draw).
 *
 * Point i is event number `first_event + i`: the draws depend on the seed and on this number
 * alone, so a result does not depend on how points are cut into batches.
 *
 * Points must be physical; bg_check_point() tells. They are not checked here: an unphysical point
 * gives a meaningless number, not an error. */
BG_API bg_status bg_evaluator_evaluate(bg_evaluator *evaluator, uint64_t first_event, size_t count,
                                       const double *momenta, double *me2, double *uncertainty, bg_error *error);

/* Points that bg_evaluator_evaluate() has seen so far. */
typedef struct bg_stability {
    uint64_t points;   /* looked at: all of them, none where options.rescue is 0 */
    uint64_t unstable; /* of them: so collinear (or, for the paper's kernels, so soft) that digits are lost */
    uint64_t rescued;  /* of those: evaluated again in 128-bit floats. Not those that would take minutes each, and none
                          where the compiler has no such type: their results are as double precision has them. */
} bg_stability;

BG_API bg_stability bg_evaluator_stability(const bg_evaluator *evaluator);

/* The same as bg_evaluator_evaluate() for arrays that are on the device of a GPU backend already: `device_momenta` [event][2 + n_out][4]
 * and `device_me2` [event] are device pointers, `stream` is the backend's stream (a cudaStream_t; NULL is
 * the default stream). The work is queued and not waited for: the arrays must stay until the stream
 * has passed it, and a device error may show up in a later call. The evaluator has one workspace, so
 * its calls must not overlap: use one stream, or order the streams. Since the host never sees the points, unstable ones
 * are neither counted nor rescued. BG_ERROR_UNSUPPORTED on the CPU. */
BG_API bg_status bg_evaluator_evaluate_device(bg_evaluator *evaluator, uint64_t first_event, size_t count,
                                              const double *device_momenta, double *device_me2, void *stream,
                                              bg_error *error);

BG_API bg_memory bg_evaluator_memory(const bg_evaluator *evaluator);

/* Name of the backend in use, "cpu" or "cuda", and of what it runs on, such as "AVX-512". */
BG_API const char *bg_evaluator_backend(const bg_evaluator *evaluator);
BG_API const char *bg_evaluator_hardware(const bg_evaluator *evaluator);

/* Empty, or what a user should be told: with backend "auto", why a better backend was not used. */
#define BG_NOTE_LENGTH 256
BG_API const char *bg_evaluator_note(const bg_evaluator *evaluator);

/* Threads in use. */
BG_API int bg_evaluator_threads(const bg_evaluator *evaluator);

/* The options as resolved: backend named, threads counted. */
BG_API const bg_options *bg_evaluator_options(const bg_evaluator *evaluator);

/* Accepts NULL. */
BG_API void bg_evaluator_destroy(bg_evaluator *evaluator);

/* Whether one point [2 + n_out][4] is physical: finite, energies positive, massless and momentum
 * conserving within `tolerance` times the total energy (the contract of the command line: 1e-6).
 * BG_ERROR_POINT and the reason otherwise. */
BG_API bg_status bg_check_point(int n_out, const double *momenta, double tolerance, bg_error *error);

/* ---- cross sections --------------------------------------------------------------------------- */

/* Cuts on the outgoing gluons. 0 (or, for maxima, infinity or 0) means no cut. */
typedef struct bg_cuts {
    double pt_min;   /* transverse momentum of every gluon, GeV */
    double eta_max;  /* |pseudorapidity| of every gluon */
    double dr_min;   /* sqrt(deta^2 + dphi^2) of every pair */
    double mass_min; /* invariant mass of every pair, GeV */
    double ht_min;   /* scalar sum of transverse momenta, GeV */
} bg_cuts;

typedef enum bg_phase_space {
    BG_PHASE_SPACE_ADAPTIVE = 0, /* hard pair and soft gluons with a VEGAS grid; needs pt_min > 0 */
    BG_PHASE_SPACE_RAMBO         /* flat; needs no cut, converges slowly */
} bg_phase_space;

/* A cross section so far. */
typedef struct bg_result {
    double sigma_pb, error_pb; /* NaN: no point yet; too few to know */
    double chi2_per_dof;      /* of the iterations among each other; NaN before the second */
    uint64_t points;          /* trial points behind sigma */
    uint64_t accepted;        /* of them inside the cuts */
    uint64_t warmup_points;   /* trial points that only adapted the generator */
    uint64_t pairs;           /* ordered pairs of accepted points that share colors; the error knows */
    uint64_t nonfinite;       /* points whose weight was not a finite number (left out) */
    uint64_t unstable;        /* of the accepted ones: double precision cannot be trusted; see bg_stability */
    uint64_t rescued;         /* of those: evaluated again in 128-bit floats */
    double max_weight_pb;     /* largest weight behind sigma */
    double unweighting;       /* mean weight over largest weight */
    int iterations;           /* behind sigma */
    int warming_up;           /* still adapting: sigma is that of the points so far, which will not count in the end */
    int interrupted;          /* stopped before its goal by the progress callback */
    int ranks;
    double seconds;           /* of wall time, over all runs of a resumed integration */
    double seconds_matrix_element, seconds_phase_space; /* summed over threads, this run, this rank */
    double seconds_copies, seconds_waiting; /* hybrid: copies to the device, the CPU waiting for it */
    char hardware[128];       /* what this rank ran on; see bg_evaluator_hardware() */
    char note[BG_NOTE_LENGTH]; /* see bg_evaluator_note() */
} bg_result;

struct bg_histograms;

/* What to integrate, how far, and what to keep on disk. */
typedef struct bg_integration {
    double sqrts; /* GeV */
    bg_cuts cuts;
    bg_phase_space phase_space;
    double precision;  /* relative error to stop at, or 0 */
    uint64_t points;   /* trial points to stop at, at most 1e18, or 0 */
    double seconds;    /* wall time to stop at, or 0 */
    const char *checkpoint;      /* file to write now and then and at the end, or NULL */
    double checkpoint_interval;  /* seconds between two of them */
    const char *resume;          /* checkpoint to go on from, or NULL */
    struct bg_histograms *histograms; /* filled with every point behind sigma, or NULL */
    /* Called about four times a second on rank 0 with the result so far; non-zero stops. */
    int (*progress)(const bg_result *result, void *user);
    void *user;
    int hybrid;           /* CPU threads generate points while a device evaluates those before; needs a device */
    bg_options *resolved; /* gets the options as they were run (backend, threads, kernel), or NULL */
} bg_integration;

/* The paper's set-up: 14 TeV, pT > 20, |eta| < 2.5, DeltaR > 0.4, adaptive, 1 %. */
BG_API void bg_integration_init(bg_integration *integration);

/* Integrates. Seed and goal fix sigma bit for bit, whatever the threads, ranks and interruptions (but for a goal in
 * seconds). With MPI (built in and initialised) every rank calls this and gets the result. BG_ERROR_IO with
 * result->seconds above 0: the result is there, its last checkpoint could not be written. */
BG_API bg_status bg_integrate(const bg_process *process, const bg_options *options,
                              const bg_integration *integration, bg_result *result, bg_error *error);

/* ---- what this library can do here ---------------------------------------------------------- */

/* Backends that are built in: k = 0, 1, ...; NULL past the last. */
BG_API const char *bg_backend_name(int k);

/* BG_OK and a description of the hardware where backend `name` can run here; otherwise why not. */
BG_API bg_status bg_backend_probe(const char *name, char *description, size_t size, bg_error *error);

#ifdef __cplusplus
}
#endif

#endif
