/* Cross sections: iterations of trial points, adaptation between them, and when to stop. */
#ifndef BG_ENGINE_INTEGRATOR_H
#define BG_ENGINE_INTEGRATOR_H

#include "blockgen/blockgen.h"

/* As bg_integrate(), for structs of ours that were checked. result->size is that of the caller's. */
bg_status bg_integrator_run(const bg_process *process, const bg_options *options, const bg_integration *integration,
                            bg_result *result, bg_error *error);

#endif
