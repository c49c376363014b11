#include "CLink.h"

#if defined(TACTUS_LINK) && __has_include(<ableton/Link.hpp>)
#include <ableton/Link.hpp>

struct tactus_link {
  ableton::Link link;
};

namespace {

using SessionState = ableton::Link::SessionState;

std::chrono::microseconds at(int64_t time) { return std::chrono::microseconds(time); }

// Each peer counts its own beats; only their phase is common. With a quantum longer than any session, the phase equals the
// session's beat.
constexpr double whole_session = 1e9;

tactus_link_state read(const SessionState &state, int64_t time) {
  return {state.tempo(), state.beatAtTime(at(time), whole_session),
          state.beatAtTime(state.timeForIsPlaying(), whole_session), state.isPlaying()};
}

template <typename Change> void commit(tactus_link *link, Change change) {
  try {
    auto state = link->link.captureAppSessionState();
    change(state);
    link->link.commitAppSessionState(state);
  } catch (...) { // out of memory: the session stays unchanged
  }
}

} // namespace

bool tactus_link_is_available(void) { return true; }

tactus_link *tactus_link_create(double tempo) {
  try {
    auto *link = new tactus_link{{tempo}};
    link->link.enableStartStopSync(true);
    return link;
  } catch (...) {
    return nullptr;
  }
}

void tactus_link_destroy(tactus_link *link) { delete link; }

void tactus_link_enable(tactus_link *link, bool enabled) {
  try {
    link->link.enable(enabled);
  } catch (...) {
  }
}

uint64_t tactus_link_peers(const tactus_link *link) { return link->link.numPeers(); }

int64_t tactus_link_now(void) { return ableton::Link::Clock().micros().count(); }

tactus_link_state tactus_link_capture_audio(tactus_link *link, int64_t time) {
  return read(link->link.captureAudioSessionState(), time);
}

tactus_link_state tactus_link_capture(tactus_link *link, int64_t time) {
  return read(link->link.captureAppSessionState(), time);
}

void tactus_link_set_tempo(tactus_link *link, double tempo, int64_t time) {
  commit(link, [=](SessionState &state) { state.setTempo(tempo, at(time)); });
}

void tactus_link_start(tactus_link *link, double quantum, int64_t time) {
  commit(link, [=](SessionState &state) {
    state.setIsPlayingAndRequestBeatAtTime(true, at(time), 0, quantum);
  });
}

void tactus_link_stop(tactus_link *link, int64_t time) {
  commit(link, [=](SessionState &state) { state.setIsPlaying(false, at(time)); });
}

#else

bool tactus_link_is_available(void) { return false; }
tactus_link *tactus_link_create(double) { return nullptr; }
void tactus_link_destroy(tactus_link *) {}
void tactus_link_enable(tactus_link *, bool) {}
uint64_t tactus_link_peers(const tactus_link *) { return 0; }
int64_t tactus_link_now(void) { return 0; }
tactus_link_state tactus_link_capture_audio(tactus_link *, int64_t) { return {}; }
tactus_link_state tactus_link_capture(tactus_link *, int64_t) { return {}; }
void tactus_link_set_tempo(tactus_link *, double, int64_t) {}
void tactus_link_start(tactus_link *, double, int64_t) {}
void tactus_link_stop(tactus_link *, int64_t) {}

#endif
