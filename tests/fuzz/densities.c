/* Parton densities: the .info of a set, a line "%%%%", and the grid of a member. */
#include "fuzz.h"

#include "beams/pdf.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* All that they then give is numbers. */
static void evaluate(const bg_pdf *pdf)
{
    for (double x = 1e-9; x <= 1.; x *= 10.)
        for (double q2 = 1e-2; q2 < 1e9; q2 *= 30.) {
            double xf[BG_PDF_PARTONS];
            pdf_xf(&pdf->grid, x, q2, xf);
            for (int k = 0; k < BG_PDF_PARTONS; k++) fuzz_require(!isnan(xf[k]));
            fuzz_require(!isnan(pdf_alpha_s(&pdf->grid, q2)));
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *info, *grid;
    bg_pdf *pdf = NULL;
    bg_error error = {BG_OK, ""};
    if (memchr(data, '\0', size)) return -1; /* refused before it is parsed */
    fuzz_split(data, size, &info, &grid);
    const bg_status status = bg_pdf_parse(&pdf, "made.info", info, "made_0000.dat", grid, 0, &error);
    fuzz_require(!pdf == (status != BG_OK));
    fuzz_count(status == BG_OK);
    fuzz_require(status == BG_OK || error.message[0]);
    if (pdf) evaluate(pdf);
    bg_pdf_close(pdf);
    free(info);
    free(grid);
    return 0;
}
