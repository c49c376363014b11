#pragma once
#include <stdbool.h>
#include <stdint.h>

// A C interface to Ableton Link. Times are microseconds of Link's clock. Beats are the session's: all peers number them
// equally, so bars of any length begin at multiples of their length. No function throws.

#ifdef __cplusplus
extern "C" {
#endif

// A peer. While enabled, it is in the session and shares starts and stops.
typedef struct tactus_link tactus_link;

// The state of a session at a time. All zero if this build has no Link.
typedef struct {
  double tempo; // beats per minute
  double beat;
  double start; // the beat of the last start request; valid while it plays
  bool is_playing;
} tactus_link_state;

// Whether this build has Link.
bool tactus_link_is_available(void);

// Thread: any. NULL if this build has no Link, or no thread can be created.
tactus_link *tactus_link_create(double tempo);
// Thread: any. The peer must no longer be in use. Returns after it has left the session.
void tactus_link_destroy(tactus_link *link);

// Thread: any. Joins or leaves. Other peers are discovered asynchronously.
void tactus_link_enable(tactus_link *link, bool enabled);
// Thread: any, audio. The number of other peers in the session.
uint64_t tactus_link_peers(const tactus_link *link);
// Thread: any, audio. The present time of Link's clock.
int64_t tactus_link_now(void);

// Thread: audio. The state at a time.
tactus_link_state tactus_link_capture_audio(tactus_link *link, int64_t time);

// Thread: any. The state at a time.
tactus_link_state tactus_link_capture(tactus_link *link, int64_t time);
// Thread: any. Changes the session's tempo, in beats per minute, from a time on.
void tactus_link_set_tempo(tactus_link *link, double tempo, int64_t time);
// Thread: any. Starts playing at a time. Without other peers a bar of `quantum` beats begins there; with peers playing
// starts at the session's next bar line.
void tactus_link_start(tactus_link *link, double quantum, int64_t time);
// Thread: any. Stops playing at a time.
void tactus_link_stop(tactus_link *link, int64_t time);

#ifdef __cplusplus
}
#endif
