/* Options: defaults, by name, presets, and whether they make sense. */
#include "backend/plan.h"
#include "base/sized.h"
#include "base/status.h"
#include "engine/choice.h"
#include "engine/evaluator.h"
#include "process/options.h"
#include "process/strategy.h"

#include <string.h>

/* ---- defaults ------------------------------------------------------------------------------------------------ */

/* Ours, cut to the caller's length, and 0 beyond it. */
static void init(bg_option_owner owner, void *ours, size_t known, void *caller, size_t size)
{
    if (!caller || size < 2 * sizeof size) return;
    bg_option_defaults(owner, ours, known, size);
    memset(caller, 0, size);
    memcpy(caller, ours, size < known ? size : known);
}

void bg_options_init_sized(bg_options *options, size_t size)
{
    bg_options ours;
    init(BG_OPTION_OF_ALGORITHM, &ours, sizeof ours, options, size);
}

void bg_integration_init_sized(bg_integration *integration, size_t size)
{
    bg_integration ours;
    init(BG_OPTION_OF_INTEGRATION, &ours, sizeof ours, integration, size);
}

/* ---- by name --------------------------------------------------------------------------------------------------- */

const bg_option *bg_option_at(int k) { return k >= 0 && k < bg_option_rows ? &bg_option_table[k].shown : NULL; }

const bg_option *bg_option_find(const char *name)
{
    const option_row *row = bg_option_row(BG_OPTION_OF_ALGORITHM, name);
    if (!row) row = bg_option_row(BG_OPTION_OF_INTEGRATION, name);
    return row ? &row->shown : NULL;
}

/* The row of a name. `no` is set where a flag was named with "no-" before it. */
static bg_status find(bg_option_owner owner, const char *name, const option_row **row, int *no, bg_error *error)
{
    if (!name) return bg_fail(error, BG_ERROR_ARGUMENT, "the name of the option is NULL");
    *row = bg_option_row(owner, name);
    *no = 0;
    if (!*row && !strncmp(name, "no-", 3)) {
        *row = bg_option_row(owner, name + 3);
        if (*row && (*row)->shown.kind != BG_OPTION_FLAG) *row = NULL;
        *no = *row != NULL;
    }
    if (*row) return BG_OK;
    const char *nearest = bg_option_nearest(owner, name);
    if (nearest) return bg_fail(error, BG_ERROR_ARGUMENT, "unknown option '%.100s'; did you mean '%s'?", name, nearest);
    return bg_fail(error, BG_ERROR_ARGUMENT, "unknown option '%.100s'; bg_option_at() lists those that there are",
                   name);
}

static bg_status set(bg_option_owner owner, void *object, const char *what, const char *name, const char *value,
                     bg_error *error)
{
    const option_row *row;
    int no;
    bg_status status = bg_sized_check(object, what, error);
    if (status == BG_OK) status = find(owner, name, &row, &no, error);
    if (status != BG_OK) return status;
    if (row->shown.kind == BG_OPTION_FLAG && (!value || !*value)) value = "yes"; /* as on a command line */
    status = bg_option_store(row, object, value, error);
    if (status != BG_OK || !no) return status;
    char stored[8];
    status = bg_option_print(row, object, stored, sizeof stored, error);
    return status == BG_OK ? bg_option_store(row, object, strcmp(stored, "yes") ? "yes" : "no", error) : status;
}

static bg_status get(bg_option_owner owner, const void *object, const char *what, const char *name, char *value,
                     size_t room, bg_error *error)
{
    const option_row *row;
    int no;
    if (!value || !room) return bg_fail(error, BG_ERROR_ARGUMENT, "value must not be NULL, room not 0");
    value[0] = '\0';
    bg_status status = bg_sized_check(object, what, error);
    if (status == BG_OK) status = find(owner, name, &row, &no, error);
    return status == BG_OK ? bg_option_print(row, object, value, room, error) : status;
}

bg_status bg_options_set(bg_options *options, const char *name, const char *value, bg_error *error)
{
    return set(BG_OPTION_OF_ALGORITHM, options, "options", name, value, error);
}

bg_status bg_options_get(const bg_options *options, const char *name, char *value, size_t room, bg_error *error)
{
    return get(BG_OPTION_OF_ALGORITHM, options, "options", name, value, room, error);
}

bg_status bg_integration_set(bg_integration *integration, const char *name, const char *value, bg_error *error)
{
    return set(BG_OPTION_OF_INTEGRATION, integration, "integration", name, value, error);
}

