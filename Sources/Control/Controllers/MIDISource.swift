import MIDI
import MusicTime
import Validation

/// A control of a MIDI controller, identified by its messages.
package struct MIDISource: Hashable, Sendable {
  package enum Kind: String, CaseIterable, Sendable {
    /// A note on is a press, its note off the release.
    case note
    case controller = "cc"
    /// A 14-bit controller; its number is the number of the coarse half.
    case pair = "cc14"
    case program
    case pitchBend = "pitch-bend"
    /// The system messages start, stop and continue.
    case start, stop
    case `continue`

    /// The allowed numbers; nil if the kind has only one control.
    var numbers: ClosedRange<Int>? {
      switch self {
      case .note, .controller, .program: 0...127
      case .pair: 0...31
      case .pitchBend, .start, .stop, .continue: nil
      }
    }

    var hasChannel: Bool {
      switch self {
      case .note, .controller, .pair, .program, .pitchBend: true
      case .start, .stop, .continue: false
      }
    }

    /// Whether it can be a switch. A controller can be a switch or a fader.
    var isSwitch: Bool { self != .pair && self != .pitchBend }
    /// Whether it can be a fader.
    var isFader: Bool { self == .controller || self == .pair || self == .pitchBend }
    /// Whether it reports its release.
    var isReleased: Bool { self == .note || self == .controller }
  }

  package let kind: Kind
  /// 1…16; nil: any channel.
  package let channel: Int?
  /// nil: the kind has only one control, or any program.
  package let number: Int?

  /// - Throws: `InvalidValue` for a channel or number out of range.
  package init(_ kind: Kind, _ number: Int? = nil, channel: Int? = nil) throws(InvalidValue) {
    guard channel.map({ kind.hasChannel && 1...16 ~= $0 }) ?? true else {
      throw InvalidValue(
        "channel", "\(channel!)", allowed: kind.hasChannel ? "1…16" : "left out for \(kind.rawValue)")
    }
    let isFitting =
      switch (kind.numbers, number) {
      case (let numbers?, let number?): numbers.contains(number)
      case (nil, nil): true
      case (_?, nil): kind == .program
      case (nil, _?): false
      }
    guard isFitting else {
      let allowed = kind.numbers.map { "\($0.lowerBound)…\($0.upperBound)" } ?? "left out"
      throw InvalidValue("number of \(kind.rawValue)", number.map { "\($0)" } ?? "missing", allowed: allowed)
    }
    (self.kind, self.number, self.channel) = (kind, number, channel)
  }

  /// Parses the form of `description`.
  /// - Throws: `InvalidValue`.
  package init(text: String) throws(InvalidValue) {
    var words = text.split(separator: " ")[...]
    let allowed =
      "note N, cc N, cc14 N, program [N], pitch-bend, start, stop or continue, perhaps with channel 1…16"
    let invalid = InvalidValue("control", quoted(text), allowed: allowed)
    guard let kind = words.popFirst().flatMap({ Kind(rawValue: String($0)) }) else { throw invalid }
    var channel: Int?
    if words.count >= 2, words[words.endIndex - 2] == "channel" {
      guard let number = Int(words.removeLast()) else { throw invalid }
      channel = number
      words.removeLast()
    }
    var number: Int?
    if let word = words.popFirst() {
      guard words.isEmpty, let value = Int(word) else { throw invalid }
      number = value
    }
    try self.init(kind, number, channel: channel)
  }

  /// Whether a message comes from this control.
  func matches(_ kind: Kind, _ number: Int? = nil, channel: UInt8? = nil) -> Bool {
    self.kind == kind && (self.number == nil || self.number == number)
      && (self.channel == nil || self.channel == channel.map(Int.init))
  }

  /// Whether both can be the same control: one on any channel matches each channel, and each half of a pair matches the pair.
  func isSame(as other: MIDISource) -> Bool {
    guard channel == nil || other.channel == nil || channel == other.channel else { return false }
    switch (kind, other.kind) {
    case (.pair, .controller): return other.number == number || other.number == number! + 32
    case (.controller, .pair): return other.isSame(as: self)
    default: return (kind, number) == (other.kind, other.number)
    }
  }
}

extension MIDISource: CustomStringConvertible {
  package var description: String {
    kind.rawValue + (number.map { " \($0)" } ?? "") + (channel.map { " channel \($0)" } ?? "")
  }
}
