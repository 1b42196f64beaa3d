/* BlockGen: tree-level scattering of gluons and massless quarks with full color.
 *
 * The library works as FFTW does: you describe the question once (a process and options), bg_evaluator_create() chooses
 * kernels, builds tables and allocates, and then you evaluate batches of phase-space points as often as you like.
 *
 *     bg_error error;
 *     bg_process *process;
 *     bg_evaluator *evaluator;
 *     bg_options options;
 *     bg_options_init(&options);
 *     if (bg_process_create_gluons(&process, 4, &error) != BG_OK ||
 *         bg_options_set(&options, "color", "auto", &error) != BG_OK ||
 *         bg_evaluator_create(&evaluator, process, &options, &error) != BG_OK)
 *         fprintf(stderr, "%s\n", error.message);
 *     bg_evaluator_evaluate(evaluator, 0, count, momenta, me2, NULL, &error);
 *
 * Conventions. Momenta are (E, px, py, pz) in GeV, metric (+,-,-,-), physical energies, the two incoming partons first. The
 * result is |M|^2 summed over helicities and colors, averaged over the incoming ones and divided by k! for k identical
 * outgoing partons, in GeV^(4 - 2 n_out).
 *
 * Errors. Every call that can fail returns a bg_status and, when `error` is not NULL, leaves a message there that names the
 * wrong value and the valid range. The library never prints and never exits. A NULL where an object is needed is an
 * argument out of range like any other: calls that return a status refuse it, the others answer 0, NULL or "". An object
 * that was destroyed is gone: to use or destroy it once more is as wrong as freeing memory twice.
 *
 * Sizes. A struct that may grow begins with its size. Its bg_..._init() sets it, and must be called before the struct is
 * handed over; a size that makes no sense is refused. So a program that was compiled when the struct was shorter keeps
 * working: fields that it does not know have their defaults, and nothing is written beyond its end. Languages that cannot
 * use inline functions call what those call, with the size that they know.
 *
 * Threads. There is no global mutable state. Different objects may be used from different threads at the same time; one
 * evaluator, generator or set of histograms by one thread at a time. A process is immutable once created.
 *
 * Forks. The threads of OpenMP do not survive fork(): once a call has used more than one, a child that was forked may
 * destroy objects, exec another program or compute with options.threads = 1; with more threads it would wait for ever. For
 * the same reason the shared library stays in memory after dlclose().
 *
 * Stability. What stands here stays, as docs/api.md says. The last part, behind BLOCKGEN_EXPERIMENTAL, has events, color
 * flows, the table of strategies and instruments for benchmarks, and may change with every release.
 */
#ifndef BLOCKGEN_H
#define BLOCKGEN_H

#include "blockgen/version.h"

#include <stddef.h>
#include <stdint.h>

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
    BG_ERROR_ARGUMENT = 1,     /* an argument or option has a value outside its range */
    BG_ERROR_UNSUPPORTED = 2,  /* each value is fine, the combination makes no sense or is not built in */
    BG_ERROR_POINT = 3,        /* a phase-space point is not physical */
    BG_ERROR_MEMORY = 4,       /* not enough memory */
    BG_ERROR_DEVICE = 5,       /* no device, or the device failed */
    BG_ERROR_IO = 6,           /* a file could not be read or written */
    BG_ERROR_COMMUNICATOR = 7, /* a callback that should have joined the ranks failed */
    BG_ERROR_INTERRUPTED = 8   /* somebody wanted to stop: bg_evaluator_interrupt() */
} bg_status;

#define BG_MESSAGE_LENGTH 512

/* What went wrong, filled by the call that failed; `message` is a sentence without newline. */
typedef struct bg_error {
    bg_status status;
    char message[BG_MESSAGE_LENGTH];
} bg_error;

/* A short name of a status, such as "bad argument". Never NULL. */
BG_API const char *bg_status_string(bg_status status);

/* "MAJOR.MINOR.PATCH" of the library that is linked, and the same with the commit it was built from, such as
 * "0.1.0 (a53e4f0)"; a "+" behind the commit says that files had been changed since. */
BG_API const char *bg_version(void);
BG_API const char *bg_version_string(void);

/* Empties a struct that begins with its size, and sets the size: what bg_result_init() and its like call. */
BG_API void bg_clear(void *structure, size_t size);

/* ---- process ------------------------------------------------------------------------------ */

#define BG_PDG_GLUON 21
#define BG_MIN_OUT 2
#define BG_MAX_OUT_ORDERED 8  /* largest n_out of color-ordered amplitudes */
#define BG_MAX_OUT_SUMMED 10  /* ... and of exact color sums with the fast kernel */
#define BG_MAX_OUT_DRESSED 12 /* largest n_out of color-dressed amplitudes */
#define BG_MIN_FLAVORS 3      /* least number of light flavors in p and j */
#define BG_MAX_FLAVORS 5      /* massless quarks: d, u, s, c, b */
#define BG_MAX_LINES 5        /* quark lines of one subprocess */
#define BG_ALL_LINES (-1)     /* ... as many as there may be */

typedef struct bg_process bg_process;

/* A process from PDG ids: `n_in` incoming (must be 2) followed by `n_out` outgoing ones. Partons are gluons (21) and quarks (1
 * to 5, antiquarks -1 to -5); every flavor must be conserved. On success *process is to be released by
 * bg_process_destroy(). */
BG_API bg_status bg_process_create(bg_process **process, int n_in, int n_out, const int *pdg, bg_error *error);

/* Shorthand: g g -> n_out gluons. */
BG_API bg_status bg_process_create_gluons(bg_process **process, int n_out, bg_error *error);

/* A process from text, such as "u g > u g g" (partons g, u, u~, d, d~, s, s~, c, c~, b, b~, or PDG ids), "g g > 4g" or
 * "p p > 3j". p, incoming, and j, outgoing, are gluons or any of the lightest `flavors` quarks and antiquarks (3 to 5, in the
 * order d, u, s, c, b); of what they stand for, subprocesses with at most `quark_lines` quark lines are taken along. */
BG_API bg_status bg_process_parse(bg_process **process, const char *text, int flavors, int quark_lines,
                                  bg_error *error);

BG_API int bg_process_n_out(const bg_process *process);

/* Whether it has protons or jets, so that it stands for many channels. */
BG_API int bg_process_is_open(const bg_process *process);

/* Whether protons come in. */
BG_API int bg_process_has_protons(const bg_process *process);

/* Accepts NULL. Evaluators keep what they need: a process may go before they do. */
BG_API void bg_process_destroy(bg_process *process);

/* Classes of channels. A channel is one choice of partons for p and j. Channels that become each other when flavors are
 * renamed, quarks exchanged with antiquarks or the beams with one another have the same |M|^2 and make a class, which is
 * computed once, for its representative. Partons without p and j are one class of one channel. */
#define BG_PROCESS_NAME_LENGTH 64

