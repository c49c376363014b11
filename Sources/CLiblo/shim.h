#pragma once
#include <lo/lo.h>
#include <pthread.h>
#include <sys/eventfd.h>

// GNU extensions, which Swift's view of glibc leaves out.
extern int dup3(int from, int onto, int flags);
extern int pthread_setname_np(pthread_t thread, const char *name);

// A counter to wake a poll with: closed on exec, never blocks.
static inline int tactus_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }
