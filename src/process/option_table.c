/* The table of all options. A new option is a field at the end of its struct and a row here. */
#include "process/options.h"
#include "base/limits.h"

#include <limits.h>

/* Words of the enumerations, in their order. */
static const char *const algorithm_words[] = {"tess", "lc", "co-sum", "co-mc", "cd-mc", NULL};
static const char *const color_words[] = {"auto", "summed", "sampled", "leading", NULL};
static const char *const recursion_words[] = {"auto", "ordered", "dressed", NULL};
static const char *const helicity_words[] = {"auto", "summed", "sampled", NULL};
static const char *const kernel_words[] = {"fast", "paper", NULL};
static const char *const backend_words[] = {"auto", "cpu", "cuda", NULL};
static const char *const helicity_sampling_words[] = {"angle",    "phase",      "linear", "circular",
                                                      "adaptive", "invariants", "masses", NULL};
static const char *const color_sampling_words[] = {"auto", "continuous", "discrete", "coherent", NULL};
static const char *const vertex_words[] = {"quartic", "tensor", NULL};
static const char *const decomposition_words[] = {"adjoint", "trace", NULL};
static const char *const orderings_words[] = {"all", "one", NULL};
static const char *const layout_words[] = {"events", "cooperative", NULL};
static const char *const floats_words[] = {"double", "quad", NULL};
static const char *const instruction_set_words[] = {"auto", "baseline", "avx2", "avx512", NULL};
static const char *const phase_space_words[] = {"adaptive", "rambo", NULL};
static const char *const estimate_words[] = {"auto", "on", "off", NULL};

static const char ALGORITHM[] = "algorithm", SAMPLING[] = "sampling", MACHINE[] = "machine", CUTS[] = "cuts",
                  GOAL[] = "goal", FILES[] = "files", BEAMS[] = "beams";

enum { IGNORED = 0, MATTERS = 1 };

#define SHOWN(name_, owner_, kind_, group_, values_, argument_, low_, high_, standard_, matters_, help_)               \
    .shown = {.size = sizeof(bg_option),                                                                               \
              .name = name_,                                                                                           \
              .owner = owner_,                                                                                         \
              .kind = kind_,                                                                                           \
              .group = group_,                                                                                         \
              .values = values_,                                                                                       \
              .argument = argument_,                                                                                   \
              .low = low_,                                                                                             \
              .high = high_,                                                                                           \
              .standard = standard_,                                                                                   \
              .help = help_,                                                                                           \
              .matters = matters_}

/* Fields of bg_options. */
#define FIELD(field) .offset = offsetof(bg_options, field), .room = sizeof((bg_options *)0)->field
#define CHOICE(name, field, group, words, standard, matters, help)                                                     \
    {                                                                                                                  \
        SHOWN(name, BG_OPTION_OF_ALGORITHM, BG_OPTION_CHOICE, group, words, NULL, 0., 0., standard, matters, help),    \
            .storage = OPTION_INT, FIELD(field)                                                                        \
    }
#define INTEGER(name, field, group, argument, low, high, standard, matters, help)                                      \
    {                                                                                                                  \
        SHOWN(name, BG_OPTION_OF_ALGORITHM, BG_OPTION_INTEGER, group, NULL, argument, low, high, standard, matters,    \
              help),                                                                                                   \
            .storage = OPTION_INT, FIELD(field)                                                                        \
    }

/* Fields of bg_integration. */
#define OF_INTEGRATION(field) .offset = offsetof(bg_integration, field), .room = sizeof((bg_integration *)0)->field
#define REAL(name, field, group, argument, low, high, standard, matters, help)                                         \
    {                                                                                                                  \
        SHOWN(name, BG_OPTION_OF_INTEGRATION, BG_OPTION_REAL, group, NULL, argument, low, high, standard, matters,     \
              help),                                                                                                   \
            .storage = OPTION_DOUBLE, OF_INTEGRATION(field)                                                            \
    }
