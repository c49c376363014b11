import Engine
import MusicTime
import Validation

/// The reaction of the music when the MIDI clock is lost.
package enum MIDIClockLoss: String, CaseIterable, Sendable {
  /// Continues at the last tempo.
  case `continue`
  case stop
}

/// The unit of a beat in the position that other JACK clients read.
package enum PublishedBeat: String, CaseIterable, Sendable {
  case meter, quarters

  var transportBeat: TransportBeat {
    switch self {
    case .meter: .meter
    case .quarters: .quarters
    }
  }
}

/// An offset in milliseconds, with a resolution of a microsecond: from a received MIDI clock or a transport to the clicks, or
/// from the clicks to the sent clock. Negative values are early.
package struct ClockOffset: Hashable, Sendable {
  package static let none = ClockOffset(unchecked: 0)
  static let bounds = -500.0...500.0
  /// Steps of the resolution per millisecond.
  static let parts = 1_000.0

  package let milliseconds: Double

  private init(unchecked milliseconds: Double) { self.milliseconds = milliseconds }

  /// - Throws: `InvalidValue` outside −500…500 milliseconds.
  package init(_ milliseconds: Double) throws(InvalidValue) {
    guard ClockOffset.bounds.contains(milliseconds) else {
      throw InvalidValue("offset", "\(milliseconds)", allowed: "-500…500 milliseconds")
    }
    self.milliseconds = milliseconds.rounded(parts: ClockOffset.parts)
  }

  /// The offset in frames, rounded.
  func frames(at sampleRate: Int) -> Int { Int((milliseconds * Double(sampleRate) / 1_000).rounded()) }
}

extension Settings {
  func clockPolicy(sampleRate: Int) -> MIDIClockPolicy {
    var policy = MIDIClockPolicy()
    policy.stopsWhenLost = clockInLoss == .stop
    policy.advance = -clockInOffset.frames(at: sampleRate)
    return policy
  }

  var preRoll: PreRollPolicy {
    var policy = PreRollPolicy()
    policy.bars = self[Parameters.preRoll]
    policy.seconds = self[Parameters.preRollSeconds]
    return policy
  }

  func latencyPolicy(sampleRate: Int) -> LatencyPolicy {
    var policy = LatencyPolicy()
    policy.compensates = self[Parameters.compensatesLatency]
    policy.clickOffset = self[Parameters.clickOffset].frames(at: sampleRate)
    return policy
  }
}
