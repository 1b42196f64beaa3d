/* Which algorithm for which question: what stands behind `auto`. */
#ifndef BG_ENGINE_CHOICE_H
#define BG_ENGINE_CHOICE_H

#include "backend/backend.h"

/* Whether any of color, recursion and helicity is automatic. */
int bg_choice_is_open(const bg_options *options);

/* What an integration is going to do with its matrix elements, as it was asked for. */
bg_purpose bg_choice_purpose(const bg_options *options, const bg_integration *integration);

/* Fills the automatic ones in for a backend and a purpose; the others are kept. Where nothing fits to them, what is
 * filled in makes no sense with them either, and bg_plan_create() says so. `choice` (or NULL) gets the strategy and what is
 * foreseen of it. */
void bg_choice_make(bg_options *options, const bg_subprocess *process, const bg_backend *backend, bg_purpose purpose,
                    bg_choice *choice);

#endif
