#pragma once
#include <lo/lo.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>

// GNU extensions, which Swift's glibc module omits.
extern int dup3(int from, int onto, int flags);
extern int pthread_setname_np(pthread_t thread, const char *name);

// recvmmsg and its structure, which only _GNU_SOURCE declares.
struct tactus_mmsghdr {
  struct msghdr msg_hdr;
  unsigned int msg_len;
};
extern int tactus_recvmmsg(int socket, struct tactus_mmsghdr *messages, unsigned int count, int flags,
                           struct timespec *timeout) __asm__("recvmmsg");

// An eventfd that wakes a poll: non-blocking, closed on exec.
static inline int tactus_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }
