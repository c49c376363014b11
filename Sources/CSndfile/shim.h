#pragma once
#include <sndfile.h>
#include <sys/syscall.h>
#include <unistd.h>

// A nameless file in memory; -1 if there is no room. Swift imports neither `memfd_create` nor variadic functions.
static inline int tactus_memory_file(void) { return (int)syscall(SYS_memfd_create, "tactus", 1 /* MFD_CLOEXEC */); }