typedef struct bg_process_class {
    size_t size;                       /* of this struct */
    char name[BG_PROCESS_NAME_LENGTH]; /* of the representative, "g u > u g" */
    int n_out;
    int pdg[16]; /* of the representative, incoming first */
    int gluons, quark_lines;
    int channels; /* that it stands for */
    int beams;    /* different pairs of incoming partons among them, see below */
} bg_process_class;
static inline void bg_process_class_init(bg_process_class *c) { bg_clear(c, sizeof *c); }

/* A pair of incoming partons: PDG ids of the first and the second beam. The luminosity of a class is the sum over its pairs of
 * channels f_a(x1) f_b(x2). Where `exchanged` is 1, the representative's first leg is the parton of the second beam: its |M|^2
 * is to be taken with the momenta of the two beams exchanged. */
typedef struct bg_process_beams {
    size_t size; /* of this struct */
    int pdg[2];
    int exchanged;
    int channels; /* that have this pair coming in: they differ in what goes out */
} bg_process_beams;
static inline void bg_process_beams_init(bg_process_beams *beams) { bg_clear(beams, sizeof *beams); }

/* How many classes there are, and each of them: by number of quark lines, then by the incoming pair. */
BG_API int bg_process_classes(const bg_process *process);
BG_API bg_status bg_process_class_at(const bg_process *process, int k, bg_process_class *c, bg_error *error);
BG_API bg_status bg_process_beams_at(const bg_process *process, int k, int pair, bg_process_beams *beams,
                                     bg_error *error);

/* The partons of a channel of class k in the order of the representative's legs, 2 + n_out numbers. */
BG_API bg_status bg_process_channel_at(const bg_process *process, int k, int channel, int *pdg, int *exchanged,
                                       bg_error *error);

/* ---- options: the axes of an algorithm ------------------------------------------------------ */

/* Where the library may choose, AUTO comes first and is 0, as 0 threads are as many as there are cores: values that are
 * added later then come last, and no number ever changes its meaning. What bg_options_init() sets is another matter. */
typedef enum bg_color {
    BG_COLOR_AUTO = 0, /* summed or sampled, whatever answers the question fastest */
    BG_COLOR_SUMMED,   /* exact sum over all colors */
    BG_COLOR_SAMPLED,  /* one random color assignment a draw */
    BG_COLOR_LEADING   /* leading term in 1/N_c */
} bg_color;

typedef enum bg_recursion {
    BG_RECURSION_AUTO = 0, /* what goes with the colors */
    BG_RECURSION_ORDERED,  /* color-ordered currents */
    BG_RECURSION_DRESSED   /* color-dressed currents (needs sampled colors) */
} bg_recursion;

typedef enum bg_helicity {
    BG_HELICITY_AUTO = 0, /* summed or sampled; the sampling is chosen with it */
    BG_HELICITY_SUMMED,   /* sum over all 2^n configurations */
    BG_HELICITY_SAMPLED,  /* one random polarization of each gluon a draw */
    BG_HELICITY_FIXED     /* the configuration in options.helicities */
} bg_helicity;

/* How sampled helicities are drawn. All of them average to the sum. */
typedef enum bg_helicity_sampling {
    BG_SAMPLE_ANGLE = 0,  /* e(phi) = cos(phi) e1 + sin(phi) e2 */
    BG_SAMPLE_PHASE,      /* e^{i phi} eps+ + e^{-i phi} eps- */
    BG_SAMPLE_LINEAR,     /* e1 or e2 */
    BG_SAMPLE_CIRCULAR,   /* helicity + or - */
    BG_SAMPLE_ADAPTIVE,   /* whole configurations, probabilities learned (integration only) */
    BG_SAMPLE_INVARIANTS, /* pairs of equal helicity by two-particle invariants (integration only) */
    BG_SAMPLE_MASSES      /* gluons of equal helicity by their invariant mass (integration only) */
} bg_helicity_sampling;

/* How sampled colors of the dressed recursion are drawn (the ordered one has discrete colors). */
typedef enum bg_color_sampling {
    BG_COLORS_AUTO = 0,   /* what the kernel is made for: coherent (fast), continuous (paper) */
    BG_COLORS_CONTINUOUS, /* two real unit vectors per gluon */
    BG_COLORS_DISCRETE,   /* color-flow indices 1, 2, 3, each event its own */
    BG_COLORS_COHERENT    /* color-flow indices shared by groups of options.color_group events; fast kernel */
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

/* Leading color: all (n-1)! orderings, or one random ordering per draw with weight (n-1)!. */
typedef enum bg_orderings { BG_ORDERINGS_ALL = 0, BG_ORDERINGS_ONE } bg_orderings;

/* How the work of one event is laid out: one lane (SIMD lane, GPU thread) an event, or several
 * lanes cooperating on the currents of one event (leading color only). */
typedef enum bg_layout { BG_LAYOUT_EVENTS = 0, BG_LAYOUT_COOPERATIVE } bg_layout;

/* The floating-point numbers of the matrix element. (They are called floats, because the precision of an integration is
 * the relative error of its result.) Quad runs on the CPU only, where the compiler has the type: with the paper's kernels for
 * gluons, with the fast one for quarks. */
typedef enum bg_floats { BG_FLOATS_DOUBLE = 0, BG_FLOATS_QUAD } bg_floats;

/* Instructions of the CPU that kernels use. The environment variable BLOCKGEN_SIMD overrides AUTO and nothing else. */
typedef enum bg_instruction_set {
    BG_INSTRUCTIONS_AUTO = 0, /* the best that this CPU has */
    BG_INSTRUCTIONS_BASELINE, /* what every CPU of its kind has */
    BG_INSTRUCTIONS_AVX2,
    BG_INSTRUCTIONS_AVX512
} bg_instruction_set;

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
    size_t size; /* of this struct, set by bg_options_init() */
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
    int device;      /* which device of a GPU backend; -1: the first, or that of the communicator's local rank; an
                        integration by one rank then uses all of them */
    int threads;     /* CPU threads, 0: all cores */
    int samples;     /* random draws per point where color or helicity is sampled */
    int color_group; /* events that share colors (coherent sampling), a power of two; 0: automatic */
    uint64_t seed;   /* of the draws */
    double alpha_s;
    int rescue; /* 1: points that double precision cannot be trusted with are evaluated again in 128-bit floats; 0: not */
    bg_floats floats;
    bg_instruction_set instruction_set;
    int reserved; /* 0 */
} bg_options;

/* Defaults: everything summed and exact, fast kernel, automatic backend, all cores, one sample,
 * seed 1, alpha_s 0.118, unstable points rescued. */
BG_API void bg_options_init_sized(bg_options *options, size_t size);
static inline void bg_options_init(bg_options *options) { bg_options_init_sized(options, sizeof *options); }

/* Color, recursion and helicity are chosen for n_out, the backend and the question: exact sums for matrix elements as
 * far as there are any, the least time to a given precision for cross sections. Any of the three may be set again
 * afterwards; bg_choose() tells what will be chosen, bg_evaluator_options() and bg_integration.resolved what was. */
BG_API void bg_options_set_automatic(bg_options *options);

/* Whether any of the three is left open. */
BG_API int bg_options_are_automatic(const bg_options *options);

/* Whether colors, helicities or orderings are drawn at random, so that a result has an uncertainty. */
BG_API int bg_options_are_sampled(const bg_options *options);

/* Whether there is a fast kernel for these options; elsewhere the paper's runs, whatever options.kernel says. */
BG_API int bg_options_have_fast_kernel(const bg_options *options);

/* Sets the axes of one of the paper's algorithms and leaves the rest alone. */
BG_API bg_status bg_options_set_algorithm(bg_options *options, bg_algorithm algorithm, bg_error *error);

/* The paper's name ("tess", "lc", "co-sum", "co-mc", "cd-mc"), and back. */
BG_API const char *bg_algorithm_name(bg_algorithm algorithm);
BG_API bg_status bg_algorithm_parse(bg_algorithm *algorithm, const char *name, bg_error *error);

/* Every option in its range, and combinations that make sense for the process (NULL: for any). Asks no hardware. */
BG_API bg_status bg_options_check(const bg_process *process, const bg_options *options, bg_error *error);

/* ---- options by name ------------------------------------------------------------------------- */

typedef enum bg_option_kind {
    BG_OPTION_CHOICE = 0, /* one of `values`; where `argument` is not NULL, something else as well */
    BG_OPTION_FLAG,       /* yes or no (also 1, 0, true, false, on, off) */
    BG_OPTION_INTEGER,    /* from `low` to `high` */
    BG_OPTION_COUNT,      /* the same without a sign and up to 2^64 - 1 where `high` is 0 */
    BG_OPTION_REAL,       /* from `low` to `high` */
    BG_OPTION_TEXT        /* any text, such as the name of a file */
} bg_option_kind;

/* What an option is a field of: bg_options or bg_integration. */
typedef enum bg_option_owner { BG_OPTION_OF_ALGORITHM = 0, BG_OPTION_OF_INTEGRATION } bg_option_owner;

/* One line of the table of all options, which the library owns. Names are those of the command line, without dashes: a
 * flag that is set by default is switched off by --no-NAME there. */
typedef struct bg_option {
    size_t size; /* of this struct in the library */
    const char *name;
    bg_option_owner owner;
    bg_option_kind kind;
    const char *group;         /* of the list: "algorithm", "sampling", "machine", "cuts", "beams", "goal", "files" */
    const char *const *values; /* of a choice, NULL ends them; otherwise NULL */
    const char *argument;      /* what a value is called in help, such as "GEV"; NULL: `values` say it */
    double low, high;
    const char *standard; /* the default as text; "" where there is none */
    const char *help;     /* one line */
    int matters;          /* whether the result of an integration depends on it, so that a checkpoint keeps it */
} bg_option;

/* The table: k = 0, 1, ...; NULL past the last, or where nothing has that name. */
BG_API const bg_option *bg_option_at(int k);
BG_API const bg_option *bg_option_find(const char *name);

/* Sets an option from text as the command line does. Counts may be written 1e6. Besides the fields of bg_options there is
 * "algorithm", which sets those that bg_options_set_algorithm() sets. An unknown name is refused with the nearest one. */
BG_API bg_status bg_options_set(bg_options *options, const char *name, const char *value, bg_error *error);

/* The value as text that bg_options_set() takes, into `value` of `room` bytes. */
BG_API bg_status bg_options_get(const bg_options *options, const char *name, char *value, size_t room, bg_error *error);

/* ---- evaluator ------------------------------------------------------------------------------ */

typedef struct bg_evaluator bg_evaluator;

/* Memory of an evaluator in bytes. */
typedef struct bg_memory {
    size_t size;      /* of this struct, set by bg_memory_init() */
    size_t shared;    /* tables, independent of the number of events */
    size_t per_event; /* workspace for each event in flight */
    size_t batch;     /* events in flight */
    size_t on_chip;   /* of each event in flight, in the shared memory of a GPU's multiprocessor */
    size_t stack;     /* of each GPU thread; the driver sets it aside for all threads that can be resident */
} bg_memory;

static inline void bg_memory_init(bg_memory *memory) { bg_clear(memory, sizeof *memory); }

/* What an evaluator would take, before it is created; for backend "auto" on the first that can run here. */
BG_API bg_status bg_memory_needed(const bg_process *process, const bg_options *options, bg_memory *memory,
                                  bg_error *error);

/* Chooses kernels, builds tables and allocates the workspace. Checks every option and estimates
 * the memory first: a plan that does not fit fails with BG_ERROR_MEMORY and says what it needs. */
BG_API bg_status bg_evaluator_create(bg_evaluator **evaluator, const bg_process *process, const bg_options *options,
                                     bg_error *error);

/* |M|^2 at `count` points. `momenta` is [event][2 + n_out][4]. `me2` gets one number per point;
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

/* Calls that take longer than a second ask `asked` many times a second, from any thread, whether to stop: a look at a
 * flag, no more. A second after it said yes they give up: bg_evaluator_evaluate() returns BG_ERROR_INTERRUPTED and leaves
 * numbers without meaning. NULL: they never ask. */
BG_API bg_status bg_evaluator_interrupt(bg_evaluator *evaluator, int (*asked)(void *user), void *user, bg_error *error);

/* bg_evaluator_create() with bg_evaluator_interrupt() from the beginning: color tables of many partons take minutes. Once
 * `asked` says yes, creation gives up at once: BG_ERROR_INTERRUPTED, and there is no evaluator. */
BG_API bg_status bg_evaluator_create_stoppable(bg_evaluator **evaluator, const bg_process *process,
                                               const bg_options *options, int (*asked)(void *user), void *user,
                                               bg_error *error);

/* Points that bg_evaluator_evaluate() has seen so far. */
typedef struct bg_stability {
    size_t size;       /* of this struct, set by bg_stability_init() */
    uint64_t points;   /* looked at: all of them, none where options.rescue is 0 */
    uint64_t unstable; /* of them: so collinear that digits are lost */
    uint64_t rescued;  /* of those: evaluated again in 128-bit floats. Not those that would take minutes each, and none
                          where the compiler has no such type: their results are as double precision has them. */
} bg_stability;

static inline void bg_stability_init(bg_stability *stability) { bg_clear(stability, sizeof *stability); }
BG_API bg_status bg_evaluator_stability(const bg_evaluator *evaluator, bg_stability *stability, bg_error *error);

/* The same as bg_evaluator_evaluate() for arrays that are on the device of a GPU backend already: `device_momenta` [event][2 + n_out][4]
 * and `device_me2` [event] are device pointers, `stream` is the backend's stream (a cudaStream_t; NULL is
 * the default stream). The work is queued and not waited for: the arrays must stay until the stream
 * has passed it, and a device error may show up in a later call. The evaluator has one workspace, so
 * its calls must not overlap: use one stream, or order the streams. Since the host never sees the points, unstable ones
 * are neither counted nor rescued. BG_ERROR_UNSUPPORTED on the CPU. */
BG_API bg_status bg_evaluator_evaluate_device(bg_evaluator *evaluator, uint64_t first_event, size_t count,
                                              const double *device_momenta, double *device_me2, void *stream,
                                              bg_error *error);

BG_API bg_status bg_evaluator_memory(const bg_evaluator *evaluator, bg_memory *memory, bg_error *error);

/* Name of the backend in use, "cpu" or "cuda", and of what it runs on, such as "AVX-512". */
BG_API const char *bg_evaluator_backend(const bg_evaluator *evaluator);
BG_API const char *bg_evaluator_hardware(const bg_evaluator *evaluator);

/* Empty, or what a user should be told: with backend "auto", why a better backend was not used. */
#define BG_NOTE_LENGTH 256
BG_API const char *bg_evaluator_note(const bg_evaluator *evaluator);

/* Threads in use. */
BG_API int bg_evaluator_threads(const bg_evaluator *evaluator);

/* The options as resolved: backend named, threads counted. They live as long as the evaluator. */
BG_API const bg_options *bg_evaluator_options(const bg_evaluator *evaluator);

/* Accepts NULL. */
BG_API void bg_evaluator_destroy(bg_evaluator *evaluator);

/* Whether one point [2 + n_out][4] is physical: finite, energies positive, massless and momentum
 * conserving within `tolerance` times the total energy (that of the command line: 1e-6).
 * BG_ERROR_POINT and the reason otherwise. */
BG_API bg_status bg_check_point(int n_out, const double *momenta, double tolerance, bg_error *error);

/* ---- cross sections --------------------------------------------------------------------------- */

/* Cuts on the outgoing gluons. 0 (or, for maxima, infinity or 0) means no cut. This struct never grows: cuts that come
 * later will be fields at the end of bg_integration. */
typedef struct bg_cuts {
    double pt_min;   /* transverse momentum of every gluon, GeV */
    double eta_max;  /* |pseudorapidity| of every gluon */
    double dr_min;   /* sqrt(deta^2 + dphi^2) of every pair */
    double mass_min; /* invariant mass of every pair, GeV */
    double ht_min;   /* scalar sum of transverse momenta, GeV */
} bg_cuts;

/* More cuts, a field at the end of bg_integration. 0 (for maxima infinity as well) means no cut. Gluons stand for all
 * outgoing partons; they are numbered by falling pT. This struct never grows either. */
typedef struct bg_jet_cuts {
    double leading_pt_min[4]; /* pT of the hardest gluon, the second, third and fourth, GeV */
    double pt_max;            /* pT of every gluon, that is of the hardest, GeV */
    double eta_min;           /* |pseudorapidity| of every gluon */
    double dr_max;            /* sqrt(deta^2 + dphi^2) of every pair */
    double mass_max;          /* invariant mass of every pair, GeV */
    double kt_min;            /* pT_i of every gluon and min(pT_i, pT_j) DeltaR_ij / kt_radius of every pair, GeV */
    double kt_radius;         /* R of that; 0 is 1 */
} bg_jet_cuts;

typedef enum bg_phase_space {
    BG_PHASE_SPACE_ADAPTIVE = 0, /* hard pair and soft partons with a VEGAS grid */
    BG_PHASE_SPACE_RAMBO         /* flat, converges slowly; one subprocess of fixed energy only */
} bg_phase_space;

/* Whether a cheap estimate of |M|^2 decides which points get an exact one. The result is the same within its error. */
typedef enum bg_estimates {
    BG_ESTIMATE_AUTO = 0, /* where it saves time, and the algorithm was left to the library */
    BG_ESTIMATE_ON,
    BG_ESTIMATE_OFF
} bg_estimates;

/* A cross section so far. */
typedef struct bg_result {
    size_t size;               /* of this struct, set by bg_result_init() */
    double sigma_pb, error_pb; /* NaN: no point yet; too few to know. See error_scale below */
    double chi2_per_dof;       /* of the iterations among each other; NaN before the second */
    uint64_t points;           /* trial points behind sigma */
    uint64_t accepted;         /* of them inside the cuts */
    uint64_t warmup_points;    /* trial points that only adapted the generator */
    uint64_t pairs;            /* ordered pairs of accepted points that share colors; the error knows */
    uint64_t nonfinite;        /* points whose weight was not a finite number (left out) */
    uint64_t unstable;         /* of the accepted ones: double precision cannot be trusted; see bg_stability */
    uint64_t rescued;          /* of those: evaluated again in 128-bit floats */
    double max_weight_pb;      /* largest weight behind sigma; of several classes the sum of theirs */
    double unweighting;        /* mean weight over largest weight */
    int iterations;            /* behind sigma */
    int warming_up;            /* still adapting: sigma is that of the points so far, which will not count in the end */
    int interrupted;           /* stopped before its goal by a callback */
    int ranks;
    double seconds;                                     /* of wall time, over all runs of a resumed integration */
    double seconds_matrix_element, seconds_phase_space; /* summed over threads, this run, this rank */
    double seconds_copies, seconds_waiting;             /* hybrid: copies to the device, the CPU waiting for it */
    char hardware[128];                                 /* what this rank ran on; see bg_evaluator_hardware() */
    char note[BG_NOTE_LENGTH];                          /* see bg_evaluator_note() */
    double
        error_scale; /* 1, or sqrt(chi2_per_dof) where that is more than chance allows: error_pb was multiplied with it */
    uint64_t
        evaluated; /* points behind sigma whose |M|^2 was computed: the accepted ones, or fewer where it is estimated first */
    int estimated; /* whether it was */
} bg_result;

static inline void bg_result_init(bg_result *result) { bg_clear(result, sizeof *result); }

/* The parton densities of protons where no others are named: a small set for first steps and tests. */
#define BG_BUILT_IN_PDF "BlockGen-toy-lo"

/* What one class of subprocesses adds to a cross section. */
typedef struct bg_class_result {
    double sigma_pb, error_pb, chi2_per_dof;
    uint64_t points, accepted, warmup_points;
    double seconds;
} bg_class_result;

/* Cross sections with other scales and with the other members of the parton densities: bg_integration.variations. They are
 * ratios to sigma of the same points, so they know of one another far better than of sigma itself. */
#define BG_SCALE_VARIATIONS                                                                                            \
    7 /* factors 1/2, 1 and 2 of both scales, but for the two opposite corners; 1 and 1 come first */

typedef struct bg_variations {
    size_t size;                                               /* of this struct, set by bg_variations_init() */
    int scales;                                                /* BG_SCALE_VARIATIONS, or 0 where none were computed */
    double mur[BG_SCALE_VARIATIONS], muf[BG_SCALE_VARIATIONS]; /* the factors */
    double scale_pb[BG_SCALE_VARIATIONS];                      /* sigma with them */
    double scale_up_pb, scale_down_pb;                         /* the largest and the smallest of these */
    int members;                                               /* of the set, or 0 where none were computed */
    double pdf_error_pb, pdf_up_pb, pdf_down_pb; /* one standard deviation: symmetric; above and below, from sigma */
    char pdf_error_type[32];                     /* what members mean, in the words of the set: "replicas", "hessian" */
    double *member_pb;                           /* sigma with every member, where there is room; NULL: not wanted */
    int member_room;
    uint64_t points;  /* behind the ratios, those inside the cuts */
    double precision; /* relative error of the ratios of the scales, the largest */
    double seconds;   /* of wall time, those of the integration not included */
} bg_variations;

