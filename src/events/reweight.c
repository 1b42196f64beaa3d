#define BLOCKGEN_EXPERIMENTAL
#define BG_LANES 1 /* an event at a time */
#include "events/reweight.h"
#include "base/status.h"
#include "engine/variations.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _OPENMP
#include <omp.h>
#endif

enum { NAME = 48, SCALES = BG_SCALE_VARIATIONS - 1 };
#define MOST_BYTES 1e9 /* of members that stay in memory; others are read again for every batch of events */

struct bg_reweight {
    const bg_many *many;
    const bg_process *process;
    const bg_integration *wish;
    const bg_pdf *pdf;
    int scales, members, count; /* variations of each kind, and of both */
    char (*text)[NAME];
    const char **name;
    bg_pdf **member; /* [members]: those that stay in memory */
    double *weight;  /* [room][count] */
    size_t room;
};

/* ---- names ----------------------------------------------------------------------------------------------------------- */

/* As other generators call them: MUR0.5_MUF1, and MUR1_MUF1_PDF with LHAPDF's number of the member where it has one. */
static void write_names(bg_reweight *r)
{
    for (int k = 0; k < r->count; k++) {
        const double *factor = bg_scale_factors[k < r->scales ? 1 + k : 0];
        const int member = k - r->scales + 1;
        size_t used = (size_t)snprintf(r->text[k], NAME, "MUR%g_MUF%g", factor[0], factor[1]);
        if (k >= r->scales && r->pdf->id >= 0)
            snprintf(r->text[k] + used, NAME - used, "_PDF%d", r->pdf->id + member);
        else if (k >= r->scales)
            snprintf(r->text[k] + used, NAME - used, "_PDF:%d", member);
        r->name[k] = r->text[k];
    }
}

/* ---- members --------------------------------------------------------------------------------------------------------- */

/* As many as there is memory for. */
static bg_status read_members(bg_reweight *r, bg_error *error)
{
    double bytes = 0.;
    bg_status status = BG_OK;
    for (int m = 0; m < r->members && status == BG_OK && bytes < MOST_BYTES; m++) {
        status = bg_pdf_open_member(&r->member[m], r->wish->pdf, 1 + m, error);
        if (status == BG_OK) bytes += (double)r->member[m]->grid.doubles * sizeof(double);
    }
    return status;
}

bg_status bg_reweight_create(bg_reweight **made, const bg_many *many, const bg_process *process,
                             const bg_integration *wish, size_t room, bg_error *error)
{
    int wanted;
    *made = NULL;
    bg_status status = bg_variations_parse(wish->variations, &wanted, error);
    if (status != BG_OK || !wanted) return status;
    bg_reweight *r = calloc(1, sizeof *r);
    if (!r) return bg_fail(error, BG_ERROR_MEMORY, "no memory for variations");
    *r = (bg_reweight){.many = many, .process = process, .wish = wish, .pdf = bg_many_pdf(many), .room = room};
    r->scales = wanted & BG_VARY_SCALES ? SCALES : 0;
    r->members = wanted & BG_VARY_MEMBERS ? r->pdf->members - 1 : 0;
    r->count = r->scales + r->members;
    r->text = calloc((size_t)r->count, sizeof *r->text);
    r->name = calloc((size_t)r->count, sizeof *r->name);
    r->member = calloc((size_t)r->members + 1, sizeof(bg_pdf *));
    r->weight = malloc(room * (size_t)r->count * sizeof *r->weight);
    if (!r->text || !r->name || !r->member || !r->weight)
        status = bg_fail(error, BG_ERROR_MEMORY, "no memory for %d variations of %zu events", r->count, room);
    if (status == BG_OK) status = read_members(r, error);
    if (status != BG_OK) {
        bg_reweight_destroy(r);
        return status;
    }
    write_names(r);
    *made = r;
    return BG_OK;
}

void bg_reweight_destroy(bg_reweight *r)
{
    if (!r) return;
    for (int m = 0; r->member && m < r->members; m++) bg_pdf_close(r->member[m]);
    free(r->member);
    free(r->text);
    free(r->name);
    free(r->weight);
    free(r);
}

void bg_reweight_describe(const bg_reweight *r, bg_generation_result *result)
{
    result->variations = r ? r->count : 0;
    result->scale_variations = r ? r->scales : 0;
    result->variation_names = r ? r->name : NULL;
    result->pdf_error_type = r && r->members ? r->pdf->error_type : NULL;
}

/* ---- ratios ---------------------------------------------------------------------------------------------------------- */

/* f_a f_b alpha_s^k of an event, with factors of its scales. */
static double product_of(const bg_reweight *r, const bg_event *e, const pdf_grid *grid, const double factor[2])
{
    const int reflected = e->momentum[0][3] < 0.; /* leg 0 flies along -z, and x[0] belongs to leg 1 */
    const double muf = factor[1] * e->muf, mur = factor[0] * e->mur, alpha_s = pdf_alpha_s(grid, mur * mur);
    const pdf_scale scale = pdf_scale_of(grid, muf * muf);
    double product = 1.;
    for (int side = 0; side < 2; side++) {
        double xf;
        pdf_some(grid, &scale, e->x[side], pdf_place(e->pdg[side ^ reflected]), 1, &xf);
        product *= xf;
    }
    for (int k = 0; k < r->process->subprocess[e->process].couplings; k++) product *= alpha_s;
    return product;
}

/* The weights of an event with the grid of member m (0: the scales). */
static void vary(const bg_reweight *r, bg_event *e, double *weight, const pdf_grid *grid, int m)
{
    const double own = product_of(r, e, &r->pdf->grid, bg_scale_factors[0]);
    for (int k = m ? r->scales + m - 1 : 0; k < (m ? r->scales + m : r->scales); k++) {
        const double now = product_of(r, e, grid, bg_scale_factors[m ? 0 : 1 + k]);
        weight[k] = own > 0. ? e->weight * now / own : 0.;
    }
    e->variation = weight;
}

static void vary_all(const bg_reweight *r, bg_event *event, long count, int threads, const pdf_grid *grid, int m)
{
#ifdef _OPENMP
#pragma omp parallel for schedule(static) num_threads(threads)
#else
    (void)threads;
#endif
    for (long i = 0; i < count; i++) vary(r, &event[i], r->weight + (size_t)i * (size_t)r->count, grid, m);
}

bg_status bg_reweight_events(bg_reweight *r, bg_event *event, size_t count, int threads, bg_error *error)
{
    bg_status status = BG_OK;
    if (!r) return BG_OK;
    if (r->scales) vary_all(r, event, (long)count, threads, &r->pdf->grid, 0);
    for (int m = 1; m <= r->members && status == BG_OK; m++) {
        bg_pdf *own = NULL;
        if (!r->member[m - 1]) status = bg_pdf_open_member(&own, r->wish->pdf, m, error);
        if (status != BG_OK) break;
        vary_all(r, event, (long)count, threads, &(own ? own : r->member[m - 1])->grid, m);
        bg_pdf_close(own);
    }
    return status;
}
