/* Two functions of the C++ run time that nvcc's host code calls, so that the library needs no libstdc++.
 *
 * A kernel's handle is a static variable that is initialized when the kernel is first launched. Around that the compiler
 * calls a guard, which lets one thread in and has the others wait (Itanium C++ ABI, 3.3.2): the guard is 8 bytes, the first
 * of which says that the variable is ready; the second is ours and says that a thread is at work. The functions are weak:
 * in a C++ program those of its own run time are as good.
 */
#include <stdint.h>
#include <sched.h>

#define GUARD __attribute__((weak, visibility("hidden")))

/* The names are those of the C++ ABI. */
int __cxa_guard_acquire(uint64_t *guard);  // NOLINT(bugprone-reserved-identifier)
void __cxa_guard_release(uint64_t *guard); // NOLINT(bugprone-reserved-identifier)

/* 1: initialize, then release. 0: it has been done. */
GUARD int __cxa_guard_acquire(uint64_t *guard)
{
    unsigned char *byte = (unsigned char *)guard;
    for (;;) {
        if (__atomic_load_n(&byte[0], __ATOMIC_ACQUIRE)) return 0;
        if (!__atomic_test_and_set(&byte[1], __ATOMIC_ACQUIRE)) {
            if (!__atomic_load_n(&byte[0], __ATOMIC_ACQUIRE)) return 1;
            __atomic_clear(&byte[1], __ATOMIC_RELEASE);
            return 0;
        }
        sched_yield();
    }
}

GUARD void __cxa_guard_release(uint64_t *guard)
{
    unsigned char *byte = (unsigned char *)guard;
    __atomic_store_n(&byte[0], 1, __ATOMIC_RELEASE);
    __atomic_clear(&byte[1], __ATOMIC_RELEASE);
}
