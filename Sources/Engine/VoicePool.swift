import MusicTime

/// The clips that are sounding, in the order in which they began, so that they always sum in the same order.
///
/// The pool is fixed. Where it is full, a new clip isn't begun (its onset is counted as dropped): those that sound
/// are never cut short.
struct VoicePool: ~Copyable {
  static let capacity = 256

  private let voices: UnsafeMutablePointer<Voice>
  private(set) var count = 0

  init() {
    voices = .allocate(capacity: VoicePool.capacity)
  }

  deinit { voices.deallocate() }

  /// Begins a clip, or returns false where the pool is full.
  /// - Thread: audio
  @_noLocks
  mutating func begin(_ samples: UnsafeBufferPointer<Float>, role: Role, gain: Float, generation: Int) -> Bool
  {
    guard count < VoicePool.capacity else { return false }
    guard let start = samples.baseAddress, samples.count > 0 else { return true }
    (voices + count).initialize(
      to: Voice(samples: start, remaining: samples.count, role: role, gain: gain, generation: generation))
    count += 1
    return true
  }

  /// Adds the next frames of each voice of a role to a bus; returns whether there was any.
  /// - Thread: audio
  @_noLocks
  func mix(_ role: Role, into bus: UnsafeMutablePointer<Float>, frames: Int) -> Bool {
    var any = false
    for index in 0..<count where voices[index].role == role {
      let voice = voices[index]
      add(voice.samples, times: voice.gain, to: bus, count: min(frames, voice.remaining))
      any = true
    }
    return any
  }

  /// Moves all voices on and lets go of those that have ended.
  /// - Thread: audio
  @_noLocks
  mutating func advance(_ frames: Int) {
    var kept = 0
    for index in 0..<count {
      var voice = voices[index]
      guard voice.remaining > frames else { continue }
      voice.samples += frames
      voice.remaining -= frames
      voices[kept] = voice
      kept += 1
    }
    count = kept
  }

  /// Frames until the last voice has ended.
  /// - Thread: any, audio
  var longest: Int {
    @_noLocks get {
      var longest = 0
      for index in 0..<count { longest = max(longest, voices[index].remaining) }
      return longest
    }
  }

  /// The oldest clip set that still sounds; `newest` where none does.
  /// - Thread: audio
  @_noLocks
  func oldestGeneration(newest: Int) -> Int {
    var oldest = newest
    for index in 0..<count { oldest = min(oldest, voices[index].generation) }
    return oldest
  }
}
