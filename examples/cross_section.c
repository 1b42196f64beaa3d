/* The partonic cross section of g g -> 4 gluons at 14 TeV to 2 %, with a line of progress on standard error.
 *
 * Prints sigma and its error in pb, what `blockgen integrate -n 4 --precision 0.02` finds.
 */
#include <blockgen/blockgen.h>

#include <stdio.h>

/* Called about four times a second; anything but 0 would stop the integration. */
static int show(const bg_result *result, void *user)
{
    int *calls = user;
    ++*calls;
    fprintf(stderr, "%s %llu points, sigma = %.4g +- %.2g pb\n", result->warming_up ? "adapting:" : "integrating:",
            (unsigned long long)(result->points + result->warmup_points), result->sigma_pb, result->error_pb);
    return 0;
}

int main(void)
{
    bg_process *process = NULL;
    bg_options options;
    bg_integration integration;
    bg_result result;
    bg_error error;
    int calls = 0;

    bg_options_init(&options);
    bg_options_set_automatic(&options); /* colors and helicities as they get there first */
    bg_integration_init(&integration);  /* the paper's set-up: 14 TeV, pT > 20 GeV, |eta| < 2.5, DeltaR > 0.4 */
    bg_result_init(&result);
    integration.precision = 0.02;
    integration.progress = show;
    integration.user = &calls;

    bg_status status = bg_process_create_gluons(&process, 4, &error);
    if (status == BG_OK) status = bg_integrate(process, &options, &integration, &result, &error);
    if (status == BG_OK)
        printf("%.6g %.2g\n", result.sigma_pb, result.error_pb);
    else
        fprintf(stderr, "%s: %s\n", bg_status_string(status), error.message);
    bg_process_destroy(process);
    return status == BG_OK ? 0 : 1;
}
