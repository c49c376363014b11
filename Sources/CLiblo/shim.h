#pragma once
#include <lo/lo.h>
#include <sys/socket.h>
#include <time.h>

// A GNU extension, which Swift's glibc module omits.
extern int dup3(int from, int onto, int flags);

// recvmmsg and its structure, which only _GNU_SOURCE declares.
struct tactus_mmsghdr {
  struct msghdr msg_hdr;
  unsigned int msg_len;
};
extern int tactus_recvmmsg(int socket, struct tactus_mmsghdr *messages, unsigned int count, int flags,
                           struct timespec *timeout) __asm__("recvmmsg");
