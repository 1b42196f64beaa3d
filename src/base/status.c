#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>

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
