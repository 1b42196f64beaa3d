/* Processes as text: "FLAVORS LINES TEXT", the two numbers as one letter each. */
#include "fuzz.h"

#include "blockgen/blockgen.h"

#include <stdlib.h>
#include <string.h>

static void visit(const bg_process *process)
{
    bg_error error;
    fuzz_require(bg_process_classes(process) > 0);
    for (int k = 0; k < bg_process_classes(process); k++) {
        bg_process_class c;
        bg_process_class_init(&c);
        fuzz_require(bg_process_class_at(process, k, &c, &error) == BG_OK);
        fuzz_require(c.n_out == bg_process_n_out(process) && c.channels > 0 && c.beams > 0);
        for (int channel = 0; channel < c.channels && channel < 50; channel++) {
            int pdg[16], exchanged, charge = 0;
            fuzz_require(bg_process_channel_at(process, k, channel, pdg, &exchanged, &error) == BG_OK);
            for (int leg = 0; leg < 2 + c.n_out; leg++)
                if (pdg[leg] != BG_PDG_GLUON) charge += leg < 2 ? pdg[leg] : -pdg[leg];
            fuzz_require(charge == 0);
        }
        bg_process *again; /* what is printed can be read */
        fuzz_require(bg_process_parse(&again, c.name, 5, BG_ALL_LINES, &error) == BG_OK);
        fuzz_require(bg_process_n_out(again) == c.n_out && !bg_process_is_open(again));
        bg_process_destroy(again);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bg_process *process = NULL;
    bg_error error = {BG_OK, ""};
    if (size < 2 || size > 300) return -1;
    char *text = fuzz_text(data + 2, size - 2);
    const bg_status status = bg_process_parse(&process, text, data[0] - '0', data[1] - '0', &error);
    fuzz_require(!process == (status != BG_OK));
    fuzz_count(status == BG_OK);
    fuzz_require(status == BG_OK || error.message[0]);
    if (process) visit(process);
    bg_process_destroy(process);
    free(text);
    return 0;
}
