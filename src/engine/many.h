/* Cross sections of processes of several classes of subprocesses, and points of theirs. */
#ifndef BG_ENGINE_MANY_H
#define BG_ENGINE_MANY_H

#include "backend/batch.h"
#include "base/parcel.h"
#include "beams/pdf.h"
#include "beams/protons.h"
#include "process/process.h"

/* As bg_integrate(), for structs of ours that were checked and any process. result->size is that of the caller's. */
bg_status bg_many_run(const bg_process *process, const bg_options *options, const bg_integration *integration,
                      bg_result *result, bg_error *error);

/* ---- the parts of it, for who wants points with the grids that were learned ------------------------------------------------- */

typedef struct bg_many bg_many;

/* The process and the wish must live as long. A process of one subprocess is its only class. `events` are to be made of its points; 0:
 * none, it is the cross section that counts. */
bg_status bg_many_open(bg_many **many, const bg_process *process, double events, const bg_options *options,
                       const bg_integration *wish, size_t result_size, bg_error *error);
void bg_many_close(bg_many *many);

/* Integrates to the goal of the wish. */
bg_status bg_many_integrate(bg_many *many, bg_result *result, bg_error *error);

int bg_many_count(const bg_many *many);
const bg_result *bg_many_result(const bg_many *many, int k);
const bg_protons *bg_many_protons(const bg_many *many, int k); /* NULL: none */
uint64_t bg_many_seed(const bg_many *many, int k);
const bg_pdf *bg_many_pdf(const bg_many *many); /* NULL: none */
int bg_many_pdf_id(const bg_many *many);        /* LHAPDF's number of the parton densities; 0: none */

/* Where |M|^2 is estimated first: all of those points, with their estimates in place of weights. From its threshold on (a weight in pb)
 * a point is always kept by the sieve (estimate/sieve.h); bg_many_trials() delivers those that are, with w/p. */
int bg_many_is_sieved(const bg_many *many, int k);
void bg_many_costs(const bg_many *many, int k, double *trial, double *exact); /* see engine/cost.h */
bg_status bg_many_learn(bg_many *many, int k, double events, bg_error *error);
bg_status bg_many_survey(bg_many *many, int k, uint64_t first, uint64_t count, const bg_sink *sink, bg_error *error);
void bg_many_set_threshold(bg_many *many, int k, double threshold);

/* What a class has learned so far (engine/state.h). */
struct bg_state *bg_many_state(bg_many *many, int k);

/* All that an integration is: the state of every class, and how far it has come. All ranks pack, with the sums of all of them; unpacked
 * these stay with rank 0. Another question and what no run can have left are refused; `path` is for messages. */
bg_status bg_many_pass(bg_many *many, bg_parcel *parcel, const char *path, bg_error *error);

/* The result of an integration that was unpacked, in place of bg_many_integrate(). One that was not finished is refused. */
bg_status bg_many_adopt(bg_many *many, const char *path, bg_result *result, bg_error *error);

/* Trial points of a class that nothing else has used: numbers first .. first + count - 1, counted from 0. Those inside the cuts go
 * to the sink, which runs in one thread at a time, with their weights in pb. */
bg_status bg_many_trials(bg_many *many, int k, uint64_t first, uint64_t count, const bg_sink *sink, bg_error *error);

/* The helicities of a point [leg][4] that it has delivered, as a configuration (helicity/selector.h); 0: they are not definite. */
int bg_many_helicities(const bg_many *many, int k, uint64_t event, const double *momenta, uint32_t *configuration);

#endif