static inline void bg_variations_init(bg_variations *variations) { bg_clear(variations, sizeof *variations); }

/* Points inside the cuts as an integration makes them. The arrays belong to the library and live as long as the call. */
typedef struct bg_points {
    size_t size; /* of this struct in the library */
    size_t count;
    int particles;         /* of a point: 2 + n_out */
    int warming_up;        /* these points only adapt the generator: they will not count in the end */
    const double *momenta; /* [count][particles][4], as everywhere */
    const double *weight;  /* [count], pb, |M|^2 included; one that is not finite is left out of sigma */
    const uint64_t *event; /* [count], their numbers */
} bg_points;

/* Ranks that integrate together: who this one is, and how all of them join their numbers. Every rank calls bg_integrate()
 * with the same question, and the callbacks are then called by all ranks in the same order, by the thread that called
 * bg_integrate(). They work in place, leave the same result on every rank and return 0, or anything else where they
 * failed. blockgen/mpi.h fills this in for MPI. */
typedef struct bg_communicator {
    size_t size;                 /* of this struct, set by bg_communicator_init() */
    int rank, ranks;             /* this one, from 0, of how many */
    int local_rank, local_ranks; /* the same among those on this machine, who share its devices */
    int (*sum)(int64_t *values, size_t count, void *user);
    int (*max)(double *values, size_t count, void *user);
    int (*broadcast)(void *data, size_t bytes, void *user); /* from rank 0 to all */
    void *user;
} bg_communicator;

static inline void bg_communicator_init(bg_communicator *communicator)
{
    if (!communicator) return;
    bg_clear(communicator, sizeof *communicator);
    communicator->ranks = communicator->local_ranks = 1;
}

typedef struct bg_histograms bg_histograms; /* see below */
typedef struct bg_generator bg_generator;

/* What to integrate, how far, and what to keep on disk. */
typedef struct bg_integration {
    size_t size;  /* of this struct, set by bg_integration_init() */
    double sqrts; /* GeV */
    bg_cuts cuts;
    bg_phase_space phase_space;
    int hybrid;                 /* CPU threads generate points while a device evaluates those before; needs a device */
    double precision;           /* relative error to stop at, or 0 */
    uint64_t points;            /* trial points to stop at, at most 1e18, or 0 */
    double seconds;             /* wall time to stop at, or 0 */
    const char *checkpoint;     /* file to write now and then and at the end, or NULL; one that is there and is neither
                                   `resume` nor empty is refused, see `force` */
    double checkpoint_interval; /* seconds between two of them */
    const char *resume;         /* checkpoint to go on from, or NULL */
    bg_histograms *histograms;  /* filled with every point behind sigma, or NULL */
    bg_generator *generator;    /* gets the grid as it was adapted in the end, or NULL */
    const bg_communicator *communicator; /* of ranks that integrate together; NULL: this one alone */
    /* Called about four times a second on rank 0 with the result so far; non-zero stops. */
    int (*progress)(const bg_result *result, void *user);
    /* Called with every batch of points inside the cuts: by one thread at a time, which need not be the one that called
     * bg_integrate(), in any order of batches, on the rank that made them. Sigma is the sum of the weights over the trial
     * points. Non-zero stops. NULL: not wanted. */
    int (*receive)(const bg_points *points, void *user);
    void *user;           /* handed to all of these */
    bg_options *resolved; /* gets the options as they were run (backend, threads, kernel), or NULL */
    /* Whether to stop, asked many times a second while points are computed, by any thread: a look at a flag, no more.
     * Once it says yes, bg_integrate() ends within two seconds however long a point takes, with what was finished by
     * then; points that were under way count for nothing, though `receive` may have seen some of them. The limit of
     * `seconds` is kept in the same way. NULL: progress() alone decides, between rounds of points. */
    int (*interrupted)(void *user);
    int force; /* 1: `checkpoint` may replace the checkpoint of another run; 0: that is refused */
    bg_jet_cuts jet_cuts;
    /* Protons ("p p > 3j"): sqrts is their energy, and */
    const char
        *pdf; /* parton densities, "SET", "SET:MEMBER" or the path of a folder; NULL or "": a small built-in set */
    const char *scale; /* of densities and coupling: "ht/2", "ht", "pt1" or "fixed:GEV"; NULL: "ht/2" */
    double mur, muf;   /* the renormalization and the factorization scale in units of it */
    /* Processes of several subprocesses: what each class gives, where there is room for them (as many as
     * bg_process_classes() says); NULL: not wanted. */
    bg_class_result *class_results;
    int class_room;
    /* Protons: "scale", "pdf" or both, with a comma between them: what sigma would be with other scales, and with the other
     * members of the densities. Histograms get bands of the scales. NULL or "": none. */
    const char *variations;
    bg_variations *variation_results; /* get the numbers, or NULL */
    bg_estimates estimate;            /* whether |M|^2 is estimated first */
} bg_integration;

/* The paper's set-up: 14 TeV, pT > 20, |eta| < 2.5, DeltaR > 0.4, adaptive, 1 %. */
BG_API void bg_integration_init_sized(bg_integration *integration, size_t size);
static inline void bg_integration_init(bg_integration *integration)
{
    bg_integration_init_sized(integration, sizeof *integration);
}

/* As bg_options_set() and bg_options_get(), for the options of an integration ("sqrts", "pt-min", ...). Of a text (the name
 * of a file) the address is kept, so it must live as long as it is used. */
BG_API bg_status bg_integration_set(bg_integration *integration, const char *name, const char *value, bg_error *error);
BG_API bg_status bg_integration_get(const bg_integration *integration, const char *name, char *value, size_t room,
                                    bg_error *error);

/* Integrates. Seed and goal fix sigma bit for bit, whatever the threads, ranks and interruptions (but for a goal in
 * seconds). With a communicator every rank calls this and gets the result. BG_ERROR_IO with
 * result->seconds above 0: the result is there, its last checkpoint could not be written. */
BG_API bg_status bg_integrate(const bg_process *process, const bg_options *options, const bg_integration *integration,
                              bg_result *result, bg_error *error);

/* ---- histograms ---------------------------------------------------------------------------------- */

/* The standard distributions of a process within the cuts: pT and eta of every gluon (numbered by falling pT), smallest and
 * largest DeltaR, HT, and the weights themselves, each in the range that energy, momentum and cuts leave. Empty until
 * bg_integrate() has filled them. */
BG_API bg_status bg_histograms_create(bg_histograms **histograms, const bg_process *process,
                                      const bg_integration *integration, bg_error *error);

