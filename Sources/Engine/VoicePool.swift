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

  /// The roles of which something sounds, a bit for each.
  struct Roles: BitwiseCopyable {
    private var bits: UInt8 = 0

    @_noLocks
    mutating func insert(_ role: Role) { bits |= 1 << role.rawValue }

    @_noLocks
    func contains(_ role: Role) -> Bool { bits & 1 << role.rawValue != 0 }
  }

  /// Adds the next frames of each voice to its role's buffer, moves all on, and lets go of those that have ended.
  /// - Parameters:
  ///   - offset: where in the buffers.
  /// - Returns: the roles that sounded.
  /// - Thread: audio
  @_noLocks
  mutating func mix(into outputs: Outputs, from offset: Int, frames: Int) -> Roles {
    var roles = Roles()
    var kept = 0
    for index in 0..<count {
      let voice = voices[index]
      roles.insert(voice.role)
      let length = min(frames, voice.remaining)
      add(voice.samples, times: voice.gain, to: outputs[voice.role] + offset, count: length)
      guard voice.remaining > frames else { continue }
      if kept < index { voices[kept] = voice }
      voices[kept].samples += frames
      voices[kept].remaining -= frames
      kept += 1
    }
    count = kept
    return roles
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
