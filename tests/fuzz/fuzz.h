/* What the fuzz targets share. libFuzzer calls LLVMFuzzerTestOneInput() with bytes of its own choosing again and again; a
 * target hands them to a parser as a user's file or words would come to it. Whatever they are, the parser takes them or refuses
 * them with a message; the sanitizers see what is wrong besides. */
#ifndef TEST_FUZZ_H
#define TEST_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

/* Ends the run with the input as a finding, unless what must hold holds. */
#define fuzz_require(holds) ((holds) ? (void)0 : fuzz_fail(#holds, __FILE__, __LINE__))
void fuzz_fail(const char *what, const char *file, int line);

/* Counts an input that a parser took, or refused; the numbers are printed in the end. */
void fuzz_count(int taken);

/* A copy with a zero behind its end, to be freed: a reader that goes on beyond it is seen. */
char *fuzz_text(const uint8_t *data, size_t size);

/* The name of a file of this process, which is removed when it ends; `ending` such as ".lhe". */
const char *fuzz_path(const char *ending);

/* Makes these bytes the whole of a file. */
void fuzz_write(const char *path, const void *bytes, size_t size);

/* All of a file, to be freed. */
char *fuzz_read(const char *path, size_t *size);

/* Splits an input at the first line that is "%%%%": the part behind it, empty where there is no such line. Both are texts with
 * a zero behind them, to be freed. */
void fuzz_split(const uint8_t *data, size_t size, char **before, char **behind);

#endif
