#include "backends.h"

#include <stddef.h>

int backend_can(const char *name, unsigned capability)
{
    bg_backend_info info;
    bg_backend_info_init(&info);
    return bg_backend_describe(name, &info, NULL) == BG_OK && (info.capabilities & capability) == capability;
}

const char *backend_that_can(unsigned capability)
{
    for (int k = 0; bg_backend_name(k); k++)
        if (backend_can(bg_backend_name(k), capability)) return bg_backend_name(k);
    return NULL;
}

const char *backend_of_host(void) { return backend_that_can(BG_CAN_CHOOSE_THREADS); }

const char *backend_of_devices(void) { return backend_that_can(BG_CAN_CHOOSE_DEVICE); }
