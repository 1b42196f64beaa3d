/* Estimates of |M|^2 for one instruction set (BG_ISA, BG_LANES), a register of points at a time. */
#include "amplitude/external.h"
#include "backend/batch.h"

static void estimate(const bg_sieve *sieve, const bg_subprocess *process, const bg_point_arrays *points, uint32_t count,
                     void *room, double *to)
{
    const bg_momenta momenta = points_momenta(points, process);
    for (uint32_t done = 0; done < count; done += BG_LANES) {
        vec4 p[BG_MAX_LEGS];
        const uint32_t left = count - done, take = left < BG_LANES ? left : BG_LANES;
        const bg_momenta here = momenta_from(&momenta, done);
        external_load(process->n, &here, (int)take, p);
        const real value = sieve_value(&sieve->plan, sieve->coefficient, p, room, 1);
        for (uint32_t l = 0; l < take; l++) to[done + l] = (double)bg_lane(value, (int)l);
    }
}

#define PASTE(a, b) a##b
#define SYMBOL(isa) PASTE(bg_estimate_, isa)

bg_estimate SYMBOL(BG_ISA);
void SYMBOL(BG_ISA)(const bg_sieve *sieve, const bg_subprocess *process, const bg_point_arrays *points, uint32_t count,
                    void *room, double *to)
{
    estimate(sieve, process, points, count, room, to);
}