/* Adds one of your own, before anything is filled: "mass(1,2):50:0:5000", that is observable, number of bins, first and last
 * edge; ":log" behind them makes bins that are equal on a logarithmic axis. Without edges they are the standard ones, without
 * bins too. Observables are pt(k), eta(k), y(k), energy(k), dphi(i,j), deta(i,j), dr(i,j), mass(i,j,...), ht, dr_min, dr_max
 * and weight; gluon 1 is that of the largest pT. One that a standard histogram has takes its place; a second one of the same
 * gets a letter behind its name. At most 32. */
BG_API bg_status bg_histograms_book(bg_histograms *histograms, const char *text, bg_error *error);
BG_API int bg_histograms_size(const bg_histograms *histograms);

/* Of histogram k: its name (such as "pt_1"), the title of its axis ("p_T of gluon 1 [GeV]"), how many bins it has, and whether
 * they are equal on a logarithmic axis. NULL and 0 where there is no such histogram. */
BG_API const char *bg_histograms_name(const bg_histograms *histograms, int k);
BG_API const char *bg_histograms_title(const bg_histograms *histograms, int k);
BG_API int bg_histograms_bins(const bg_histograms *histograms, int k);
BG_API int bg_histograms_logarithmic(const bg_histograms *histograms, int k);

/* Its numbers, each where there is an array for it: the bins + 1 edges; what every bin adds to sigma, in pb; the error of
 * that; and how many points of equal weight would say as much, (sum w)^2 / sum w^2. With standard edges the first and the last
 * bin hold what lies beyond as well, so that all add up to sigma; with your own it is left to bg_histograms_beyond(). */
BG_API bg_status bg_histograms_read(const bg_histograms *histograms, int k, double *edges, double *sigma_pb,
                                    double *error_pb, double *entries, bg_error *error);

/* The smallest and the largest share of every bin among the variations of scales, sigma_pb included; arrays of one number a
 * bin. BG_ERROR_UNSUPPORTED where there are none: bg_integration.variations did not ask for scales, or it is the histogram of
 * the weights. */
BG_API bg_status bg_histograms_band(const bg_histograms *histograms, int k, double *least_pb, double *most_pb,
                                    bg_error *error);

/* What lies below the first edge and above the last of histogram k, and in none of its bins. */
BG_API bg_status bg_histograms_beyond(const bg_histograms *histograms, int k, double sigma_pb[2], double error_pb[2],
                                      bg_error *error);
BG_API void bg_histograms_destroy(bg_histograms *histograms);

/* ---- phase-space points by number ------------------------------------------------------------------ */

/* The generator of trial points of an integration (sqrts, cuts, phase space) with the seed of the options. Its grid is
 * uniform until bg_integrate() has left an adapted one in it. */
BG_API bg_status bg_generator_create(bg_generator **generator, const bg_process *process, const bg_options *options,
                                     const bg_integration *integration, bg_error *error);

/* The trial points of the given event numbers: momenta [count][2 + n_out][4] and the weight in pb without |M|^2, so that
 * sigma is the mean of weight times |M|^2. Both are 0 outside the cuts. A point depends on seed, grid and number alone. */
BG_API bg_status bg_generator_points(const bg_generator *generator, size_t count, const uint64_t *event,
                                     double *momenta, double *weight, bg_error *error);
BG_API void bg_generator_destroy(bg_generator *generator);

/* ---- what this library can do here ---------------------------------------------------------- */

/* Backends that are built in: k = 0, 1, ...; NULL past the last. */
BG_API const char *bg_backend_name(int k);

/* BG_OK and a description of the hardware where backend `name` can run here; otherwise why not. */
BG_API bg_status bg_backend_probe(const char *name, char *description, size_t size, bg_error *error);

/* What a backend can do besides matrix elements and cross sections; sums of these. */
enum {
    BG_CAN_CHOOSE_THREADS = 1,        /* options.threads */
    BG_CAN_CHOOSE_INSTRUCTIONS = 2,   /* options.instruction_set */
    BG_CAN_USE_QUAD = 4,              /* options.floats */
    BG_CAN_CHOOSE_DEVICE = 8,         /* options.device: it has devices with memory of their own */
    BG_CAN_TAKE_DEVICE_POINTERS = 16, /* bg_evaluator_evaluate_device() */
    BG_CAN_RUN_HYBRID = 32,           /* integration.hybrid */
    BG_CAN_DELIVER_POINTS = 64        /* integration.receive */
};

typedef struct bg_backend_info {
    size_t size; /* of this struct, set by bg_backend_info_init() */
    const char *name;
    unsigned capabilities;            /* BG_CAN_... */
    int usable;                       /* here and now */
    int threads;                      /* that it uses unless told otherwise; 1 where there is no choice */
    int devices;                      /* that there are; 1 where there is no choice */
    char description[BG_NOTE_LENGTH]; /* of the hardware, or why it is not usable */
} bg_backend_info;

static inline void bg_backend_info_init(bg_backend_info *info) { bg_clear(info, sizeof *info); }
BG_API bg_status bg_backend_describe(const char *name, bg_backend_info *info, bg_error *error);

/* BG_CAN_... of a backend, whether or not it is usable: no hardware is asked, which takes some tenths of a second where there is a GPU.
 * 0: there is no backend of that name. */
BG_API unsigned bg_backend_capabilities(const char *name);

/* Whether a part was built in: "openmp", "cuda", "quad", "avx2", "avx512". -1: unknown name. */
BG_API int bg_built_with(const char *part);

/* ---- the choice that `auto` makes -------------------------------------------------------------- */

typedef enum bg_purpose {
    BG_FOR_MATRIX_ELEMENTS = 0,
    BG_FOR_CROSS_SECTION,          /* of exact |M|^2 at all points */
    BG_FOR_ESTIMATED_CROSS_SECTION /* ... at few: |M|^2 is estimated first (bg_integration.estimate) */
} bg_purpose;

typedef struct bg_choice {
    size_t size;       /* of this struct, set by bg_choice_init() */
    char strategy[32]; /* its name, "" where color, recursion and helicity were all given */
    char backend[16];  /* it was made for */
    double
        seconds; /* foreseen for a cross section at the paper's set-up, `precision` and hardware as below; 0: unknown */
    double precision;    /* relative error that `seconds` are for */
    const char *machine; /* on which `seconds` were measured once */
} bg_choice;

static inline void bg_choice_init(bg_choice *choice) { bg_clear(choice, sizeof *choice); }

/* The purpose of bg_integrate() with these options: whether it estimates |M|^2 first, as far as it is left to choose. One of them
 * NULL or no such struct: BG_FOR_CROSS_SECTION. */
BG_API bg_purpose bg_integration_purpose(const bg_options *options, const bg_integration *integration);

/* What would be chosen for the process and purpose: the strategy, and in `resolved` (may be NULL, otherwise initialized) the
 * options with everything that was open filled in. For backend "auto" it is that of the first backend that can run here. */
BG_API bg_status bg_choose(const bg_process *process, const bg_options *options, bg_purpose purpose, bg_choice *choice,
                           bg_options *resolved, bg_error *error);

#ifdef __cplusplus
}
#endif

#endif

/* ---- experimental: may change with every release --------------------------------------------------------------------- */

