#include "base/sized.h"
#include "base/status.h"

#include <string.h>

enum { LEAST = 2 * sizeof(size_t), MOST = 1 << 16 };

static size_t size_of(const void *structure)
{
    size_t size;
    memcpy(&size, structure, sizeof size);
    return size;
}

bg_status bg_sized_check(const void *caller, const char *what, bg_error *error)
{
    if (!caller) return bg_fail(error, BG_ERROR_ARGUMENT, "%s is NULL", what);
    const size_t size = size_of(caller);
    if (size >= LEAST && size <= MOST && size % sizeof(size_t) == 0) return BG_OK;
    return bg_fail(error, BG_ERROR_ARGUMENT,
                   "%s says that its size is %zu bytes, which no version has: it was not initialized (bg_%s_init)",
                   what, size, what);
}

bg_status bg_sized_read(void *ours, size_t known, const void *caller, const char *what, bg_error *error)
{
    const bg_status status = bg_sized_check(caller, what, error);
    if (status != BG_OK) return status;
    const size_t size = size_of(caller);
    for (size_t k = known; k < size; k++)
        if (((const unsigned char *)caller)[k])
            return bg_fail(error, BG_ERROR_UNSUPPORTED,
                           "%s has %zu bytes, this library knows %zu, and something beyond them is set: the program "
                           "was compiled for a newer version than %s",
                           what, size, known, BG_VERSION);
    memcpy(ours, caller, size < known ? size : known);
    return BG_OK;
}

bg_status bg_sized_write(void *caller, const void *ours, size_t known, const char *what, bg_error *error)
{
    const bg_status status = bg_sized_check(caller, what, error);
    if (status != BG_OK) return status;
    const size_t size = size_of(caller);
    memset(caller, 0, size);
    memcpy(caller, ours, size < known ? size : known);
    memcpy(caller, &size, sizeof size);
    return BG_OK;
}
