#include "strategies.h"
#include "console.h"

#include <stdlib.h>
#include <string.h>

const bg_strategy_info *strategy_named(const char *name)
{
    for (int k = 0; k < bg_strategy_count(); k++)
        if (!strcmp(bg_strategy(k)->name, name)) return bg_strategy(k);
    cli_message(NULL, "the library has no strategy '%s': program and library do not belong together", name);
    abort();
}

bg_options strategy_options(const char *name)
{
    bg_options o;
    bg_error error;
    bg_options_init(&o);
    if (bg_options_set_strategy(&o, name, &error) == BG_OK) return o;
    cli_message(NULL, "%s: program and library do not belong together", error.message);
    abort();
}