#if defined(BLOCKGEN_EXPERIMENTAL) && !defined(BLOCKGEN_EXPERIMENTAL_H)
#define BLOCKGEN_EXPERIMENTAL_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the table of strategies: ways to answer the question that are worth a comparison ---------- */

typedef struct bg_strategy {
    const char *name;       /* such as "co-sum-invariants" */
    bg_algorithm algorithm; /* of the paper that it is, or is a variant of */
    bg_color color;
    bg_recursion recursion;
    bg_helicity helicity;
    bg_helicity_sampling helicity_sampling;
    bg_kernel kernel;
    bg_orderings orderings;
    bg_layout layout;
    int most_out;         /* n_out from BG_MIN_OUT to this */
    int integration_only; /* helicities are chosen while integrating: there are no matrix elements of given points */
} bg_strategy;

/* k = 0, 1, ...; NULL past the last, or where nothing has that name. */
BG_API const bg_strategy *bg_strategy_at(int k);
BG_API const bg_strategy *bg_strategy_find(const char *name);

/* Sets the axes of a strategy and leaves the rest alone. */
BG_API bg_status bg_options_set_strategy(bg_options *options, const char *name, bg_error *error);

/* ---- events ------------------------------------------------------------------------------------ */

/* Color flows: which partons of an event are joined by a line of color, as parton showers want to know. A flow is drawn with
 * the square of the amplitude of its color structure as its probability, at given helicities or summed over them. From
 * n_out = 8 gluons on (9 with given helicities), alone or on one quark line, the probability is that of the antenna,
 * 1 / (s_12 s_23 ...), instead: bg_flow_is_exact() tells. For class k of a process; one flow is for one thread at a time. */
typedef struct bg_flow bg_flow;
BG_API bg_status bg_flow_create(bg_flow **flow, const bg_process *process, int k, bg_error *error);
BG_API int bg_flow_is_exact(const bg_flow *flow, int helicities_given);

/* Draws the flow of one point: momenta [2 + n_out][4] of the representative's legs, `helicities` such as "+-+-" in the
 * order of the legs, or NULL for their sum. color[2 * leg] and color[2 * leg + 1] become color and anticolor of each
 * leg, tags from 501 on, 0 for none. `pdg` has the partons of a channel of the class (bg_process_channel_at()), NULL
 * are those of the representative: where quarks are antiquarks there, color and anticolor are exchanged. What is drawn
 * depends on seed and event number alone. */
BG_API bg_status bg_flow_draw(bg_flow *flow, const int *pdg, const double *momenta, const char *helicities,
                              uint64_t seed, uint64_t event, int *color, bg_error *error);
BG_API void bg_flow_destroy(bg_flow *flow);

/* An event as event files have it. Legs are the two incoming partons and the outgoing ones. */
#define BG_EVENT_LEGS 16
#define BG_HELICITY_UNKNOWN 9

typedef struct bg_event {
    uint64_t number; /* with the seed it makes the event again */
    int process;     /* its class, from 0: a row in the list of processes of a file */
    int legs;        /* 2 + n_out */
    double weight;   /* 1, or pb: see docs/events.md */
    double trials;   /* points that were tried for it */
    double scale;    /* GeV, where a shower starts; never 0 */
    double muf, mur; /* GeV, factorization and renormalization scale */
    double alpha_s;  /* at mur */
    double x[2];     /* fractions of the beams' momenta, the one along +z first; 1 where beams are partons */
    double xf[2];    /* x f(x) of the partons there at muf; 0 where beams are partons */
    int pdg[BG_EVENT_LEGS];
    int color[BG_EVENT_LEGS][2];       /* color, anticolor */
    int helicity[BG_EVENT_LEGS];       /* 1, -1, or BG_HELICITY_UNKNOWN where they were summed over */
    double momentum[BG_EVENT_LEGS][4]; /* E, px, py, pz, physical energies */
    const double
        *variation; /* weights of the variations of a file, in the unit of `weight`; NULL where there are none */
} bg_event;

/* What is known of a run that makes events. */
typedef struct bg_generation_result {
    size_t size;               /* of this struct, set by bg_generation_result_init() */
    double sigma_pb, error_pb; /* of the integration before */
    int pdf_id;                /* LHAPDF's number of the parton densities; 0: none */
    uint64_t events, trials;   /* made, and the trial points that this took */
    double efficiency;         /* events of a trial point */
    double overweight_share;   /* of the sum of all weights: events of a weight above the usual one */
    double largest_weight;     /* in units of the usual one */
    double cut_share;          /* of the cross section: what points have above the usual weight where overweight is 0 */
    double seconds, seconds_events; /* of all, and without the integration */
    /* bg_integration.variations: weights of every event, those of scales first, then those of members 1, 2, ..; the names are
     * there from `begin` to the last event. */
    int variations, scale_variations;
    const char *const *variation_names;
    const char *pdf_error_type; /* what members mean, in the words of the set; NULL: no members */
    int estimated;              /* |M|^2 is estimated first (bg_integration.estimate) */
    double evaluated;           /* |M|^2 that the events took, about, by the rates of a survey */
} bg_generation_result;

static inline void bg_generation_result_init(bg_generation_result *result) { bg_clear(result, sizeof *result); }

/* Which events, and who takes them. */
typedef struct bg_generation {
    size_t size;     /* of this struct, set by bg_generation_init() */
    uint64_t events; /* exactly so many */
    double
        overweight; /* share of the cross section that points above the largest usual weight may carry: 0 to 0.5. With 0
                          all events have the same weight: the usual one is the largest of a survey, and a point above it
                          counts as one at it */
    int weighted;   /* 1: points inside the cuts are events, with their weights */
    int softest_scale; /* 1: showers start at the smallest pT, 0: at the scale of the event */
    uint64_t skip;     /* events of the beginning that are not handed over: to go on where a run has stopped */
    /* Of these events, one more than the number of the last of every class, 0 where there is none, so that they need not be made
     * again; NULL: they are. */
    const uint64_t *used;
    /* A file that keeps what was learned before the first event (grids, largest weights), or NULL. With `go_on` it is
     * read where it is there, and nothing has to be integrated; otherwise it is written. */
    const char *state;
    int go_on;
    /* Called once, before the first event, with sigma and its error; non-zero stops. It may set `skip` and `used`. NULL: not
     * wanted. */
    int (*begin)(const bg_generation_result *result, void *user);
    /* Called with every batch of events, in their order, by the thread that called bg_events_generate(). Weights are in pb,
     * and the mean over all events is sigma. Non-zero stops. */
    int (*receive)(const bg_event *event, size_t count, void *user);
    void *user; /* handed to both */
    /* With a communicator. 0: rank 0 is called back, with all events. 1: every rank is, by `begin` and then with its part of
     * every batch, none as well, so that ranks can write a file together: the parts of ranks 0, 1, .. one after the other
     * are the batch. Then `skip` and `used` are to be the same on all ranks. */
    int shared;
} bg_generation;

/* A thousand unweighted events, of which those above the largest usual weight carry a thousandth of the cross section. */
BG_API void bg_generation_init(bg_generation *generation);

