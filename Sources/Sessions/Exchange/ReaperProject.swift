import MusicTime
import Validation

/// Reads the tempo map and the markers of a project of REAPER, whose text format its users have documented ("State Chunk
/// Definitions"): elements `<NAME …` to `>`, and lines of words.
struct ReaperProject {
  private let bytes: [UInt8]
  private let file: String

  /// Ticks per quarter. REAPER's tempos are at times, which are rounded to the nearest tick.
  private static let resolution = 30_720
  private static let markerLimit = 10_000
  private static let changeLimit = 1_000_000
  /// The longest project in seconds.
  private static let longest = 1e7

  private struct Point {
    let seconds: Double
    /// In quarters a minute.
    let tempo: Double
    let isGradual: Bool
    let meter: Meter?
  }

  private var points: [Point] = []
  private var isActive = true
  private var tempo = 120.0
  private var meter = Meter.common
  private var markers: [(seconds: Double, name: String)] = []
  private var end = 0.0

  static func recognises(_ bytes: [UInt8]) -> Bool {
    String(decoding: bytes.prefix(64), as: UTF8.self).hasPrefix("<REAPER_PROJECT")
  }

  private init(_ bytes: [UInt8], file: String) {
    self.bytes = bytes
    self.file = file
  }

  /// - Throws: `ImportError` at the line that can't be read.
  static func map(_ bytes: [UInt8], file: String) throws(ImportError) -> ForeignMap {
    var project = ReaperProject(bytes, file: file)
    return try project.map()
  }

  private mutating func map() throws(ImportError) -> ForeignMap {
    try read()
    if !isActive || points.isEmpty {
      points = [Point(seconds: 0, tempo: tempo, isGradual: false, meter: meter)]
    }
    points.sort { $0.seconds < $1.seconds }
    if points[0].seconds > 0 {
      points.insert(Point(seconds: 0, tempo: points[0].tempo, isGradual: false, meter: meter), at: 0)
    }
    var tempos: [ForeignMap.Tempo] = []
    var signatures = [ForeignMap.Signature(tick: 0, meter: meter)]
    var quarters = 0.0
    for (index, point) in points.enumerated() {
      let next = index + 1 < points.count ? points[index + 1] : nil
      let tick = ReaperProject.tick(quarters)
      let from = 60e6 / point.tempo
      var curve = ForeignMap.Curve.constant(from)
      if let next, point.isGradual, next.tempo != point.tempo { curve = .glide(from, 60e6 / next.tempo) }
      tempos.append(ForeignMap.Tempo(tick: tick, curve: curve))
      if let meter = point.meter { signatures.append(ForeignMap.Signature(tick: tick, meter: meter)) }
      if let next {
        let mean = point.isGradual ? (point.tempo + next.tempo) / 2 : point.tempo
        quarters += (next.seconds - point.seconds) * mean / 60
      }
    }
    func map(_ markers: [ForeignMap.Marker], end: Int) -> ForeignMap {
      ForeignMap(
        file: file, title: "", resolution: ReaperProject.resolution, tempos: tempos, signatures: signatures,
        // A tempo has ten decimals.
        markers: markers, end: end, rounding: 0.001)
    }
    let places = map([], end: 0)
    let placed = markers.sorted { $0.seconds < $1.seconds }.map {
      ForeignMap.Marker(tick: places.tick(at: $0.seconds * 1e6), name: $0.name)
    }
    let last = max(tempos.last!.tick, (placed.last?.tick).map { $0 + 1 } ?? 0, places.tick(at: end * 1e6))
    return map(placed, end: last)
  }

  private static func tick(_ quarters: Double) -> Int { Int((quarters * Double(resolution)).rounded()) }

  private mutating func read() throws(ImportError) {
    var depth = 0
    var isEnvelope = false
    var position = 0.0
    var number = 0
    for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      number += 1
      let line = line.drop { $0 == 0x20 || $0 == 0x09 }
      guard let first = line.first else { continue }
      if first == UInt8(ascii: "<") {
        depth += 1
        isEnvelope = depth == 2 && line.starts(with: "<TEMPOENVEX".utf8)
      } else if first == UInt8(ascii: ">") {
        depth -= 1
        isEnvelope = false
      } else if depth == 1, line.starts(with: "TEMPO ".utf8) {
        let words = ReaperProject.words(line)
        tempo = try self.tempo(words, 1, number)
        if words.count > 3 { meter = try self.meter(Int(words[2]), Int(words[3]), number) }
      } else if depth == 1, line.starts(with: "MARKER ".utf8) {
        let words = ReaperProject.words(line)
        let name = words.count > 3 ? ImportedMap.text(words[3]) : ""
        // The end of a region has no name.
        guard !name.isEmpty else { continue }
        guard markers.count < ReaperProject.markerLimit else {
          throw refuse(number, "marker", allowed: "one of at most \(ReaperProject.markerLimit)")
        }
        markers.append((try seconds(words, 2, number), name))
      } else if isEnvelope, line.starts(with: "ACT ".utf8) {
        isActive = ReaperProject.words(line).dropFirst().first != "0"
      } else if isEnvelope, line.starts(with: "PT ".utf8) {
        try readPoint(ReaperProject.words(line), number)
      } else if depth == 3, line.starts(with: "POSITION ".utf8) {
        position = try seconds(ReaperProject.words(line), 1, number)
      } else if depth == 3, line.starts(with: "LENGTH ".utf8) {
        end = max(end, position + (try seconds(ReaperProject.words(line), 1, number)))
      }
    }
  }

  private mutating func readPoint(_ words: [String], _ line: Int) throws(ImportError) {
    guard points.count < ReaperProject.changeLimit else {
      throw refuse(line, "tempo", allowed: "one of at most \(ReaperProject.changeLimit)")
    }
    var meter: Meter?
    // The code is 65536 · unit + count.
    if words.count > 4, let code = Int(words[4]), code > 0 {
      meter = try self.meter(code & 0xFFFF, code >> 16, line)
    }
    points.append(
      Point(
        seconds: try seconds(words, 1, line), tempo: try tempo(words, 2, line),
        isGradual: words.count > 3 && words[3] == "0", meter: meter))
  }

  private func seconds(_ words: [String], _ index: Int, _ line: Int) throws(ImportError) -> Double {
    let text = index < words.count ? words[index] : ""
    guard let seconds = Double(text), 0...ReaperProject.longest ~= seconds else {
      throw refuse(line, "time \(quoted(text))", allowed: "0…10000000 seconds")
    }
    return seconds
  }

  private func tempo(_ words: [String], _ index: Int, _ line: Int) throws(ImportError) -> Double {
    let text = index < words.count ? words[index] : ""
    guard let tempo = Double(text), 0.1...10_000 ~= tempo else {
      throw refuse(line, "tempo \(quoted(text))", allowed: "0.1…10000 quarters a minute")
    }
    return tempo
  }

  private func meter(_ count: Int?, _ unit: Int?, _ line: Int) throws(ImportError) -> Meter {
    guard let count, let unit, [1, 2, 4, 8, 16, 32, 64].contains(unit), let meter = try? Meter(count, unit)
    else {
      throw refuse(line, "meter", allowed: ForeignMap.Signature.allowed)
    }
    return meter
  }

  /// The words of a line: quoted by ", ' or `, or without spaces.
  private static func words(_ line: ArraySlice<UInt8>) -> [String] {
    var words: [String] = []
    var rest = line.prefix(4_096)
    while words.count < 16 {
      rest = rest.drop { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
      guard let first = rest.first else { break }
      let isQuoted = first == UInt8(ascii: "\"") || first == UInt8(ascii: "'") || first == UInt8(ascii: "`")
      if isQuoted { rest = rest.dropFirst() }
      let word = rest.prefix { isQuoted ? $0 != first : $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }
      words.append(String(decoding: word, as: UTF8.self))
      rest = rest.dropFirst(word.count + (isQuoted ? 1 : 0))
    }
    return words
  }

  private func refuse(_ line: Int, _ what: String, allowed: String) -> ImportError {
    ImportError(file: file, place: "line \(line)", what: what, allowed: allowed)
  }
}
