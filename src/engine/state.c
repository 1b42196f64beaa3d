/* The state of an integration as a parcel: what a checkpoint holds of it, and what events that are gone on with know. */
#include "engine/state.h"
#include "base/status.h"
#include "engine/sound.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* The sums of a tally, whose arrays have the size that they have. */
static void pass_tally(bg_tally *t, bg_parcel *p)
{
    const bg_tally own = *t;
    bg_tally counts = own;
    counts.importance = counts.helicity = counts.direction = NULL; /* an address means nothing in a file */
    bg_parcel_pass(p, &counts, sizeof counts);
    if (p->unpacking) {
        counts.dimensions = own.dimensions;
        counts.entries = own.entries;
        counts.cells = own.cells;
        counts.importance = own.importance;
        counts.helicity = own.helicity;
        counts.direction = own.direction;
        *t = counts;
    }
    bg_parcel_pass(p, own.importance,
                   bg_tally_importances(own.dimensions, own.entries, own.cells) * sizeof *own.importance);
}

/* `s` has no tables of its own: those are the arguments. Iterations are passed as far as there are any. */
static void pass_all(bg_state *s, bg_tally *tally, helicity_selector *selector, int64_t *integers, size_t count,
                     bg_parcel *p)
{
    bg_parcel_pass(p, s, offsetof(bg_state, iteration));
    if (!p->failed && s->iterations > 0 && s->iterations <= BG_MAX_ITERATIONS)
        bg_parcel_pass(p, s->iteration, (size_t)s->iterations * sizeof *s->iteration);
    pass_tally(tally, p);
    if (selector) bg_parcel_pass(p, selector->probability, bg_selector_numbers(selector->entries) * sizeof(double));
    bg_parcel_pass(p, integers, count * sizeof *integers);
}

/* Whether what came out of a parcel can be so; `read` has the tables. Histograms get their sums. */
static int is_sound(const bg_state *read, const bg_state *begun, const helicity_selector *fresh,
                    struct bg_histograms *h, const int64_t *integers)
{
    if (!bg_state_is_sound(read, begun, fresh)) return 0;
    if (!integers) return 1;
    if (!bg_sums_are_sound(integers, bg_histograms_integers(h) / BG_EXACT_DIGITS, begun->sifting.on)) return 0;
    bg_histograms_load(h, integers);
    return bg_histograms_are_sound(h, read);
}

/* What was read takes the place of the state, if it is of this question and sound. */
static bg_status take(bg_state *s, bg_state *read, struct bg_histograms *h, const int64_t *integers, const bg_parcel *p,
                      const char *path, bg_error *error)
{
    if (p->failed) return bg_fail(error, BG_ERROR_ARGUMENT, "'%s' is damaged: it ends too soon", path);
    const bg_status status = bg_question_compare(path, &read->question, &s->question, error);
    if (status != BG_OK) return status;
    helicity_selector *fresh = s->selector ? bg_selector_fresh(s->selector) : NULL;
    if (s->selector && !fresh) return bg_fail(error, BG_ERROR_MEMORY, "no memory to read '%s'", path);
    read->tally = s->tally;
    read->selector = s->selector;
    const int sound = is_sound(read, s, fresh, h, integers);
    bg_selector_destroy(fresh);
    if (!sound) return bg_fail(error, BG_ERROR_ARGUMENT, "'%s' is damaged: no run can have left it so", path);
    *s = *read;
    return BG_OK;
}

bg_status bg_state_pass(bg_state *s, struct bg_histograms *h, bg_parcel *p, const char *path, bg_error *error)
{
    const size_t count = bg_histograms_integers(h);
    bg_state *flat = calloc(1, sizeof *flat);
    int64_t *integers = count ? malloc(count * sizeof *integers) : NULL;
    bg_status status = BG_OK;
    if (!flat || (count && !integers)) status = bg_fail(error, BG_ERROR_MEMORY, "no memory for '%s'", path);
    if (status == BG_OK && !p->unpacking) {
        *flat = *s;
        flat->tally = NULL;
        flat->selector = NULL;
        if (integers) bg_histograms_save(h, integers);
    }
    if (status == BG_OK) pass_all(flat, s->tally, s->selector, integers, count, p);
    if (status == BG_OK && p->unpacking) status = take(s, flat, h, integers, p, path, error);
    if (status == BG_OK && p->failed) status = bg_fail(error, BG_ERROR_MEMORY, "no memory for '%s'", path);
    free(integers);
    free(flat);
    return status;
}
