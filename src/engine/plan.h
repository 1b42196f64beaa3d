/* From options to a plan. */
#ifndef BG_ENGINE_PLAN_H
#define BG_ENGINE_PLAN_H

#include "backend/plan.h"

/* Checks the options against each other and the process. */
bg_status bg_plan_create(bg_plan *plan, const bg_subprocess *process, const bg_options *options, bg_error *error);

#endif
