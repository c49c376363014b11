#pragma once
#include <jack/jack.h>
#include <jack/metadata.h>
#include <jack/midiport.h>
#include <jack/transport.h>
#include <jack/uuid.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// libjack ends its threads wherever they are, perhaps with a lock of the C library in their hands (jack2 cancels them asynchronously,
// and they may be in `strerror`). What libraries do at the end of the process could then wait for that lock for ever, as p11-kit
// did, which comes with libaubio. A process that calls this ends without it, once all that was printed is written. To be called
// first: what is registered later is done before.
static inline void tactus_jack_end_now(int status, void *unused) {
  (void)unused;
  fflush(stdout);
  _exit(status);
}
static inline void tactus_jack_leave_libraries(void) { on_exit(tactus_jack_end_now, NULL); }

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
