import MIDI

/// The MIDI clock that comes in: where its music is, and what of a period's messages has not been heard yet.
struct ClockInput: BitwiseCopyable {
  /// What is taken for the tempo until the second pulse: so slow that nothing is played that may be too soon.
  private static let unknownTempo = 1.0

  var follower: ClockFollower
  private(set) var sampleRate: Int
  /// Whether the control side knows of the clock, and of which tempo in quarters a minute; 0 where of none.
  var isKnown = false
  var knownTempo = 0.0

  /// When the last onset began before the music went elsewhere.
  var lastOnset = Int64.min / 2

  private var messages: MIDIBuffer?
  private var next = 0
  /// The clock frame of the period's first sample.
  private var start: Int64 = 0
  /// Frames by which the music is ahead of the clock.
  private(set) var advance: Int64 = 0

  init(sampleRate: Int) {
    self.sampleRate = sampleRate
    follower = ClockFollower(sampleRate: sampleRate, beatsPerMinute: ClockInput.unknownTempo)
  }

  /// Takes a period's messages.
  /// - Thread: audio
  @_noLocks
  mutating func open(_ cycle: Cycle, advance: Int) {
    (messages, next, start) = (cycle.clockIn, 0, cycle.clock)
    self.advance = Int64(cycle.clockLatency + advance)
  }

  /// Begins anew, at another sample rate.
  /// - Thread: audio
  @_noLocks
  mutating func reset(sampleRate: Int) {
    self.sampleRate = sampleRate
    follower = ClockFollower(sampleRate: sampleRate, beatsPerMinute: ClockInput.unknownTempo)
  }

  /// The clock frame of the next message; `Int64.max` where there is none.
  /// - Thread: audio
  var nextFrame: Int64 {
    @_noLocks get {
      guard let messages, next < messages.count else { return .max }
      return start + Int64(messages[next].offset)
    }
  }

  /// Hears the next message.
  /// - Returns: what it has done to the music.
  /// - Thread: audio
  @_noLocks
  mutating func hear() -> ClockFollower.Course {
    guard let messages, next < messages.count else { return .none }
    next += 1
    return follower.take(messages[next - 1].message, at: start + Int64(messages[next - 1].offset))
  }

  /// Whether its music runs, and can be joined.
  /// - Thread: audio
  @_noLocks
  func isRolling(at clock: Int64) -> Bool { follower.isRolling && !follower.isLost(at: clock) }

  /// Whole notes from the song's start to where the music is to be at a clock frame.
  /// - Thread: audio
  @_noLocks
  func wholes(at clock: Int64) -> Double {
    // A clock that stands still is ahead of nothing.
    follower.quarters(at: follower.isRolling ? clock + advance : clock) / 4
  }

  /// Half a pulse in frames, at most a hundredth of a second: how far apart two onsets are that can't be two.
  /// - Thread: audio
  var shortest: Int64 {
    @_noLocks get { min(Int64(follower.framesPerQuarter / 48), Int64(sampleRate / 100)) }
  }

  /// Quarters a minute.
  /// - Thread: audio
  var tempo: Double { @_noLocks get { 60 * Double(sampleRate) / follower.framesPerQuarter } }
}
