/// Follows a MIDI clock: from the times of its pulses, and from start, stop, continue and song position, it says where
/// the music is at any frame.
///
/// Jitter is filtered out by `PulseLoop`. A pulse that is missing is counted by its place in time; a clock that falls
/// silent is lost after half a second or four pulses, whichever is longer, and until it is back the music goes on at
/// the last tempo.
public struct ClockFollower: BitwiseCopyable, Sendable {
  /// Seconds that the phase may be unsure by where the clock counts as locked.
  private static let lockedUncertainty = 0.000_3

  /// What a message has done to the music.
  public enum Course: BitwiseCopyable, Sendable {
    /// Nothing, or nothing yet.
    case none
    /// It began to run at the place of this pulse, or went there.
    case began
    /// It runs on, and phase and tempo are known better.
    case wentOn
    case stopped
    /// The place from which it would go on is another.
    case moved
  }

  /// Whether the music runs: from the first pulse after a start or continue until a stop.
  public private(set) var isRolling = false

  private let sampleRate: Int
  private var loop: PulseLoop
  /// While rolling, the pulse of the song that the latest tick is, from 0; while not, the one to go on with.
  private var pulse: Int64 = 0
  /// The pulse of the song that the next one is, where a start or continue waits for it.
  private var upcoming: Int64?

  /// - Parameters:
  ///   - sampleRate: frames a second.
  ///   - beatsPerMinute: quarter notes a minute, what is taken for the tempo until the clock's second pulse.
  /// - Thread: any, audio
  @_noLocks
  public init(sampleRate: Int, beatsPerMinute: Double = 120) {
    self.sampleRate = sampleRate
    loop = PulseLoop(sampleRate: sampleRate, beatsPerMinute: beatsPerMinute)
  }

  /// Takes a message; those that have nothing to do with the clock do nothing.
  /// - Parameter frame: when it came, by a clock that all messages share; never before the last one's.
  /// - Thread: any, audio
  @_noLocks
  @discardableResult
  public mutating func take(_ message: MIDIMessage, at frame: Int64) -> Course {
    switch message {
    case .clock: return takePulse(at: frame)
    case .start: upcoming = 0
    case .continue: if !isRolling { upcoming = pulse }
    case .stop:
      upcoming = nil
      guard isRolling else { return .none }
      // To continue is to go on with the next pulse.
      pulse += 1
      isRolling = false
      return .stopped
    case .songPosition(let position):
      guard !isRolling else { return .none }
      pulse = position.pulse
      if upcoming != nil { upcoming = pulse }
      return .moved
    default: break
    }
    return .none
  }

  @_noLocks
  private mutating func takePulse(at frame: Int64) -> Course {
    let passed = loop.take(frame)
    if let upcoming {
      loop.align(to: frame)
      (pulse, isRolling) = (upcoming, true)
      self.upcoming = nil
      return .began
    }
    guard isRolling else { return .none }
    pulse += passed
    return .wentOn
  }

  /// Frames in a quarter note, at 1…999 quarter notes a minute.
  /// - Thread: any, audio
  public var framesPerQuarter: Double {
    @_noLocks get { loop.period * Double(SongPosition.pulsesPerQuarter) }
  }

  /// Whether phase and tempo are known: to 0.3 ms as a standard error, or as well as the pulses of a bar (four
  /// quarters) of this jitter tell.
  /// - Thread: any, audio
  public var isLocked: Bool {
    @_noLocks get {
      loop.weight >= 96
        || loop.weight >= 6 && loop.isSure(to: ClockFollower.lockedUncertainty * Double(sampleRate))
    }
  }

  /// Whether no pulse has come, or none for half a second and four pulses.
  /// - Thread: any, audio
  @_noLocks
  public func isLost(at frame: Int64) -> Bool { loop.isLost(at: frame) }

  /// Quarter notes from the song's start to the place of the latest pulse, whenever that came.
  /// - Thread: any, audio
  public var pulseQuarters: Double {
    @_noLocks get { Double(pulse) / Double(SongPosition.pulsesPerQuarter) }
  }

  /// Quarter notes since the song's start; while the music doesn't run, the place from which it would go on.
  ///
  /// At the frame of the first pulse it may already be a little past that pulse's place, or still before it, where the
  /// clock ran before and the pulse came late, or early, by its jitter.
  /// - Thread: any, audio
  @_noLocks
  public func quarters(at frame: Int64) -> Double {
    let pulses = isRolling ? Double(pulse) + (Double(frame) - loop.tick) / loop.period : Double(pulse)
    return pulses / Double(SongPosition.pulsesPerQuarter)
  }
}