/* Integrates to the goal of `integration`, finds the largest weights and makes events. Same seed, goal and number of
 * events, same events, whatever the threads are. With a communicator every rank calls this; the events are those of one rank, and
 * rank 0 is called back unless generation->shared says otherwise. */
BG_API bg_status bg_events_generate(const bg_process *process, const bg_options *options,
                                    const bg_integration *integration, const bg_generation *generation,
                                    bg_generation_result *result, bg_error *error);

/* Where an event comes from: the numbers on its way from a random point to a weight. Where |M|^2 is estimated first,
 * weight_pb is that of a point which was kept, over the probability of that, and so is phase_space. */
typedef struct bg_event_origin {
    size_t size;        /* of this struct, set by bg_event_origin_init() */
    uint64_t seed;      /* of its class: with the number of the event it fixes all random numbers */
    double weight_pb;   /* of the trial point: sigma of a class is the mean over its trial points */
    double largest_pb;  /* the usual largest weight of its class; 0 where events are weighted */
    double chance;      /* the random number that weight_pb / largest_pb was above */
    int exchanged;      /* the first leg of the class's representative flies along -z */
    double luminosity;  /* of the class: products of densities, summed over its channels; 0 where beams are partons */
    double me2;         /* |M|^2, exact, with the coupling of the event; NaN: too many partons */
    double estimate;    /* the cheap estimate of |M|^2, up to a constant of the class; NaN: there is none */
    double phase_space; /* weight_pb over me2 and luminosity: phase space and flux */
} bg_event_origin;

static inline void bg_event_origin_init(bg_event_origin *origin) { bg_clear(origin, sizeof *origin); }

/* A run whose events are made again from their numbers. Opening it integrates and surveys as bg_events_generate() does, or
 * reads generation->state; of `generation` it takes what events depend on. The process must live as long. */
typedef struct bg_event_run bg_event_run;
BG_API bg_status bg_event_run_create(bg_event_run **run, const bg_process *process, const bg_options *options,
                                     const bg_integration *integration, const bg_generation *generation,
                                     bg_error *error);

/* Makes event `number` of class k again, as event files name them, and tells where it comes from. BG_ERROR_POINT: that point
 * is outside the cuts. */
BG_API bg_status bg_event_run_make(bg_event_run *run, int k, uint64_t number, bg_event *event, bg_event_origin *origin,
                                   bg_error *error);
BG_API void bg_event_run_destroy(bg_event_run *run);

/* ---- instruments for benchmarks ------------------------------------------------------------------ */

/* As bg_evaluator_create_stoppable(), but for the events of an integration: helicities may also be selected point by point
 * (adaptive, invariants), and `auto` means the fastest for a cross section. What is timed below asks `asked` as well. */
BG_API bg_status bg_evaluator_create_for(bg_evaluator **evaluator, const bg_process *process, const bg_options *options,
                                         bg_purpose purpose, int (*asked)(void *user), void *user, bg_error *error);

/* Points that an evaluator makes, evaluates and adds up as an integration does. */
typedef struct bg_event_timing {
    double seconds;             /* on the wall */
    double phase_space_seconds; /* of them: the points, before the matrix elements; 0 where the backend does not tell */
    uint64_t accepted;          /* inside the cuts */
    uint64_t next_event;        /* behind the numbers that were used up */
} bg_event_timing;

/* Times `count` trial points from event number `first_event` on, which is a multiple of 2048 or the next_event of the call
 * before. */
BG_API bg_status bg_evaluator_time_events(bg_evaluator *evaluator, const bg_generator *generator, uint64_t first_event,
                                          uint64_t count, bg_event_timing *timing, bg_error *error);

/* The same, and the generator's grid learns from the points, as after an iteration of an integration. The first call only
 * finds the scale of the weights. */
BG_API bg_status bg_generator_adapt(bg_generator *generator, bg_evaluator *evaluator, uint64_t first_event,
                                    uint64_t count, bg_event_timing *timing, bg_error *error);

/* The points alone: random numbers, phase space, cuts, packing of those inside. Repetition r has events first_event + r *
 * count and following; `accepted` gets the points of all repetitions that are inside. `coin` above 0: instead of the cuts a
 * coin decides, which lets this share of the points pass, so that the difference is the time of the cuts. */
BG_API bg_status bg_evaluator_time_points(bg_evaluator *evaluator, const bg_generator *generator, double coin,
                                          uint64_t first_event, uint64_t count, int repetitions, double *seconds_each,
                                          uint64_t *accepted, bg_error *error);

/* Times `repetitions` evaluations of the same points [count][n][4] by the clock of the device, without copies: count from 1
 * to memory.batch, event numbers 0 to count - 1, all draws of options.samples included. BG_ERROR_UNSUPPORTED where a
 * backend has no clock of its own: take the time of bg_evaluator_evaluate(). */
BG_API bg_status bg_evaluator_time_device(bg_evaluator *evaluator, const double *momenta, size_t count, int repetitions,
                                          double *seconds_each, bg_error *error);

/* Seconds of the two parts of a matrix element with summed colors: everything up to the amplitudes of all orderings,
 * and the sum over colors. */
typedef struct bg_stages {
    double amplitudes, color_sum;
} bg_stages;

/* The parts of the same, each[r] for repetition r. BG_ERROR_UNSUPPORTED where the amplitudes are not apart from the color
 * sum; no repetitions: just that question. */
BG_API bg_status bg_evaluator_time_stages(bg_evaluator *evaluator, const double *momenta, size_t count, int repetitions,
                                          bg_stages *each, bg_error *error);

/* One matrix element, all draws of it. A multiply-add is two operations; 0: not counted. */
typedef struct bg_operations {
    double amplitudes, color_sum;
    int tensor;   /* the color sum runs on tensor cores */
    double bytes; /* to and from memory at least: the momenta and the result */
} bg_operations;

BG_API bg_status bg_evaluator_operations(bg_evaluator *evaluator, bg_operations *operations, bg_error *error);

/* The limits of the hardware, measured: with one thread, and with `threads`, which is all of it. A device has no
 * threads to choose: both are the same and `threads` is 1. */
typedef struct bg_roofline {
    int threads;
    double gflops[2];     /* FP64 multiply-adds in registers, 2 operations each */
    double tensor_gflops; /* the same on tensor cores, 0: none */
    double gigabytes[2];  /* a second, to and from memory; 0: there was no time for it */
} bg_roofline;

/* Measures for about `seconds`; device < 0: the default one. The memory of a host takes a good part of a second, since the arrays
 * are larger than its caches: it is left out below BG_ROOFLINE_MEMORY_SECONDS. Asks `asked` (NULL: nobody) between its parts whether to stop. */
#define BG_ROOFLINE_MEMORY_SECONDS 0.02
BG_API bg_status bg_backend_roofline(const char *name, int device, double seconds, int (*asked)(void *user), void *user,
                                     bg_roofline *roofline, bg_error *error);

#ifdef __cplusplus
}
#endif

#endif
