#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

// The C library declares sched_setaffinity, and the macros for its mask, under _GNU_SOURCE only.
static inline int pin_this_thread(unsigned core) {
    unsigned long mask[16] = {0};
    if (core >= 8 * sizeof mask) return -1;
    mask[core / (8 * sizeof *mask)] = 1UL << core % (8 * sizeof *mask);
    return (int)syscall(SYS_sched_setaffinity, 0, sizeof mask, mask);
}
