import Engine
import MusicTime
import Validation

/// The remaining length of a section while it is divided into steps of whole bars.
struct Remainder {
  private let barBeats: Rational
  private var length: SectionLength
  /// The remaining milliseconds, if the length is a time. Only the last step is rounded to whole milliseconds.
  private var milliseconds = 0.0

  /// - Throws: `InvalidValue` for a length in beats if a bar doesn't have a whole number of beats.
  init(_ plan: SectionPlan) throws(InvalidValue) {
    barBeats = plan.layout.beatsInBar
    length = plan.length
    if case .milliseconds(let time) = length { milliseconds = Double(time) }
    if case .beats = length, barBeats.denominator != 1 {
      throw InvalidValue("beats", "in steps of bars with a short last beat", allowed: "given as bars")
    }
  }

  var isEmpty: Bool {
    switch length {
    case .bars(let count), .beats(let count): count == 0
    case .milliseconds: milliseconds.rounded() < 1
    case .open: false
    }
  }

  /// Removes a step.
  /// - Parameter bars: nil for the whole remainder.
  /// - Returns: the step's length; nil if nothing remains.
  mutating func take(_ bars: Int?, at tempo: Tempo) -> SectionLength? {
    guard !isEmpty else { return nil }
    switch length {
    case .open: return bars.map { .bars($0) } ?? .open
    case .bars(let left):
      let count = min(left, bars ?? left)
      length = .bars(left - count)
      return .bars(count)
    case .beats(let left):
      let count = min(left, bars.map { $0 * barBeats.numerator } ?? left)
      length = .beats(left - count)
      return count % barBeats.numerator == 0 ? .bars(count / barBeats.numerator) : .beats(count)
    case .milliseconds:
      let time = bars.map { Double($0) * barBeats.approximation * 60_000_000 / Double(tempo.thousandths) }
      guard let bars, let time, time < milliseconds else {
        defer { milliseconds = 0 }
        return .milliseconds(Int(milliseconds.rounded()))
      }
      milliseconds -= time
      return .bars(bars)
    }
  }
}