bg_status bg_integration_get(const bg_integration *integration, const char *name, char *value, size_t room,
                             bg_error *error)
{
    return get(BG_OPTION_OF_INTEGRATION, integration, "integration", name, value, room, error);
}

/* ---- presets ---------------------------------------------------------------------------------------------------- */

const char *bg_algorithm_name(bg_algorithm algorithm)
{
    return (unsigned)algorithm < BG_ALGORITHM_COUNT ? bg_algorithm_word(algorithm) : NULL;
}

bg_status bg_algorithm_parse(bg_algorithm *algorithm, const char *name, bg_error *error)
{
    if (!algorithm) return bg_fail(error, BG_ERROR_ARGUMENT, "algorithm is NULL: no place for the result");
    for (int k = 0; k < BG_ALGORITHM_COUNT; k++)
        if (name && !strcmp(name, bg_algorithm_word((bg_algorithm)k))) {
            *algorithm = (bg_algorithm)k;
            return bg_succeed(error);
        }
    return bg_fail(error, BG_ERROR_ARGUMENT, "unknown algorithm '%s'; it must be tess, lc, co-sum, co-mc or cd-mc",
                   name ? name : "");
}

bg_status bg_options_set_algorithm(bg_options *options, bg_algorithm algorithm, bg_error *error)
{
    const bg_status status = bg_sized_check(options, "options", error);
    if (status != BG_OK) return status;
    if ((unsigned)algorithm >= BG_ALGORITHM_COUNT)
        return bg_fail(error, BG_ERROR_ARGUMENT, "algorithm is %d; it must be 0 to %d", (int)algorithm,
                       BG_ALGORITHM_COUNT - 1);
    bg_algorithm_apply(options, algorithm);
    return bg_succeed(error);
}

const bg_strategy *bg_strategy_at(int k) { return k >= 0 && k < bg_strategy_rows ? &bg_strategy_table[k] : NULL; }

const bg_strategy *bg_strategy_find(const char *name) { return bg_strategy_row(name); }

bg_status bg_options_set_strategy(bg_options *options, const char *name, bg_error *error)
{
    const bg_status status = bg_sized_check(options, "options", error);
    const bg_strategy *strategy = bg_strategy_row(name);
    if (status != BG_OK) return status;
    if (!strategy)
        return bg_fail(error, BG_ERROR_ARGUMENT,
                       "unknown strategy '%.100s'; bg_strategy_at() lists those that there are", name ? name : "");
    bg_strategy_apply(options, strategy);
    return bg_succeed(error);
}

void bg_options_set_automatic(bg_options *options)
{
    if (!options) return;
    options->color = BG_COLOR_AUTO;
    options->recursion = BG_RECURSION_AUTO;
    options->helicity = BG_HELICITY_AUTO;
}

/* ---- questions about them ---------------------------------------------------------------------------------------- */

int bg_options_are_automatic(const bg_options *options) { return options && bg_choice_is_open(options); }

int bg_options_are_sampled(const bg_options *o)
{
    return o && (o->color == BG_COLOR_SAMPLED || o->helicity == BG_HELICITY_SAMPLED ||
                 (o->color == BG_COLOR_LEADING && o->orderings == BG_ORDERINGS_ONE));
}

int bg_options_have_fast_kernel(const bg_options *options)
{
    bg_options o;
    if (bg_options_adopt(&o, options, NULL) != BG_OK) return 0;
    o.kernel = BG_KERNEL_FAST;
    return o.floats == BG_FLOATS_DOUBLE && (bg_options_want_fast(&o) || bg_options_want_coherent(&o));
}

bg_status bg_options_check(const bg_process *process, const bg_options *options, bg_error *error)
{
    bg_options o;
    bg_status status = bg_options_adopt(&o, options, error);
    if (status != BG_OK) return status;
    int n_out = BG_MIN_OUT;
    if (o.helicity == BG_HELICITY_FIXED) { /* as many as there are helicities */
        n_out = (int)strnlen(o.helicities, sizeof o.helicities) - 2;
        if (n_out < BG_MIN_OUT || n_out > BG_MAX_OUT_DRESSED) n_out = BG_MIN_OUT;
    }
    const bg_subprocess any = bg_subprocess_gluons(n_out);
    const bg_request request = {.process = process ? &process->subprocess[0] : &any,
                                .options = &o,
                                .purpose = BG_FOR_CROSS_SECTION,
                                .local_rank = -1};
    return bg_request_check(&request, error);
}
