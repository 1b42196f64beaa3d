#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>

#define TEXT(x) #x
#define TEXT_OF(x) TEXT(x)

const char *bg_version(void)
{
    return TEXT_OF(BG_VERSION_MAJOR) "." TEXT_OF(BG_VERSION_MINOR) "." TEXT_OF(BG_VERSION_PATCH);
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
    }
    return "unknown status";
}

bg_status bg_fail(bg_error *error, bg_status status, const char *format, ...)
{
    if (error) {
        va_list args;
        error->status = status;
        va_start(args, format);
        vsnprintf(error->message, sizeof error->message, format, args);
        va_end(args);
    }
    return status;
}

bg_status bg_succeed(bg_error *error)
{
    if (error) {
        error->status = BG_OK;
        error->message[0] = '\0';
    }
    return BG_OK;
}
