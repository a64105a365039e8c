/* Tells the thread sanitizer what Synchronization.Mutex does. Preloaded into instrumented programs.
 *
 * A Mutex (Swift 6.3, Linux) is taken and given back by an atomic operation that is compiled into the caller, and so
 * instrumented; but when two threads meet there, it goes on in _lockSlow, _tryLockSlow and _unlockSlow of
 * libswiftSynchronization.so, which is not. The sanitizer misses these, and reports two threads that took the lock
 * one after the other as a race. Here each of the three says what it does, at the address of the Mutex, where the
 * atomic operations say it, too. Nothing is suppressed: scripts/sanitize shows with mutex.swift that the false report
 * is gone, that a real race beside a Mutex is still found, and that all this is still needed.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *mutex

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

/* Absent in programs that are not instrumented. */
extern void __tsan_acquire(void *) __attribute__((weak));
extern void __tsan_release(void *) __attribute__((weak));

SWIFT void lock_slow(uint32_t thread, SELF) __asm__(LOCK);
SWIFT bool try_lock_slow(SELF) __asm__(TRY);
SWIFT void unlock_slow(SELF) __asm__(UNLOCK);

static SWIFT void (*next_lock)(uint32_t, SELF);
static SWIFT bool (*next_try)(SELF);
static SWIFT void (*next_unlock)(SELF);

__attribute__((constructor)) static void find_next(void) {
    next_lock = (typeof(next_lock))dlsym(RTLD_NEXT, LOCK);
    next_try = (typeof(next_try))dlsym(RTLD_NEXT, TRY);
    next_unlock = (typeof(next_unlock))dlsym(RTLD_NEXT, UNLOCK);
}

SWIFT void lock_slow(uint32_t thread, SELF) {
    next_lock(thread, mutex);
    if (__tsan_acquire) __tsan_acquire(mutex);
}

SWIFT bool try_lock_slow(SELF) {
    bool is_locked = next_try(mutex);
    if (is_locked && __tsan_acquire) __tsan_acquire(mutex);
    return is_locked;
}

SWIFT void unlock_slow(SELF) {
    if (__tsan_release) __tsan_release(mutex);
    next_unlock(mutex);
}
