import MIDI
import MusicTime
import Validation

/// A control of a MIDI controller, by the messages that it sends.
public struct MIDISource: Hashable, Sendable {
  public enum Kind: String, CaseIterable, Sendable {
    /// A note on is a press, its note off the release.
    case note
    case controller = "cc"
    /// A controller of 14 bits: the number is its coarse half's.
    case pair = "cc14"
    case program
    case pitchBend = "pitch-bend"
    /// The messages by which machines start and stop each other.
    case start, stop
    case `continue`

    /// The numbers that tell its controls apart; nil where there is but one.
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

    /// Whether it is pressed rather than moved; a controller can be either.
    var isSwitch: Bool { self != .pair && self != .pitchBend }
    /// Whether it is moved, or can be.
    var isFader: Bool { self == .controller || self == .pair || self == .pitchBend }
    /// Whether it is let go some time after it was pressed.
    var isReleased: Bool { self == .note || self == .controller }
  }

  public let kind: Kind
  /// 1…16; nil: any.
  public let channel: Int?
  /// nil where the kind has but one control, or any program is meant.
  public let number: Int?

  /// - Throws: `InvalidValue` for a channel or number that can't be.
  public init(_ kind: Kind, _ number: Int? = nil, channel: Int? = nil) throws(InvalidValue) {
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

  /// Reads what `description` writes.
  /// - Throws: `InvalidValue`.
  public init(text: String) throws(InvalidValue) {
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

  /// Whether a message of a control can be this one's.
  func matches(_ kind: Kind, _ number: Int? = nil, channel: UInt8? = nil) -> Bool {
    self.kind == kind && (self.number == nil || self.number == number)
      && (self.channel == nil || self.channel == channel.map(Int.init))
  }

  /// Whether one control can be both: a map's is on every channel, and the halves of a pair are the pair.
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
  public var description: String {
    kind.rawValue + (number.map { " \($0)" } ?? "") + (channel.map { " channel \($0)" } ?? "")
  }
}
