/* The question of an integration, as far as its result depends on it: the options that matter, by name. Nothing about
 * threads, ranks, devices or goals.
 *
 *     process=g g > g g g g
 *     color=summed
 *     ...
 *     histograms=13 [5d4a09f1] mass_1_2:50:0:5000
 *
 * So a checkpoint can be read by a version that knows more options than the one that wrote it: what the text does not name
 * had its default.
 */
#ifndef BG_ENGINE_QUESTION_H
#define BG_ENGINE_QUESTION_H

#include "accumulate/histograms.h"
#include "backend/plan.h"

#define BG_QUESTION_LENGTH 4096

typedef struct bg_question {
    char text[BG_QUESTION_LENGTH]; /* zero behind its end */
} bg_question;

/* Of a plan with everything automatic chosen; `histograms` may be NULL. */
bg_status bg_question_write(bg_question *question, const bg_plan *plan, const bg_integration *integration,
                            const struct bg_histograms *histograms, bg_error *error);

/* Of several subprocesses: that of the first, but for the process, and with one more name. */
void bg_question_widen(bg_question *question, const bg_question *first, const char *process, const char *name,
                       const char *value);

/* Names the first thing in which the question of a file differs from that of this run. */
bg_status bg_question_compare(const char *path, const bg_question *file, const bg_question *run, bg_error *error);

#endif
