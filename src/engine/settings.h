/* Whether the settings of an integration make sense: each in its range, and cuts that leave room for events. */
#ifndef BG_ENGINE_SETTINGS_H
#define BG_ENGINE_SETTINGS_H

#include "blockgen/blockgen.h"

/* Energy, cuts and generator, for n_out gluons. */
bg_status bg_integration_check_cuts(const bg_integration *integration, int n_out, bg_error *error);

/* Precision, points and seconds: at least one of them. */
bg_status bg_integration_check_goal(const bg_integration *integration, bg_error *error);

#endif
