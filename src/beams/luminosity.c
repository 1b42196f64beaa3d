#include "beams/luminosity.h"
#include "base/status.h"

#include <string.h>

bg_status bg_pairs_create(bg_pairs *pairs, const bg_channel *channel, size_t count, bg_error *error)
{
    size_t channels[2][BG_PDF_PARTONS][BG_PDF_PARTONS] = {{{0}}};
    memset(pairs, 0, sizeof *pairs);
    for (size_t k = 0; k < count; k++) {
        const int a = pdf_place(channel[k].in[0]), b = pdf_place(channel[k].in[1]);
        if (a < 0 || a >= BG_PDF_PARTONS || b < 0 || b >= BG_PDF_PARTONS)
            return bg_fail(error, BG_ERROR_ARGUMENT, "%d and %d come in: only gluons and %d flavors have densities",
                           channel[k].in[0], channel[k].in[1], BG_MAX_FLAVORS);
        channels[channel[k].exchanged != 0][a][b]++;
    }
    for (int exchanged = 0; exchanged < 2; exchanged++) {
        for (int a = 0; a < BG_PDF_PARTONS; a++)
            for (int b = 0; b < BG_PDF_PARTONS; b++) {
                const size_t now = channels[exchanged][a][b];
                if (now > UINT16_MAX)
                    return bg_fail(error, BG_ERROR_UNSUPPORTED,
                                   "%zu channels of one incoming pair, and %d are the most", now, UINT16_MAX);
                if (now) pairs->pair[pairs->all++] = (bg_pair){{(uint8_t)a, (uint8_t)b}, (uint16_t)now};
            }
        if (!exchanged) pairs->direct = pairs->all;
    }
    return bg_succeed(error);
}
