import Control
import Engine
import MusicTime
import Validation

/// Reads one line of a klick map.
struct KlickLine {
  private var words: KlickWords

  private static let form = "[label:] bars [beats/denominator] tempo[-tempo | ,tempo…] [pattern] [volume]"

  init(_ line: Substring, number: Int, log: FaultLog, remarks: FaultLog) {
    words = KlickWords(line, number: number, log: log, remarks: remarks)
  }

  /// Whether the line is empty or a comment.
  var isBlank: Bool { words.isEmpty }

  /// The section of the line; nil for an empty line, and for an invalid one, whose fault is in the log.
  mutating func section() -> SessionSection? {
    guard !words.isEmpty else { return nil }
    let before = words.faultCount
    let label = label()
    let bars = words.take("bars", "a whole number of bars, 1…\(SessionLimits.bars)") { word in
      Int(word.text).flatMap { 1...SessionLimits.bars ~= $0 && word.text.allSatisfy(\.isNumber) ? $0 : nil }
    }
    guard bars != nil || words.faultCount == before, let bars else { return nil }
    var meter = Meter.common
    if let word = words.first, word.text.contains("/") {
      words.drop()
      guard let read = try? Meter(text: String(word.text)) else {
        words.report(word, "meter \(quoted(String(word.text)))", allowed: Meter.allowedText)
        return nil
      }
      meter = read
    }
    guard let tempo = tempo(meter, bars: bars) else { return nil }
    var style = SectionStyle()
    style.meter = meter
    style.tempo = tempo
    style.accents = pattern(meter)
    style.volumes = volumes()
    if let extra = words.first {
      words.report(
        extra, "word \(quoted(String(extra.text)))", allowed: "left out; a line is \(KlickLine.form)")
    }
    guard words.faultCount == before else { return nil }
    // A tempo list gives the same length as the bars, which are written anyway.
    return SessionSection(name: label ?? "", label: label, length: .bars(bars), style: style)
  }

  private mutating func label() -> String? {
    guard let first = words.first, let colon = first.text.firstIndex(of: ":") else { return nil }
    let name = first.text[..<colon]
    let rest = first.text[first.text.index(after: colon)...]
    words.drop()
    if !rest.isEmpty { words.putBack(KlickWords.Word(text: rest, column: first.column + name.count + 1)) }
    let isName = name.unicodeScalars.allSatisfy { scalar in
      scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)) || scalar == "_"
        || scalar == "-"
    }
    guard isName, 1...SessionLimits.text ~= name.utf8.count else {
      words.report(first, "label \(quoted(String(name)))", allowed: "letters, digits, _ and -")
      return nil
    }
    return String(name)
  }

  private mutating func tempo(_ meter: Meter, bars: Int) -> SectionTempo? {
    guard let word = words.first else {
      words.reportMissing("tempo", allowed: "given; a line is \(KlickLine.form)")
      return nil
    }
    words.drop()
    let separator: Character = word.text.contains(",") ? "," : "-"
    guard isRightCount(of: word, separator, meter, bars: bars) else { return nil }
    var column = word.column
    var tempos: [Tempo] = []
    var isWhole = true
    for text in word.text.split(separator: separator, omittingEmptySubsequences: false) {
      guard !words.isFull else { return nil }
      if let tempo = beats(KlickWords.Word(text: text, column: column), meter) {
        tempos.append(tempo)
      } else {
        isWhole = false
      }
      column += text.count + 1
    }
    guard isWhole else { return nil }
    if separator == "," { return .beats(tempos) }
    return tempos.count == 1 ? .constant(tempos[0]) : .ramp(from: tempos[0], to: tempos[1])
  }

  /// Whether a word has the right number of tempos. They are counted before they are read, because there may be millions.
  private func isRightCount(
    of word: KlickWords.Word, _ separator: Character, _ meter: Meter, bars: Int
  ) -> Bool {
    let count = word.text.utf8.count { $0 == separator.asciiValue } + 1
    guard separator == "," else {
      guard count > 2 else { return true }
      words.report(
        word, "tempo \(quoted(String(word.text)))",
        allowed: "a number, two with - between, or a list with commas")
      return false
    }
    let wanted = bars * meter.count
    guard count == wanted, count <= SessionLimits.tempos else {
      let allowed = wanted > SessionLimits.tempos ? "at most \(SessionLimits.tempos)" : "\(wanted)"
      words.report(word, "list of \(count) tempos", allowed: "\(allowed) long, one for each beat")
      return false
    }
    return true
  }

  /// Converts quarters per minute to the meter's notes per minute.
  private func beats(_ word: KlickWords.Word, _ meter: Meter) -> Tempo? {
    // quarters = digits/scale, and thousandths of a beat = quarters · 1000 · unit/4. A number that overflows is out of range.
    guard let (digits, scale) = KlickLine.decimalDigits(word.text),
      let exact = Rational(digits, scale).multiplied(by: Rational(250 * meter.unit)),
      let rounded = Int(exactly: exact.approximation.rounded()), let tempo = try? Tempo(thousandths: rounded)
    else {
      let highest = Rational(Tempo.range.upperBound * 4, meter.unit * 1_000).approximation
      let lowest = Rational(4, meter.unit).approximation
      words.report(
        word, "tempo \(quoted(String(word.text)))",
        allowed: "\(lowest)…\(highest) quarters a minute in \(meter)")
      return nil
    }
    if exact.denominator != 1 {
      words.remark(
        word, "tempo \(word.text) in \(meter), rounded to \(tempo) beats a minute",
        allowed: "exact in thousandths of a beat, to be taken over exactly")
    }
    return tempo
  }

  /// `133.75` as 13375/100; nil if it is not a number, or has more digits than a tempo can need.
  private static func decimalDigits(_ text: Substring) -> (digits: Int, scale: Int)? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard 1...2 ~= parts.count, decimal(text) != nil, !text.hasPrefix("+"), !text.hasPrefix("-") else {
      return nil
    }
    let fraction = parts.count == 2 ? parts[1].prefix(9) : ""
    guard parts[0].count <= 6, let digits = Int(parts[0] + fraction) else { return nil }
    return (digits, fraction.reduce(1) { scale, _ in scale * 10 })
  }

  private mutating func pattern(_ meter: Meter) -> AccentPattern? {
    guard let word = words.first, word.text.allSatisfy({ $0.isLetter || $0 == "." }) else { return nil }
    words.drop()
    guard word.text.allSatisfy({ "Xx.".contains($0) }) else {
      words.report(
        word, "pattern \(quoted(String(word.text)))",
        allowed: "only X (accent), x (beat) and . (silence), one for each beat of \(meter)")
      return nil
    }
    guard word.text.count == meter.count, let pattern = try? AccentPattern(text: String(word.text)) else {
      words.report(
        word, "pattern \(quoted(String(word.text)))",
        allowed: "\(meter.count) of X (accent), x (beat), . (silence), one for each beat of \(meter)")
      return nil
    }
    return pattern
  }

  private mutating func volumes() -> [Fader: Volume]? {
    guard let word = words.first, let value = decimal(word.text) else { return nil }
    words.drop()
    guard value >= 0 else {
      words.report(word, "volume \(quoted(String(word.text)))", allowed: "0 or more")
      return nil
    }
    if value > 1 {
      words.remark(word, "volume \(word.text), played as 1", allowed: Volume.allowed)
    }
    guard value != 1, let volume = try? Volume(min(1, value)) else { return nil }
    return [.accent: volume, .beat: volume]
  }
}
