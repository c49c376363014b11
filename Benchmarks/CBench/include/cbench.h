#pragma once

#include <stddef.h>
#include <stdint.h>

// Mixing by hand: what Tactus's loop is measured against. Both do one period's whole work: they clear the four buses and
// the mix, add every voice to its bus, apply the gains, sum, and let go of voices that have ended.

typedef struct {
  const float *samples;
  size_t remaining;
  int role;
  float gain;
} bench_voice;

typedef struct {
  float *out;
  float *buses[4];
  /// Of the buses, then of the mix.
  float gains[5];
} bench_outputs;

/// Voice by voice, as one writes it for speed. Returns how many voices are left.
size_t bench_mix(bench_voice *voices, size_t count, const bench_outputs *outputs, size_t frames);

/// Sample by sample, asking every clip for its next one, as one writes it at first. Returns how many voices are left.
size_t bench_mix_by_sample(bench_voice *voices, size_t count, const bench_outputs *outputs, size_t frames);

// A histogram of nanoseconds in shared memory: 32 buckets to the octave.

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

/// The least value that falls into a bucket.
static inline uint64_t bench_bucket_floor(size_t bucket) {
  if (bucket < 64) return bucket;
  return (uint64_t)(32 + bucket % 32) << (bucket / 32 - 1);
}
