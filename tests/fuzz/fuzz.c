#include "fuzz.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[256];
static unsigned long counted[2]; /* refused, taken */

void fuzz_fail(const char *what, const char *file, int line)
{
    fprintf(stderr, "%s:%d: this does not hold: %s\n", file, line, what);
    abort();
}

static void show_counts(void) { fprintf(stderr, "%lu taken, %lu refused\n", counted[1], counted[0]); }

void fuzz_count(int taken)
{
    if (!counted[0] && !counted[1]) atexit(show_counts);
    counted[taken != 0]++;
}

char *fuzz_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    fuzz_require(text);
    if (size) memcpy(text, data, size);
    text[size] = '\0';
    return text;
}

static void remove_file(void)
{
    char part[sizeof path + 8];
    snprintf(part, sizeof part, "%s.part", path);
    unlink(part);
    unlink(path);
}

const char *fuzz_path(const char *ending)
{
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%.200s/blockgen_fuzz.%ld%s", folder && *folder ? folder : "/tmp", (long)getpid(),
             ending);
    atexit(remove_file);
    return path;
}

void fuzz_write(const char *name, const void *bytes, size_t size)
{
    const int file = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    fuzz_require(file >= 0);
    const ssize_t done = size ? write(file, bytes, size) : 0;
    fuzz_require(done == (ssize_t)size);
    close(file);
}

char *fuzz_read(const char *name, size_t *size)
{
    FILE *f = fopen(name, "rb");
    fuzz_require(f);
    fuzz_require(fseek(f, 0, SEEK_END) == 0);
    *size = (size_t)ftell(f);
    rewind(f);
    char *text = malloc(*size + 1);
    fuzz_require(text);
    fuzz_require(fread(text, 1, *size, f) == *size);
    text[*size] = '\0';
    fclose(f);
    return text;
}

void fuzz_split(const uint8_t *data, size_t size, char **before, char **behind)
{
    static const char mark[] = "%%%%\n";
    const size_t length = sizeof mark - 1;
    for (size_t k = 0; k + length <= size; k++)
        if ((!k || data[k - 1] == '\n') && !memcmp(data + k, mark, length)) {
            *before = fuzz_text(data, k);
            *behind = fuzz_text(data + k + length, size - k - length);
            return;
        }
    *before = fuzz_text(data, size);
    *behind = fuzz_text(data, 0);
}
