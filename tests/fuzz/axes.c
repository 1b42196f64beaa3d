/* Histograms that a user books: "mass(1,2):50:0:5000". */
#include "fuzz.h"

#include "accumulate/observables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const bg_kinematics kinematics = {
        .n_out = 4, .sqrts = 14000., .cuts = {.pt_min = 20., .eta_max = 2.5, .dr_min = 0.4}};
    bg_axis axis;
    bg_error error = {BG_OK, ""};
    char name[48], title[96], *text = fuzz_text(data, size);
    const bg_status status = bg_axis_parse(&axis, &kinematics, text, &error);
    fuzz_count(status == BG_OK);
    fuzz_require(status == BG_OK || error.message[0]);
    if (status == BG_OK) {
        fuzz_require(bg_axis_cells(&axis) > 0 && bg_axis_cells(&axis) < 100000);
        bg_observable_name(&axis.observable, name, sizeof name);
        bg_observable_title(&axis.observable, (int)(size % 2), title, sizeof title);
        fuzz_require(*name && strlen(name) < sizeof name && !strpbrk(name, "/ \n"));
    }
    free(text);
    return 0;
}
