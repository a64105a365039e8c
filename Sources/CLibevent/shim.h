// First: libevent's headers define _GNU_SOURCE, and fd_set must look as it does in Glibc's module.
#include <sys/select.h>
#include <sys/socket.h>

#include <event2/event.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>

// The C library declares it under _GNU_SOURCE only.
int accept4(int descriptor, struct sockaddr *address, socklen_t *length, int flags);

// prctl takes varargs, which Swift cannot call.
static inline void name_this_thread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }
