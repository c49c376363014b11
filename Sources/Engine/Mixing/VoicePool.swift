import MusicTime

/// The sounding clips in the order in which they began, so that they are always summed in the same order.
///
/// The pool has a fixed size. If it is full, a new clip isn't started, and its onset counts as dropped: sounding clips are
/// never cut short.
struct VoicePool: ~Copyable {
  static let capacity = 256
  /// Voices that layers leave free for beats.
  static let reserve = 32

  private let voices: UnsafeMutablePointer<Voice>
  /// The buffer of each role, by its raw value.
  private let buses: UnsafeMutablePointer<UnsafeMutablePointer<Float>>
  private(set) var count = 0
  /// Frames until the last voice has ended.
  private(set) var longest = 0
  /// The oldest clip set that still sounds; `Int.max` if none does.
  private var oldest = Int.max

  init() {
    voices = .allocate(capacity: VoicePool.capacity)
    buses = .allocate(capacity: 4)
  }

  deinit {
    voices.deallocate()
    buses.deallocate()
  }

  /// Starts a clip, or returns false if the pool is full.
  /// - Thread: audio
  @_noLocks
  mutating func begin(
    _ samples: UnsafeBufferPointer<Float>, role: ClickRole, layer: Int = -1, gain: Float, generation: Int
  ) -> Bool {
    // Beats have room, however fast the layers are.
    guard count < VoicePool.capacity - (layer < 0 ? 0 : VoicePool.reserve) else { return false }
    guard let start = samples.baseAddress, samples.count > 0 else { return true }
    (voices + count).initialize(
      to: Voice(
        samples: start, remaining: samples.count, role: role, layer: Int8(layer), gain: gain,
        generation: generation))
    count += 1
    longest = max(longest, samples.count)
    oldest = min(oldest, generation)
    return true
  }

  /// A set of roles, one bit each.
  struct Roles: BitwiseCopyable {
    private var bits: UInt8 = 0

    @_noLocks
    @inline(__always)
    mutating func insert(_ role: ClickRole) { bits |= 1 << role.rawValue }

    @_noLocks
    @inline(__always)
    func contains(_ role: ClickRole) -> Bool { bits & 1 << role.rawValue != 0 }
  }

  /// Adds the next frames of each voice to its role's buffer, or to the mix if it belongs to a layer; advances all voices, and
  /// removes those that have ended.
  /// - Parameters:
  ///   - offset: the first frame in the buffers.
  ///   - layers: the layers' volumes.
  ///   - clock: the clock frame of the first frame.
  /// - Returns: the roles that sounded.
  /// - Thread: audio
  @_noLocks
  mutating func mix(
    into outputs: Outputs, from offset: Int, frames: Int, _ layers: borrowing LayerLevels,
    at clock: ClockFrame
  ) -> Roles {
    buses[0] = outputs.buses.accent + offset
    buses[1] = outputs.buses.beat + offset
    buses[2] = outputs.buses.subdivision + offset
    buses[3] = outputs.buses.cue + offset
    var roles = Roles()
    // Local variables, because properties would be written for each voice.
    var (kept, longest, oldest) = (0, 0, Int.max)
    for index in 0..<count {
      let voice = voices + index
      let length = min(frames, voice.pointee.remaining)
      if voice.pointee.layer < 0 {
        let role = voice.pointee.role
        roles.insert(role)
        add(voice.pointee.samples, times: voice.pointee.gain, to: buses[Int(role.rawValue)], count: length)
      } else {
        layers.add(voice.pointee, to: outputs, from: offset, count: length, at: clock)
      }
      guard voice.pointee.remaining > frames else { continue }
      voice.pointee.samples += frames
      voice.pointee.remaining &-= frames
      longest = max(longest, voice.pointee.remaining)
      oldest = min(oldest, voice.pointee.generation)
      if kept < index { voices[kept] = voice.pointee }
      kept &+= 1
    }
    (count, self.longest, self.oldest) = (kept, longest, oldest)
    return roles
  }

  /// The role of the only voice; nil if several sound, or none.
  /// - Thread: audio
  var onlyRole: ClickRole? { @_noLocks get { count == 1 && voices[0].layer < 0 ? voices[0].role : nil } }

  /// Mixes the only voice in one pass, with the same result as `mix` and the constant gains of its bus and of the mix.
  /// - Parameters:
  ///   - bus: its role's buffer, silent before.
  ///   - out: the mix, silent before.
  /// - Thread: audio
  @_noLocks
  mutating func mixOnly(
    into bus: UnsafeMutablePointer<Float>, at level: Float, _ out: UnsafeMutablePointer<Float>,
    at master: Float,
    frames: Int
  ) {
    let voice = voices[0]
    let length = min(frames, voice.remaining)
    add(
      voice.samples, times: voice.gain, to: bus, times: level, to: out, times: master, count: length)
    if voice.remaining > frames {
      voices[0].samples += frames
      voices[0].remaining -= frames
      longest = voice.remaining - frames
    } else {
      (count, longest, oldest) = (0, 0, .max)
    }
  }

  /// The oldest clip set that still sounds; `newest` if none does.
  /// - Thread: audio
  @_noLocks
  func oldestGeneration(newest: Int) -> Int { min(oldest, newest) }
}

/// A sounding clip.
struct Voice: BitwiseCopyable {
  /// The remaining samples of the clip.
  var samples: UnsafePointer<Float>
  var remaining: Int
  let role: ClickRole
  /// The layer's number from 0; −1 if the voice belongs to no layer.
  let layer: Int8
  let gain: Float
  /// The generation of the clip set, which must stay in memory while the voice sounds.
  let generation: Int
}
