/* A request to stop that reaches into the middle of long work.
 *
 * Whoever computes for long asks bg_interrupted() now and then, at least several times a second. It says yes once
 * somebody has wanted to stop for longer than `grace`: work that ends by itself within that time is not lost. After a yes,
 * the work returns as fast as it can, and what it leaves behind is thrown away.
 */
#ifndef BG_BASE_INTERRUPT_H
#define BG_BASE_INTERRUPT_H

#ifdef __cplusplus
extern "C" {
#endif

/* Seconds of grace: most work ends by itself in less. */
#define BG_INTERRUPT_GRACE 1.

enum bg_interrupt_reason { BG_INTERRUPT_NONE, BG_INTERRUPT_CLOCK, BG_INTERRUPT_USER };

typedef struct bg_interrupt {
    int (*asked)(void *user); /* whether somebody wants to stop; called by any thread. NULL: nobody does */
    void *user;
    double deadline; /* of bg_seconds(); 0: none */
    double grace;    /* seconds that work goes on after a request */
    double since;    /* when the request was first seen; 0: not yet */
    int reason;      /* an answer that was yes stays so */
} bg_interrupt;

/* Whether to stop. Any number of threads may ask; NULL never stops. */
int bg_interrupted(bg_interrupt *interrupt);

/* Forgets an earlier answer. */
void bg_interrupt_reset(bg_interrupt *interrupt);

/* The answer that was given last. */
int bg_interrupt_reason_of(const bg_interrupt *interrupt);

#ifdef __cplusplus
}
#endif

#endif
