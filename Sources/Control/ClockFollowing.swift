import Engine
import MusicTime
import Validation

/// What happens to the music when a MIDI clock is lost.
public enum ClockLoss: String, CaseIterable, Sendable {
  /// It goes on at the last tempo.
  case `continue`
  case stop
}

/// Milliseconds between the clicks and a MIDI clock, to a thousandth: from the clock that comes in to the clicks, or from the
/// clicks to the clock that is sent. Negative for before.
public struct ClockOffset: Hashable, Sendable {
  public static let none = ClockOffset(unchecked: 0)
  static let bounds = -500.0...500.0
  /// How many steps make a millisecond.
  static let parts = 1_000.0

  public let milliseconds: Double

  private init(unchecked milliseconds: Double) { self.milliseconds = milliseconds }

  /// - Throws: `InvalidValue` outside −500…500.
  public init(_ milliseconds: Double) throws(InvalidValue) {
    guard ClockOffset.bounds.contains(milliseconds) else {
      throw InvalidValue("clock offset", "\(milliseconds)", allowed: "-500…500 milliseconds")
    }
    self.milliseconds = milliseconds.rounded(parts: ClockOffset.parts)
  }

  /// The nearest number of frames.
  func frames(at sampleRate: Int) -> Int { Int((milliseconds * Double(sampleRate) / 1_000).rounded()) }
}

extension Settings {
  func clockPolicy(sampleRate: Int) -> MIDIClockPolicy {
    var policy = MIDIClockPolicy()
    policy.stopsWhenLost = clockInLoss == .stop
    policy.advance = -clockInOffset.frames(at: sampleRate)
    return policy
  }
}

/// Following a MIDI clock.
extension ConductorCore {
  /// Why the music can't be moved.
  var clockRules: InvalidValue {
    InvalidValue(
      "a jump", "in role \(SyncMode.midiClock.rawValue)",
      allowed: "left to the clock's machine and its song position; other roles can")
  }

  /// Joins the clock, or leaves it to itself.
  func runByClock(_ isRunning: Bool) { send(Command(isRunning ? .start : .stop)) }

  /// Whether there is something to join.
  private var canJoin: Bool { channels.pointee.isMIDIClockRolling.load(ordering: .relaxed) }

  /// - Throws: `InvalidValue` where the clock can't be joined.
  func checkClock() throws(InvalidValue) {
    guard !now.isPlaying, !canJoin else { return }
    guard now.leader != nil else {
      throw InvalidValue(
        "start", "without a MIDI clock",
        allowed: "asked while one comes in at clock-in; other roles need none")
    }
    throw InvalidValue(
      "start", "of a MIDI clock that stands, or has sent nothing but pulses since it came",
      allowed: "made at its machine: pulses alone don't say where they are")
  }

  /// The role has changed: no clock is followed, so none is lost.
  func forgetClock() { isClockLost = false }

  /// The clock's tempo is known. Where its music is nobody knows before it starts.
  func handleClock(_ clock: Event.Leader) {
    let wait = now.isPlaying ? "" : canJoin ? ": start joins it" : ": the click waits for its start"
    if isClockLost {
      report(.warning("the MIDI clock is back\(wait)"))
    } else if now.leader == nil, !now.isPlaying {
      report(.warning("a MIDI clock comes in\(wait)"))
    }
    isClockLost = false
  }

  /// No pulses come any more. A clock that was stopped before may rest.
  func loseClock() {
    guard now.isPlaying else { return }
    isClockLost = true
    let outcome =
      now.settings.clockInLoss == .stop ? "stopped until its next start" : "going on at its last tempo"
    report(.warning("the MIDI clock has fallen silent: \(outcome)"))
  }
}
