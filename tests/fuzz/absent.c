/* Calls that would bring the kernels along, which no parser comes to: they end the run. There are all backends, since which of them
 * can run here is not the matter. */
#include "fuzz.h"

#include "engine/evaluator.h"

#include <stdio.h>

bg_status bg_backend_probe(const char *name, char *description, size_t size, bg_error *error)
{
    (void)error;
    snprintf(description, size, "%s", name);
    return BG_OK;
}

bg_status bg_request_check(const bg_request *request, bg_error *error)
{
    (void)request;
    (void)error;
    fuzz_fail("no plan is checked", __FILE__, __LINE__);
    return BG_ERROR_UNSUPPORTED;
}

bg_status bg_evaluator_create(bg_evaluator **evaluator, const bg_process *process, const bg_options *options,
                              bg_error *error)
{
    (void)evaluator;
    (void)process;
    (void)options;
    (void)error;
    fuzz_fail("nothing is evaluated", __FILE__, __LINE__);
    return BG_ERROR_UNSUPPORTED;
}

void bg_evaluator_destroy(bg_evaluator *evaluator) { (void)evaluator; }
