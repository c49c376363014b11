#pragma once
#include <jack/jack.h>
#include <jack/metadata.h>
#include <jack/midiport.h>
#include <jack/thread.h>
#include <jack/transport.h>
#include <jack/uuid.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

// Ends the process without the exit handlers of libraries, once all that was printed is written. jack2 cancels its threads
// asynchronously, so one of them may end while it holds a lock of the C library (in `strerror`). An exit handler could then wait for
// that lock for ever, as that of p11-kit did, which comes with libaubio. To be called first: handlers that are registered later still run.
static inline void tactus_jack_end_now(int status, void *unused) {
  (void)unused;
  fflush(stdout);
  _exit(status);
}
static inline void tactus_jack_skip_exit_handlers(void) { on_exit(tactus_jack_end_now, NULL); }

// The calling thread's ID in the system.
static inline int tactus_thread_id(void) { return (int)syscall(SYS_gettid); }
// The number of the system call `read`, which depends on the processor.
static const int tactus_read_call = SYS_read;

// jack2 cancels its threads asynchronously. A callback that it cancelled halfway would leave the engine's state inconsistent, or keep
// a lock. Between these two calls a thread is not cancelled; a cancellation waits for the second.
static inline int tactus_hold_cancellation(void) {
  int before;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
  return before;
}
static inline void tactus_release_cancellation(int before) {
  pthread_setcancelstate(before, &before);
  // glibc before 2.36 forgets a cancellation that it held back.
  pthread_testcancel();
}

// Variadic in C, so Swift can't call it.
static inline jack_client_t *tactus_jack_client_open(const char *name, jack_options_t options,
                                                     jack_status_t *status, const char *server) {
  return server ? jack_client_open(name, (jack_options_t)(options | JackServerName), status, server)
                : jack_client_open(name, options, status);
}

// Only `make rtsan` links RealtimeSanitizer's runtime. Otherwise these weak symbols are null, and a call costs one test.
__attribute__((weak)) void __rtsan_realtime_enter(void);
__attribute__((weak)) void __rtsan_realtime_exit(void);

static inline void tactus_realtime_enter(void) {
  if (__rtsan_realtime_enter) __rtsan_realtime_enter();
}
static inline void tactus_realtime_exit(void) {
  if (__rtsan_realtime_exit) __rtsan_realtime_exit();
}
