#include "strategies.h"
#include "console.h"

#include <stdlib.h>

const bg_strategy *strategy_named(const char *name)
{
    const bg_strategy *s = bg_strategy_find(name);
    if (s) return s;
    cli_message(NULL, "the library has no strategy '%s': program and library do not belong together", name);
    abort();
}

bg_options strategy_options(const char *name)
{
    bg_options o;
    bg_options_init(&o);
    (void)bg_options_set_strategy(&o, strategy_named(name)->name, NULL);
    return o;
}
