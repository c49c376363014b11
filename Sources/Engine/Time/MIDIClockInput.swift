import MIDI
import MusicTime
import Realtime

/// The received MIDI clock: the unhandled messages of a period, and the position of its music.
struct MIDIClockInput: ~Copyable {
  /// The tempo assumed until the second pulse, in quarters per minute: so slow that no onset is played too early.
  private static let unknownTempo = 1.0

  private(set) var follower: MIDIClockFollower
  private var sampleRate: Int
  private var messages: MIDIBuffer?
  private var next = 0
  /// The clock frame of the period's first sample.
  private var start: ClockFrame = 0
  /// Frames by which the music is ahead of the clock.
  private(set) var advance: Int64 = 0
  private let pin = Pin()

  init(sampleRate: Int) {
    self.sampleRate = sampleRate
    follower = MIDIClockFollower(sampleRate: sampleRate, beatsPerMinute: MIDIClockInput.unknownTempo)
  }

  /// Stores a period's messages.
  /// - Thread: audio
  @_noLocks
  mutating func open(_ cycle: Cycle) { (messages, next, start) = (cycle.clockIn, 0, cycle.clock) }

  /// Sets by how many frames the music is ahead of the clock.
  /// - Parameter frames: those of the score's policy, in addition to the cycle's latency.
  /// - Thread: audio
  @_noLocks
  mutating func setAdvance(_ cycle: Cycle, _ frames: Int) { advance = Int64(cycle.clockLatency + frames) }

  /// Changes the length of a frame from a clock frame on.
  /// - Thread: audio
  @_noLocks
  mutating func setSampleRate(_ sampleRate: Int, from clock: ClockFrame) {
    guard sampleRate != self.sampleRate else { return }
    self.sampleRate = sampleRate
    follower.setSampleRate(sampleRate, from: clock)
  }

  /// The clock frame of the next message; `never` if there is none.
  /// - Thread: audio
  var nextFrame: ClockFrame {
    @_noLocks get {
      guard let messages, next < messages.count else { return .never }
      return start + Int64(messages[next].offset)
    }
  }

  /// Handles the next message.
  /// - Returns: its effect on the clock's music.
  /// - Thread: audio
  @_noLocks
  mutating func take() -> MIDIClockFollower.Change {
    guard let messages, next < messages.count else { return .none }
    next += 1
    return follower.take(messages[next - 1].message, at: start + Int64(messages[next - 1].offset))
  }

  /// Stops the clock's music, like a stop message.
  /// - Thread: audio
  @_noLocks
  mutating func stop(at clock: ClockFrame) { _ = follower.take(.stop, at: clock) }

  /// Whether its music rolls and can be joined.
  /// - Thread: audio
  @_noLocks
  func isRolling(at clock: ClockFrame) -> Bool { follower.isRolling && !follower.isLost(at: clock) }

  /// The position of the music at a clock frame, in whole notes from the song's start.
  /// - Thread: audio
  @_noLocks
  func wholes(at clock: ClockFrame) -> Double {
    // A stopped clock needs no latency compensation.
    follower.quarters(at: follower.isRolling ? clock + advance : clock) / 4
  }

  /// Onsets closer than this many frames are the same onset: half a pulse, at most 10 ms.
  /// - Thread: audio
  var shortest: Int64 {
    @_noLocks get { min(Int64(follower.framesPerQuarter / 48), Int64(sampleRate / 100)) }
  }

  /// Quarters per minute.
  /// - Thread: audio
  var tempo: Double { @_noLocks get { 60 * Double(sampleRate) / follower.framesPerQuarter } }
}

/// How to follow a MIDI clock.
package struct MIDIClockPolicy: BitwiseCopyable, Sendable {
  /// Whether the music stops when the pulses stop; otherwise it continues at the last tempo.
  package var stopsWhenLost = false
  /// Frames by which the clicks precede the clock's beats, at most half a second either way; negative if they follow.
  package var advance = 0

  package init() {}
}
