#pragma once
#include <pthread.h>
#include <sys/eventfd.h>

// A GNU extension, which Swift's glibc module omits.
extern int pthread_setname_np(pthread_t thread, const char *name);

// An eventfd that wakes a poll: non-blocking, closed on exec.
static inline int tactus_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }
