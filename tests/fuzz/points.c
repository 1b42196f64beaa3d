/* Points of `blockgen me`: lines of text, and arrays of numpy. */
#include "fuzz.h"

#include "me/lines.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static const char *path;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    path = fuzz_path(".points");
    return 0;
}

/* What me.c does with a line. */
static void take(const reader *in, char *line, size_t length)
{
    double numbers[LINE_NUMBERS];
    char reason[256] = "";
    int n_out = -1;
    const line_kind kind = in->array.row ? row_parse(line, length, numbers, &n_out, reason, sizeof reason)
                                         : line_parse(line, length, numbers, &n_out, reason, sizeof reason);
    fuzz_count(kind == LINE_POINT);
    fuzz_require(kind != LINE_BAD || reason[0]);
    fuzz_require(kind != LINE_POINT || (n_out >= BG_MIN_OUT && n_out <= BG_MAX_OUT_DRESSED));
    for (const char *c = reason; *c; c++) fuzz_require(*c >= ' '); /* nothing that a terminal would obey */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    reader in;
    char *line;
    size_t length;
    memset(&in, 0, sizeof in);
    fuzz_write(path, data, size);
    fuzz_require(reader_open(&in, path) == 0);
    for (;;) {
        while (reader_take(&in, &line, &length)) take(&in, line, length);
        if (in.ended) break;
        fuzz_require(reader_read(&in) == 0);
    }
    reader_close(&in);
    return 0;
}