#define TEXT(name, field, help)                                                                                        \
    {                                                                                                                  \
        SHOWN(name, BG_OPTION_OF_INTEGRATION, BG_OPTION_TEXT, FILES, NULL, "FILE", 0., 0., "", IGNORED, help),         \
            .storage = OPTION_POINTER, OF_INTEGRATION(field)                                                           \
    }

#define WORDS(name, field, group, argument, standard, help)                                                            \
    {                                                                                                                  \
        SHOWN(name, BG_OPTION_OF_INTEGRATION, BG_OPTION_TEXT, group, NULL, argument, 0., 0., standard, MATTERS, help), \
            .storage = OPTION_POINTER, OF_INTEGRATION(field)                                                           \
    }

const option_row bg_option_table[] = {
    {SHOWN("algorithm", BG_OPTION_OF_ALGORITHM, BG_OPTION_CHOICE, ALGORITHM, algorithm_words, NULL, 0., 0., "", IGNORED,
           "one of the paper's algorithms: sets color, recursion, helicity and layout"),
     .storage = OPTION_ALGORITHM, .offset = offsetof(bg_options, color), .room = sizeof(bg_color)},
    CHOICE("color", color, ALGORITHM, color_words, "summed", MATTERS,
           "how colors are treated; auto: whatever answers the question fastest"),
    CHOICE("recursion", recursion, ALGORITHM, recursion_words, "ordered", MATTERS,
           "currents of the recursion; auto: what goes with the colors"),
    {SHOWN("helicity", BG_OPTION_OF_ALGORITHM, BG_OPTION_CHOICE, ALGORITHM, helicity_words, "STRING", 0., 0., "summed",
           MATTERS, "how helicities are treated; STRING like +-+--+, incoming gluons first"),
     .storage = OPTION_HELICITY, FIELD(helicity)},
    CHOICE("kernel", kernel, ALGORITHM, kernel_words, "fast", IGNORED, "the fastest kernel, or the paper's own"),
    CHOICE("helicity-sampling", helicity_sampling, SAMPLING, helicity_sampling_words, "angle", MATTERS,
           "how sampled helicities are drawn"),
    CHOICE(
        "color-sampling", color_sampling, SAMPLING, color_sampling_words, "auto", MATTERS,
        "how sampled colors of the dressed recursion are drawn; auto: coherent, or continuous with the paper's kernel"),
    INTEGER("color-group", color_group, SAMPLING, "K", 0., BG_MOST_GROUP, "0", MATTERS,
            "coherent sampling: number of events that share colors, a power of two; 0: chosen automatically"),
    INTEGER("samples", samples, SAMPLING, "K", 1., INT_MAX, "1", IGNORED,
            "number of random draws per point where colors, helicities or orderings are sampled"),
    {SHOWN("seed", BG_OPTION_OF_ALGORITHM, BG_OPTION_COUNT, SAMPLING, NULL, "S", 0., 0., "1", MATTERS,
           "seed of the random numbers"),
     .storage = OPTION_UINT64, FIELD(seed)},
    CHOICE("vertex", vertex, ALGORITHM, vertex_words, "quartic", IGNORED,
           "four-gluon vertex of the paper's ordered recursion: explicit, or an auxiliary tensor"),
    CHOICE("decomposition", decomposition, ALGORITHM, decomposition_words, "adjoint", MATTERS,
           "basis of the color sum; trace is for n_out <= 4"),
    CHOICE("orderings", orderings, ALGORITHM, orderings_words, "all", MATTERS,
           "leading color: all orderings, or one random ordering per draw"),
    CHOICE("layout", layout, ALGORITHM, layout_words, "events", IGNORED,
           "leading color: one lane per event, or several"),
    {SHOWN("alpha-s", BG_OPTION_OF_ALGORITHM, BG_OPTION_REAL, ALGORITHM, NULL, "X", 1e-6, 10., "0.118", MATTERS,
           "strong coupling"), /* squares of weights must stay within the range of a double */
     .storage = OPTION_DOUBLE, FIELD(alpha_s)},
    {SHOWN("backend", BG_OPTION_OF_ALGORITHM, BG_OPTION_CHOICE, MACHINE, backend_words, NULL, 0., 0., "auto", IGNORED,
           "where to run; auto: on a device where there is one"),
     .storage = OPTION_WORD, FIELD(backend)},
    INTEGER("device", device, MACHINE, "K", -1., INT_MAX, "-1", IGNORED,
            "which device of a GPU backend; -1: the first, ranks take turns"),
    INTEGER("threads", threads, MACHINE, "N", 0., BG_MOST_THREADS, "0", IGNORED, "CPU threads, 0 for all cores"),
    CHOICE("instruction-set", instruction_set, MACHINE, instruction_set_words, "auto", IGNORED,
           "instructions of the CPU; auto: the best that it has"),
    CHOICE("floats", floats, MACHINE, floats_words, "double", MATTERS,
           "numbers of the matrix element; quad: 128 bits, CPU only, slow"),
    {SHOWN("rescue", BG_OPTION_OF_ALGORITHM, BG_OPTION_FLAG, MACHINE, NULL, NULL, 0., 1., "yes", MATTERS,
           "evaluate unstable points (nearly collinear gluons) again in 128-bit floats"),
     .storage = OPTION_INT, FIELD(rescue)},

    REAL("sqrts", sqrts, CUTS, "GEV", 1e-3, 1e8, "14000", MATTERS,
         "energy of the two partons together in their center of mass, or of two protons"),
    WORDS("pdf", pdf, BEAMS, "SET[:MEMBER]", "",
          "protons: parton densities in the format of LHAPDF; a small built-in set where none is given"),
    WORDS("scale", scale, BEAMS, "ht/2|ht|pt1|fixed:GEV", "ht/2",
          "protons: scale of densities and coupling; ht is the sum of all pT, pt1 the largest pT"),
    REAL("mur", mur, BEAMS, "X", 1e-3, 1e3, "1", MATTERS, "protons: renormalization scale in units of --scale"),
    REAL("muf", muf, BEAMS, "X", 1e-3, 1e3, "1", MATTERS, "protons: factorization scale in units of --scale"),
    {SHOWN("variations", BG_OPTION_OF_INTEGRATION, BG_OPTION_TEXT, BEAMS, NULL, "scale,pdf", 0., 0., "", IGNORED,
           "protons: what changes with the scales (factors 1/2 and 2), with the members of --pdf, or with both"),
     .storage = OPTION_POINTER, OF_INTEGRATION(variations)},
    REAL("pt-min", cuts.pt_min, CUTS, "GEV", 0., 1e8, "20", MATTERS, "least pT of every parton, 0: none"),
    REAL("eta-max", cuts.eta_max, CUTS, "ETA", 0., 1e3, "2.5", MATTERS, "largest |eta| of every parton, 0: none"),
    REAL("dr-min", cuts.dr_min, CUTS, "R", 0., 1e3, "0.4", MATTERS, "least DeltaR of every pair, 0: none"),
    REAL("mass-min", cuts.mass_min, CUTS, "GEV", 0., 1e8, "0", MATTERS, "least invariant mass of every pair, 0: none"),
    REAL("ht-min", cuts.ht_min, CUTS, "GEV", 0., 1e8, "0", MATTERS, "least scalar sum of pT, 0: none"),
    REAL("pt1-min", jet_cuts.leading_pt_min[0], CUTS, "GEV", 0., 1e8, "0", MATTERS,
         "least pT of the hardest parton, 0: none"),
    REAL("pt2-min", jet_cuts.leading_pt_min[1], CUTS, "GEV", 0., 1e8, "0", MATTERS,
         "least pT of the second hardest parton, 0: none"),
    REAL("pt3-min", jet_cuts.leading_pt_min[2], CUTS, "GEV", 0., 1e8, "0", MATTERS,
         "least pT of the third hardest parton, 0: none"),
    REAL("pt4-min", jet_cuts.leading_pt_min[3], CUTS, "GEV", 0., 1e8, "0", MATTERS,
         "least pT of the fourth hardest parton, 0: none"),
    REAL("pt-max", jet_cuts.pt_max, CUTS, "GEV", 0., 1e8, "0", MATTERS, "largest pT of every parton, 0: none"),
    REAL("eta-min", jet_cuts.eta_min, CUTS, "ETA", 0., 1e3, "0", MATTERS, "least |eta| of every parton"),
    REAL("dr-max", jet_cuts.dr_max, CUTS, "R", 0., 1e3, "0", MATTERS, "largest DeltaR of every pair, 0: none"),
    REAL("mass-max", jet_cuts.mass_max, CUTS, "GEV", 0., 1e8, "0", MATTERS,
         "largest invariant mass of every pair, 0: none"),
    REAL("kt-min", jet_cuts.kt_min, CUTS, "GEV", 0., 1e8, "0", MATTERS,
         "least kT: pT of every parton, and the lesser pT times DeltaR / R of every pair, 0: none"),
    REAL("kt-radius", jet_cuts.kt_radius, CUTS, "R", 1e-3, 1e3, "1", MATTERS, "R of --kt-min"),
    {SHOWN("phase-space", BG_OPTION_OF_INTEGRATION, BG_OPTION_CHOICE, CUTS, phase_space_words, NULL, 0., 0., "adaptive",
           MATTERS, "generator of points"),
     .storage = OPTION_INT, OF_INTEGRATION(phase_space)},
    {SHOWN("estimate", BG_OPTION_OF_INTEGRATION, BG_OPTION_CHOICE, ALGORITHM, estimate_words, NULL, 0., 0., "auto",
           MATTERS, "estimate |M|^2 cheaply and compute it for chosen points only; auto: where it saves time"),
     .storage = OPTION_INT, OF_INTEGRATION(estimate)},
    REAL("precision", precision, GOAL, "P", 0., 0.999, "0.01", IGNORED, "relative error to stop at, 0: no such goal"),
    {SHOWN("points", BG_OPTION_OF_INTEGRATION, BG_OPTION_COUNT, GOAL, NULL, "K", 0., 1e18, "0", IGNORED,
           "trial points to stop at, those that only adapt not counted, 0: no such goal"),
     .storage = OPTION_UINT64, OF_INTEGRATION(points)},
    REAL("time", seconds, GOAL, "SECONDS", 0., 1e9, "0", IGNORED,
         "wall time to stop at, that of the runs before a resume included, 0: no such goal"),
    {SHOWN("hybrid", BG_OPTION_OF_INTEGRATION, BG_OPTION_FLAG, GOAL, NULL, NULL, 0., 1., "no", IGNORED,
           "CPU threads generate points while a GPU evaluates those before"),
     .storage = OPTION_INT, OF_INTEGRATION(hybrid)},
    TEXT("checkpoint", checkpoint, "save the state now and then, and when interrupted"),
    REAL("checkpoint-interval", checkpoint_interval, FILES, "SECONDS", 0., 1e9, "60", IGNORED,
         "time between two checkpoints"),
    TEXT("resume", resume, "go on from a checkpoint"),
    {SHOWN("force", BG_OPTION_OF_INTEGRATION, BG_OPTION_FLAG, FILES, NULL, NULL, 0., 1., "no", IGNORED,
           "let --checkpoint replace the checkpoint of another run"),
     .storage = OPTION_INT, OF_INTEGRATION(force)},
};
const int bg_option_rows = sizeof bg_option_table / sizeof *bg_option_table;
