#include "cbench.h"

#include <string.h>

static void clear(const bench_outputs *outputs, size_t frames) {
  memset(outputs->out, 0, frames * sizeof(float));
  for (int role = 0; role < 4; role++) memset(outputs->buses[role], 0, frames * sizeof(float));
}

size_t bench_mix(bench_voice *voices, size_t count, const bench_outputs *outputs, size_t frames) {
  clear(outputs, frames);
  if (count == 0) return 0;
  int used[4] = {0, 0, 0, 0};
  size_t kept = 0;
  for (size_t index = 0; index < count; index++) {
    bench_voice voice = voices[index];
    size_t length = voice.remaining < frames ? voice.remaining : frames;
    float *restrict bus = outputs->buses[voice.role];
    const float *restrict samples = voice.samples;
    for (size_t frame = 0; frame < length; frame++) bus[frame] += samples[frame] * voice.gain;
    used[voice.role] = 1;
    if (voice.remaining <= frames) continue;
    voice.samples += frames;
    voice.remaining -= frames;
    voices[kept++] = voice;
  }
  float *restrict out = outputs->out;
  for (int role = 0; role < 4; role++) {
    if (!used[role]) continue;
    float *restrict bus = outputs->buses[role];
    for (size_t frame = 0; frame < frames; frame++) {
      bus[frame] *= outputs->gains[role];
      out[frame] += bus[frame];
    }
  }
  for (size_t frame = 0; frame < frames; frame++) out[frame] *= outputs->gains[4];
  return kept;
}

size_t bench_mix_by_sample(bench_voice *voices, size_t count, const bench_outputs *outputs, size_t frames) {
  clear(outputs, frames);
  for (size_t frame = 0; frame < frames; frame++) {
    for (size_t index = 0; index < count; index++) {
      bench_voice *voice = &voices[index];
      if (voice->remaining == 0) continue;
      outputs->buses[voice->role][frame] += *voice->samples++ * voice->gain;
      voice->remaining--;
    }
    for (int role = 0; role < 4; role++) {
      outputs->buses[role][frame] *= outputs->gains[role];
      outputs->out[frame] += outputs->buses[role][frame];
    }
    outputs->out[frame] *= outputs->gains[4];
  }
  size_t kept = 0;
  for (size_t index = 0; index < count; index++) {
    if (voices[index].remaining > 0) voices[kept++] = voices[index];
  }
  return kept;
}
