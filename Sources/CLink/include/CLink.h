#pragma once
#include <stdbool.h>
#include <stdint.h>

// Ableton Link behind a few C functions. Times are microseconds of Link's clock; beats are the session's, which all its
// peers count alike, so that bars of any length begin on its multiples. Nothing throws.

#ifdef __cplusplus
extern "C" {
#endif

// One peer. It joins a session when it is enabled, and shares starts and stops there.
typedef struct tactus_link tactus_link;

// A session as it is at some time.
typedef struct {
  double tempo; // beats a minute
  double beat;
  double start; // the beat at which it was asked to play, where it plays
  bool is_playing;
} tactus_link_state;

// Whether this build has Link.
bool tactus_link_is_available(void);

// Thread: any. NULL where this build has no Link, or no threads can be had.
tactus_link *tactus_link_create(double tempo);
// Thread: any; nobody may use the peer any more. Returns when the session has been left.
void tactus_link_destroy(tactus_link *link);

// Thread: any. Joins or leaves; what is to be heard of the network comes later.
void tactus_link_enable(tactus_link *link, bool enabled);
// Thread: any, audio. Other peers in the session.
uint64_t tactus_link_peers(const tactus_link *link);
// Thread: any, audio.
int64_t tactus_link_now(void);

// Thread: audio.
tactus_link_state tactus_link_capture_audio(tactus_link *link, int64_t time);

// Thread: any.
tactus_link_state tactus_link_capture(tactus_link *link, int64_t time);
void tactus_link_set_tempo(tactus_link *link, double tempo, int64_t time);
// Plays from a time on: alone, a bar of `quantum` beats begins there; with others, at the session's next bar line.
void tactus_link_start(tactus_link *link, double quantum, int64_t time);
void tactus_link_stop(tactus_link *link, int64_t time);

#ifdef __cplusplus
}
#endif
