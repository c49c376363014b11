import MusicTime

/// Follows a MIDI clock: from the times of its pulses, and from start, stop, continue and song position, it computes the
/// musical position at any frame.
///
/// `PulseLoop` filters the jitter and detects missing pulses by their times. The clock counts as lost after a silence of half
/// a second or four pulses, whichever is longer. Until it returns, the position advances at the last tempo.
package struct MIDIClockFollower: BitwiseCopyable, Sendable {
  /// The phase uncertainty, in seconds, below which the clock counts as locked.
  private static let lockedUncertainty = 0.000_3

  /// The effect of a message on the position.
  package enum Change: BitwiseCopyable, Sendable {
    /// No effect, or none yet.
    case none
    /// It started to roll at this pulse, or jumped there while rolling.
    case began
    /// It keeps rolling; the estimates of phase and tempo have been updated.
    case continued
    case stopped
    /// The stopped position has changed.
    case moved
  }

  /// Whether it rolls: from the first pulse after a start or continue until a stop.
  package private(set) var isRolling = false

  private var sampleRate: Int
  private var loop: PulseLoop
  /// While rolling, the song pulse of the latest tick, from 0; while stopped, the pulse at which it would continue.
  private var pulse: Int64 = 0
  /// The song pulse of the next tick, after a start or continue that awaits its first pulse.
  private var upcoming: Int64?

  /// - Parameters:
  ///   - sampleRate: frames per second.
  ///   - beatsPerMinute: the tempo in quarter notes per minute that is assumed until the clock's second pulse.
  /// - Thread: any, audio
  @_noLocks
  package init(sampleRate: Int, beatsPerMinute: Double = 120) {
    self.sampleRate = sampleRate
    loop = PulseLoop(sampleRate: sampleRate, beatsPerMinute: beatsPerMinute)
  }

  /// Changes the sample rate from a clock frame on. Position and tempo stay.
  /// - Parameter sampleRate: frames per second.
  /// - Thread: audio
  @_noLocks
  package mutating func setSampleRate(_ sampleRate: Int, from frame: ClockFrame) {
    self.sampleRate = sampleRate
    loop.setSampleRate(sampleRate, from: frame)
  }

  /// Handles a message. Messages unrelated to the clock have no effect.
  /// - Parameter frame: the clock frame of its arrival; never before the previous message's.
  /// - Thread: any, audio
  @_noLocks
  @discardableResult
  package mutating func take(_ message: MIDIMessage, at frame: ClockFrame) -> Change {
    switch message {
    case .clock: return takePulse(at: frame)
    case .start: upcoming = 0
    case .continue: if !isRolling { upcoming = pulse }
    case .stop:
      upcoming = nil
      guard isRolling else { return .none }
      // Continue resumes at the next pulse.
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
  private mutating func takePulse(at frame: ClockFrame) -> Change {
    let passed = loop.take(frame)
    if let upcoming {
      loop.start(at: frame)
      (pulse, isRolling) = (upcoming, true)
      self.upcoming = nil
      return .began
    }
    guard isRolling else { return .none }
    pulse += passed
    return .continued
  }

  /// Frames per quarter note, at 1…999 quarter notes per minute.
  /// - Thread: any, audio
  package var framesPerQuarter: Double {
    @_noLocks get { loop.period * Double(SongPosition.pulsesPerQuarter) }
  }

  /// Whether phase and tempo are known: to a standard error of 0.3 ms, or as well as one bar (four quarters) of pulses with
  /// this jitter allows.
  /// - Thread: any, audio
  package var isLocked: Bool {
    @_noLocks get {
      loop.weight >= 96
        || loop.weight >= 6 && loop.isSure(to: MIDIClockFollower.lockedUncertainty * Double(sampleRate))
    }
  }

  /// Whether no pulse has come yet, or none for half a second or four pulses, whichever is longer.
  /// - Thread: any, audio
  @_noLocks
  package func isLost(at frame: ClockFrame) -> Bool { loop.isLost(at: frame) }

  /// Quarter notes from the song's start to the position of the latest pulse.
  /// - Thread: any, audio
  package var pulseQuarters: Double {
    @_noLocks get { Double(pulse) / Double(SongPosition.pulsesPerQuarter) }
  }

  /// Quarter notes since the song's start; while stopped, the position at which it would continue.
  ///
  /// At the frame of the first pulse after a start, the value may differ from that pulse's position by the clock's jitter if
  /// the clock was already running.
  /// - Thread: any, audio
  @_noLocks
  package func quarters(at frame: ClockFrame) -> Double {
    let pulses = isRolling ? Double(pulse) + (Double(frame.number) - loop.tick) / loop.period : Double(pulse)
    return pulses / Double(SongPosition.pulsesPerQuarter)
  }
}
