/* gpu_check check [MOST [NAME]]      every algorithm on the CPU and on the GPU: same points, same draws (n_out up to MOST)
 * gpu_check agree [MOST [POINTS]]    the fast kernels against the paper's, both on the GPU, in every mode that they share
 * gpu_check integrate [MOST [NAME]]  cross sections on both at equal seed and points, and the time of a whole event
 * gpu_check use                      threads, streams, several devices, errors that are over
 * gpu_check time [MOST [NAME]]       ns an event, momenta on the device, and the dense color sum by itself
 *
 * Exit status 0 where all is well, 1 where something is not, 2 for a call that is none of these, 77 without a device.
 */
#include "gpu_check.h"

enum { USAGE = 2, SKIPPED = 77 };

int main(int argc, char **argv)
{
    const int most = argc > 2 ? atoi(argv[2]) : 12;
    const char *which = argc > 3 ? argv[3] : NULL;
    char description[128];
    bg_error error;
    if (argc > 1 && bg_backend_probe("cuda", description, sizeof description, &error) != BG_OK) {
        printf("skipped: %s\n", error.message);
        return SKIPPED;
    }
    if (argc > 1 && !strcmp(argv[1], "check")) return check(most, which);
    if (argc > 1 && !strcmp(argv[1], "agree")) return agree(argc > 2 ? most : 8, which ? (size_t)atoll(which) : 0);
    if (argc > 1 && !strcmp(argv[1], "integrate")) return integrate(most, which);
    if (argc > 1 && !strcmp(argv[1], "use")) return use();
    if (argc > 1 && !strcmp(argv[1], "time")) return time_all(most, which);
    fprintf(stderr, "usage: gpu_check check|integrate|time [largest n_out [algorithm]]\n"
                    "       gpu_check agree [largest n_out [points]]\n"
                    "       gpu_check use\n");
    return USAGE;
}
