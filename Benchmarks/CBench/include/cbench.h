#pragma once

#include <stddef.h>
#include <stdint.h>

// Mixing loops in C with which Tactus's loop is compared. Each mixes one period: it clears the four buses and the mix, adds
// every voice to its bus, applies the gains, sums the buses, and drops voices that have ended.

typedef struct {
  const float *samples;
  size_t remaining;
  int role;
  float gain;
} bench_voice;

typedef struct {
  float *out;
  float *buses[4];
  /// The gains of the buses, then of the mix.
  float gains[5];
} bench_outputs;

/// Mixes voice by voice, which is fast. Returns the number of voices that still sound.
size_t bench_mix(bench_voice *voices, size_t count, const bench_outputs *outputs, size_t frames);

/// Mixes sample by sample over all voices, the simplest way. Returns the number of voices that still sound.
size_t bench_mix_by_sample(bench_voice *voices, size_t count, const bench_outputs *outputs, size_t frames);

// A histogram of durations in nanoseconds, in shared memory: 32 buckets to the octave.

enum { BENCH_BUCKETS = 32 * 40 };

typedef struct {
  uint64_t buckets[BENCH_BUCKETS];
} bench_histogram;

static inline size_t bench_bucket(uint64_t nanoseconds) {
  if (nanoseconds < 32) return (size_t)nanoseconds;
  int octave = 63 - __builtin_clzll(nanoseconds) - 5;
  size_t bucket = (size_t)octave * 32 + (size_t)(nanoseconds >> octave);
  return bucket < BENCH_BUCKETS ? bucket : BENCH_BUCKETS - 1;
}

/// The smallest value in a bucket.
static inline uint64_t bench_bucket_floor(size_t bucket) {
  if (bucket < 64) return bucket;
  return (uint64_t)(32 + bucket % 32) << (bucket / 32 - 1);
}
