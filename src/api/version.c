/* Which library this is, and what its statuses are called. */
#include "blockgen/blockgen.h"
#include "commit.h" /* BG_COMMIT, made by cmake/Commit.cmake with every build */

#include <string.h>

const char *bg_version(void) { return BG_VERSION; }

const char *bg_version_string(void) { return BG_COMMIT[0] ? BG_VERSION " (" BG_COMMIT ")" : BG_VERSION; }

void bg_clear(void *structure, size_t size)
{
    if (!structure || size < sizeof size) return;
    memset(structure, 0, size);
    memcpy(structure, &size, sizeof size);
}

const char *bg_status_string(bg_status status)
{
    switch (status) {
    case BG_OK: return "success";
    case BG_ERROR_ARGUMENT: return "bad argument";
    case BG_ERROR_UNSUPPORTED: return "unsupported combination";
    case BG_ERROR_POINT: return "unphysical point";
    case BG_ERROR_MEMORY: return "not enough memory";
    case BG_ERROR_DEVICE: return "device error";
    case BG_ERROR_IO: return "input/output error";
    case BG_ERROR_COMMUNICATOR: return "communicator error";
    case BG_ERROR_INTERRUPTED: return "interrupted";
    }
    return "unknown status";
}

int bg_built_with(const char *part)
{
    static const struct {
        const char *name;
        int present;
    } parts[] = {
#ifdef BG_HAVE_OPENMP
        {"openmp", 1},
#else
        {"openmp", 0},
#endif
#ifdef BG_HAVE_CUDA
        {"cuda", 1},
#else
        {"cuda", 0},
#endif
#ifdef BG_HAVE_QUAD
        {"quad", 1},
#else
        {"quad", 0},
#endif
#ifdef BG_HAVE_AVX2
        {"avx2", 1},
#else
        {"avx2", 0},
#endif
#ifdef BG_HAVE_AVX512
        {"avx512", 1},
#else
        {"avx512", 0},
#endif
    };
    for (size_t k = 0; part && k < sizeof parts / sizeof *parts; k++)
        if (!strcmp(part, parts[k].name)) return parts[k].present;
    return -1;
}
