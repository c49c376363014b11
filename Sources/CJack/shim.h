#pragma once
#include <jack/jack.h>
#include <jack/metadata.h>
#include <jack/midiport.h>
#include <jack/transport.h>
#include <jack/uuid.h>

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
