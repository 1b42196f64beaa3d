/* Cross sections of processes of several classes of subprocesses. */
#ifndef BG_ENGINE_MANY_H
#define BG_ENGINE_MANY_H

#include "process/process.h"

/* As bg_integrate(), for structs of ours that were checked and any process. result->size is that of the caller's. */
bg_status bg_many_run(const bg_process *process, const bg_options *options, const bg_integration *integration,
                      bg_result *result, bg_error *error);

#endif
