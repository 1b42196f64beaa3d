#include "backends.h"

#include <stdio.h>
#include <string.h>

int backend_can(const char *name, unsigned capability)
{
    return (bg_backend_capabilities(name) & capability) == capability;
}

const char *backend_that_can(unsigned capability)
{
    for (int k = 0; bg_backend_name(k); k++)
        if (backend_can(bg_backend_name(k), capability)) return bg_backend_name(k);
    return NULL;
}

const char *backend_of_host(void) { return backend_that_can(BG_CAN_CHOOSE_THREADS); }

const char *backend_of_devices(void) { return backend_that_can(BG_CAN_CHOOSE_DEVICE); }

static bg_backend_info describe(const char *name)
{
    bg_backend_info info;
    bg_backend_info_init(&info);
    (void)bg_backend_describe(name, &info, NULL);
    return info;
}

backend_text backend_hardware(const bg_options *options)
{
    backend_text t;
    const bg_backend_info info = describe(options->backend);
    const int threads = options->threads ? options->threads : info.threads;
    if (info.capabilities & BG_CAN_CHOOSE_THREADS)
        snprintf(t.text, sizeof t.text, "%s (%.100s, %d thread%s)", options->backend, info.description, threads,
                 threads == 1 ? "" : "s");
    else
        snprintf(t.text, sizeof t.text, "%s (%.150s)", options->backend, info.description);
    return t;
}

int backend_fallback(const bg_options *options, char *line, size_t size)
{
    const char *devices = backend_of_devices();
    bg_options host = *options;
    if (strcmp(options->backend, "auto") || !devices || options->floats == BG_FLOATS_QUAD) return 0;
    const bg_backend_info info = describe(devices);
    if (info.usable) return 0;
    snprintf(host.backend, sizeof host.backend, "%s", backend_of_host());
    const backend_text text = backend_hardware(&host);
    const char *hardware = strchr(text.text, '(');
    /* a machine without any is the usual case, and needs no reason; a driver that is too old does */
    if (strstr(info.description, "no CUDA d"))
        snprintf(line, size, "no GPU found; using the CPU %s", hardware);
    else
        snprintf(line, size, "no GPU can be used (%.120s); using the CPU %s", info.description, hardware);
    return 1;
}
