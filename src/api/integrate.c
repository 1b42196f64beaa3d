/* Cross sections, and the distributions and points that belong to them. */
#include "base/sized.h"
#include "base/status.h"
#include "accumulate/histograms.h"
#include "accumulate/tally.h"
#include "engine/generator.h"
#include "engine/many.h"
#include "engine/settings.h"
#include "process/options.h"

#include <math.h>
#include <stdlib.h>

bg_status bg_integrate(const bg_process *process, const bg_options *options, const bg_integration *integration,
                       bg_result *result, bg_error *error)
{
    bg_options o;
    bg_integration w;
    bg_result r;
    if (!process) return bg_fail(error, BG_ERROR_ARGUMENT, "process is NULL");
    bg_status status = bg_options_adopt(&o, options, error);
    if (status == BG_OK) status = bg_integration_adopt(&w, integration, error);
    if (status == BG_OK) status = bg_sized_check(result, "result", error);
    if (status == BG_OK && w.resolved) status = bg_sized_check(w.resolved, "options", error);
    if (status == BG_OK && w.variation_results) status = bg_sized_check(w.variation_results, "variations", error);
    if (status != BG_OK) return status;
    bg_clear(result, result->size);
    bg_result_init(&r);
    r.size = result->size;
    status = bg_many_run(process, &o, &w, &r, error);
    (void)bg_sized_write(result, &r, sizeof r, "result", NULL);
    return status;
}

/* ---- histograms --------------------------------------------------------------------------------------------------- */

bg_status bg_histograms_create(bg_histograms **histograms, const bg_process *process, const bg_integration *integration,
                               bg_error *error)
{
    bg_integration w;
    if (!histograms) return bg_fail(error, BG_ERROR_ARGUMENT, "histograms is NULL: no place for the result");
    *histograms = NULL;
    if (!process) return bg_fail(error, BG_ERROR_ARGUMENT, "process is NULL");
    bg_status status = bg_integration_adopt(&w, integration, error);
    if (status == BG_OK) status = bg_integration_check_cuts(&w, process->subprocess[0].n_out, error);
    if (status != BG_OK) return status;
    return bg_histograms_allocate(histograms, &process->subprocess[0], process->protons > 0, w.sqrts, &w.cuts, error);
}

bg_status bg_histograms_book(bg_histograms *histograms, const char *text, bg_error *error)
{
    if (!histograms || !text) return bg_fail(error, BG_ERROR_ARGUMENT, "histograms and text must not be NULL");
    return bg_histograms_add_axis(histograms, text, error);
}

void bg_histograms_destroy(bg_histograms *histograms) { bg_histograms_free(histograms); }

static const bg_histogram *histogram_of(const bg_histograms *h, int k)
{
    return h && k >= 0 && k < h->count ? &h->histogram[k] : NULL;
}

int bg_histograms_size(const bg_histograms *h) { return h ? h->count : 0; }

const char *bg_histograms_name(const bg_histograms *h, int k)
{
    const bg_histogram *one = histogram_of(h, k);
    return one ? one->name : NULL;
}

const char *bg_histograms_title(const bg_histograms *h, int k)
{
    const bg_histogram *one = histogram_of(h, k);
    return one ? one->title : NULL;
}

int bg_histograms_bins(const bg_histograms *h, int k)
{
    const bg_histogram *one = histogram_of(h, k);
    return one ? one->axis.bins : 0;
}

int bg_histograms_logarithmic(const bg_histograms *h, int k)
{
    const bg_histogram *one = histogram_of(h, k);
    return one ? one->axis.logarithmic : 0;
}

bg_status bg_histograms_read(const bg_histograms *h, int k, double *edges, double *sigma_pb, double *error_pb,
                             double *entries, bg_error *error)
{
    if (!h) return bg_fail(error, BG_ERROR_ARGUMENT, "histograms is NULL");
    if (!histogram_of(h, k))
        return bg_fail(error, BG_ERROR_ARGUMENT, "there is no histogram %d; it must be 0 to %d", k, h->count - 1);
    bg_histogram_read(h, k, edges, sigma_pb, error_pb, entries);
    return bg_succeed(error);
}

bg_status bg_histograms_band(const bg_histograms *h, int k, double *least_pb, double *most_pb, bg_error *error)
{
    if (!h || !least_pb || !most_pb)
        return bg_fail(error, BG_ERROR_ARGUMENT, "histograms, least_pb and most_pb must not be NULL");
    if (!histogram_of(h, k))
        return bg_fail(error, BG_ERROR_ARGUMENT, "there is no histogram %d; it must be 0 to %d", k, h->count - 1);
    if (bg_histogram_band(h, k, least_pb, most_pb)) return bg_succeed(error);
    return bg_fail(error, BG_ERROR_UNSUPPORTED, "histogram %s has no band: there were no variations of scales",
                   h->histogram[k].name);
}

bg_status bg_histograms_beyond(const bg_histograms *h, int k, double sigma_pb[2], double error_pb[2], bg_error *error)
{
    if (!h || !sigma_pb || !error_pb)
        return bg_fail(error, BG_ERROR_ARGUMENT, "histograms, sigma_pb and error_pb must not be NULL");
    if (!histogram_of(h, k))
        return bg_fail(error, BG_ERROR_ARGUMENT, "there is no histogram %d; it must be 0 to %d", k, h->count - 1);
    bg_histogram_beyond(h, k, sigma_pb, error_pb);
    return bg_succeed(error);
}

/* ---- points by number ----------------------------------------------------------------------------------------------- */

bg_status bg_generator_create(bg_generator **generator, const bg_process *process, const bg_options *options,
                              const bg_integration *integration, bg_error *error)
{
    bg_options o;
    bg_integration w;
    if (!generator) return bg_fail(error, BG_ERROR_ARGUMENT, "generator is NULL: no place for the result");
    *generator = NULL;
    if (!process) return bg_fail(error, BG_ERROR_ARGUMENT, "process is NULL");
    bg_status status = bg_process_check_kernels(process, error);
    if (status == BG_OK) status = bg_options_adopt(&o, options, error);
    if (status == BG_OK) status = bg_options_check_ranges(&o, error);
    if (status == BG_OK) status = bg_integration_adopt(&w, integration, error);
    if (status == BG_OK) status = bg_integration_check_cuts(&w, process->subprocess[0].n_out, error);
    return status == BG_OK ? bg_generator_make(generator, process, &o, &w, error) : status;
}

bg_status bg_generator_points(const bg_generator *generator, size_t count, const uint64_t *event, double *momenta,
                              double *weight, bg_error *error)
{
    if (!generator) return bg_fail(error, BG_ERROR_ARGUMENT, "generator is NULL");
    if (!count) return bg_succeed(error);
    if (!event || !momenta || !weight)
        return bg_fail(error, BG_ERROR_ARGUMENT, "event, momenta and weight must not be NULL");
    return bg_generator_run(generator, count, event, momenta, weight, error);
}

void bg_generator_destroy(bg_generator *generator) { free(generator); }
