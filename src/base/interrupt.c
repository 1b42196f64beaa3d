#include "base/interrupt.h"
#include "base/system.h"

#include <stddef.h>

int bg_interrupt_reason_of(const bg_interrupt *i)
{
    return i ? __atomic_load_n(&i->reason, __ATOMIC_RELAXED) : BG_INTERRUPT_NONE;
}

void bg_interrupt_reset(bg_interrupt *i)
{
    i->since = 0.;
    i->reason = BG_INTERRUPT_NONE;
}

/* Threads that come first at the same time may write twice; their clocks agree. */
static double first_seen(bg_interrupt *i, double now)
{
    double since;
    __atomic_load(&i->since, &since, __ATOMIC_RELAXED);
    if (since > 0.) return since;
    __atomic_store(&i->since, &now, __ATOMIC_RELAXED);
    return now;
}

int bg_interrupted(bg_interrupt *i)
{
    if (!i) return 0;
    if (bg_interrupt_reason_of(i)) return 1;
    const int asked = i->asked && i->asked(i->user);
    if (!asked && !(i->deadline > 0.)) return 0;
    const double now = bg_seconds();
    int reason = BG_INTERRUPT_NONE;
    if (asked && now - first_seen(i, now) >= i->grace)
        reason = BG_INTERRUPT_USER;
    else if (i->deadline > 0. && now - i->deadline >= i->grace)
        reason = BG_INTERRUPT_CLOCK;
    if (reason) __atomic_store_n(&i->reason, reason, __ATOMIC_RELAXED);
    return reason != BG_INTERRUPT_NONE;
}
