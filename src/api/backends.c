/* What this library can do here, and what it would choose. */
#include "base/sized.h"
#include "base/status.h"
#include "base/system.h"
#include "engine/choice.h"
#include "engine/evaluator.h"
#include "process/options.h"

#include <stdio.h>

const char *bg_backend_name(int k)
{
    for (int i = 0; bg_backends[i]; i++)
        if (i == k) return bg_backends[i]->name;
    return NULL;
}

static bg_status find(const char *name, const bg_backend **backend, bg_error *error)
{
    bg_error why = {BG_OK, ""};
    if (!name) return bg_fail(error, BG_ERROR_ARGUMENT, "the name of the backend is NULL");
    *backend = bg_backend_find(name, &why);
    return *backend ? BG_OK : bg_fail(error, why.status, "%s", why.message);
}

bg_status bg_backend_probe(const char *name, char *description, size_t size, bg_error *error)
{
    const bg_backend *backend;
    if (!name || !description || !size)
        return bg_fail(error, BG_ERROR_ARGUMENT, "name and description must not be NULL, size not 0");
    const bg_status status = find(name, &backend, error);
    return status == BG_OK ? backend->probe(description, size, error) : status;
}

bg_status bg_backend_describe(const char *name, bg_backend_info *info, bg_error *error)
{
    const bg_backend *backend;
    bg_backend_info found;
    bg_error why = {BG_OK, ""};
    bg_status status = find(name, &backend, error);
    if (status == BG_OK) status = bg_sized_check(info, "backend_info", error);
    if (status != BG_OK) return status;
    bg_backend_info_init(&found);
    found.name = backend->name;
    found.capabilities = backend->capabilities;
    found.usable = backend->probe(found.description, sizeof found.description, &why) == BG_OK;
    if (!found.usable)
        snprintf(found.description, sizeof found.description, "%.*s", (int)sizeof found.description - 1, why.message);
    found.threads = backend->capabilities & BG_CAN_CHOOSE_THREADS ? bg_default_threads() : 1;
    found.devices = 1;
    if (backend->devices && backend->devices(&found.devices, &why) != BG_OK) found.devices = 0;
    status = bg_sized_write(info, &found, sizeof found, "backend_info", error);
    return status == BG_OK ? bg_succeed(error) : status;
}

unsigned bg_backend_capabilities(const char *name)
{
    const bg_backend *backend;
    return find(name, &backend, NULL) == BG_OK ? backend->capabilities : 0u;
}

bg_purpose bg_integration_purpose(const bg_options *options, const bg_integration *integration)
{
    bg_options o;
    bg_integration w;
    if (bg_options_adopt(&o, options, NULL) != BG_OK || bg_integration_adopt(&w, integration, NULL) != BG_OK)
        return BG_FOR_CROSS_SECTION;
    return bg_choice_purpose(&o, &w);
}

bg_status bg_choose(const bg_process *process, const bg_options *options, bg_purpose purpose, bg_choice *choice,
                    bg_options *resolved, bg_error *error)
{
    bg_options o;
    bg_plan plan;
    bg_choice made;
    const bg_backend *backend;
    if (!process) return bg_fail(error, BG_ERROR_ARGUMENT, "process is NULL");
    if ((int)purpose < BG_FOR_MATRIX_ELEMENTS || purpose > BG_FOR_ESTIMATED_CROSS_SECTION)
        return bg_fail(error, BG_ERROR_ARGUMENT, "purpose is %d; it must be 0, 1 or 2", (int)purpose);
    bg_status status = bg_options_adopt(&o, options, error);
    const bg_request request = {
        .process = &process->subprocess[0], .options = &o, .purpose = purpose, .local_rank = -1};
    bg_choice_init(&made);
    if (status == BG_OK) status = bg_sized_check(choice, "choice", error);
    if (status == BG_OK && resolved) status = bg_sized_check(resolved, "options", error);
    if (status == BG_OK) status = bg_request_check(&request, error);
    if (status == BG_OK) status = bg_request_backend(&request, &backend, error);
    if (status == BG_OK) status = bg_request_plan(&plan, &request, backend, &made, error);
    if (status != BG_OK) return status;
    snprintf(plan.options.backend, sizeof plan.options.backend, "%s", backend->name);
    if (resolved) (void)bg_sized_write(resolved, &plan.options, sizeof plan.options, "options", NULL);
    (void)bg_sized_write(choice, &made, sizeof made, "choice", NULL);
    return bg_succeed(error);
}
