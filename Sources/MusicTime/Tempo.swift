/// A tempo in beat units a minute, exact to a thousandth.
public struct Tempo: Hashable, Comparable, Sendable {
  /// Thousandths of a beat a minute, 1 000…999 999.
  public let thousandths: Int

  /// The tempos that can be played, in thousandths of a beat a minute.
  public static let range = 1_000...999_999

  static let allowed = "1…999.999 beats a minute"

  /// - Throws: `InvalidValue` outside `range`.
  public init(thousandths: Int) throws(InvalidValue) {
    guard Tempo.range.contains(thousandths) else {
      throw InvalidValue("tempo", decimalText(thousandths: thousandths), allowed: Tempo.allowed)
    }
    self.thousandths = thousandths
  }

  /// The nearest thousandth to a number of beats a minute (ties away from zero).
  /// - Throws: `InvalidValue` for what is not finite or rounds to a tempo outside `range`.
  public init(_ beatsPerMinute: Double) throws(InvalidValue) {
    guard let thousandths = Int(exactly: (beatsPerMinute * 1_000).rounded()),
      Tempo.range.contains(thousandths)
    else { throw InvalidValue("tempo", "\(beatsPerMinute)", allowed: Tempo.allowed) }
    self.thousandths = thousandths
  }

  /// Reads a decimal number: `120`, `133.7`.
  /// - Throws: `InvalidValue` for what is no number, or is outside `range`.
  public init(text: String) throws(InvalidValue) {
    guard text.allSatisfy({ "0"..."9" ~= $0 || $0 == "." || $0 == "-" }), let beatsPerMinute = Double(text),
      let tempo = try? Tempo(beatsPerMinute)
    else {
      throw InvalidValue("tempo", quoted(text), allowed: Tempo.allowed)
    }
    self = tempo
  }

  /// The nearest playable tempo to a number of thousandths: what a nudge at a bound gives.
  public init(clamping thousandths: Int) {
    self.thousandths = min(max(thousandths, Tempo.range.lowerBound), Tempo.range.upperBound)
  }

  /// The tempo so many thousandths faster, or the bound that lies in between.
  public func nudged(by thousandths: Int) -> Tempo {
    // A step beyond the whole range is as good as one across it.
    let bound = Tempo.range.upperBound
    return Tempo(clamping: self.thousandths + min(max(thousandths, -bound), bound))
  }

  public var beatsPerMinute: Double { Double(thousandths) / 1_000 }

  public static func < (a: Tempo, b: Tempo) -> Bool { a.thousandths < b.thousandths }
}

extension Tempo: CustomStringConvertible {
  /// The tempo as it is typed: `120`, `133.7`.
  public var description: String { decimalText(thousandths: thousandths) }
}
