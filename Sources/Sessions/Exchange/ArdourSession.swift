import MusicTime
import Validation

/// Reads the tempo map and the markers of a session of Ardour 7 or later.
struct ArdourSession {
  private let bytes: [UInt8]
  private let file: String

  /// Ardour's ticks per quarter.
  private static let resolution = 1_920
  /// Ardour's superclock ticks per second, if the session specifies none.
  private static let superclock = 282_240_000.0
  private static let markerLimit = 10_000
  private static let changeLimit = 1_000_000

  /// Whether the bytes are an XML document with a session as its root.
  static func recognises(_ bytes: [UInt8]) -> Bool {
    let text = String(decoding: bytes.prefix(4_096), as: UTF8.self)
    return text.hasPrefix("<?xml") && text.contains("<Session")
  }

  private init(_ bytes: [UInt8], file: String) {
    self.bytes = bytes
    self.file = file
  }

  /// The content that is collected while the XML is read.
  private struct Content {
    var title = ""
    var superclock = ArdourSession.superclock
    var tempos: [ForeignMap.Tempo] = []
    var signatures: [ForeignMap.Signature] = []
    var markers: [(place: Place, name: String)] = []
    var end: Place?

    /// A point in ticks or in microseconds.
    enum Place {
      case tick(Int)
      case microseconds(Double)
    }
  }

  /// - Throws: `ImportError` at the line that can't be read.
  static func map(_ bytes: [UInt8], file: String) throws(ImportError) -> ForeignMap {
    try ArdourSession(bytes, file: file).map()
  }

  private func map() throws(ImportError) -> ForeignMap {
    var content = Content()
    do throws(XMLWalk.Fault) {
      try XMLWalk.read(bytes) { name, attributes, around in
        ArdourSession.read(name, attributes, around, &content)
      }
    } catch {
      throw ImportError(file: file, place: "line \(error.line)", what: error.what, allowed: error.allowed)
    }
    guard !content.tempos.isEmpty, !content.signatures.isEmpty else {
      throw ImportError(
        file: file, place: "", what: "session without a tempo map", allowed: "a session of Ardour 7 or later")
    }
    content.tempos.sort { $0.tick < $1.tick }
    content.signatures.sort { $0.tick < $1.tick }
    func map(_ markers: [ForeignMap.Marker], end: Int) -> ForeignMap {
      ForeignMap(
        file: file, title: ImportedMap.text(content.title), resolution: ArdourSession.resolution,
        tempos: content.tempos, signatures: content.signatures, markers: markers, end: end,
        // Half a tick of Ardour's clock.
        rounding: 0.5e6 / content.superclock)
    }
    // The tempos convert times to ticks.
    let tempos = map([], end: 0)
    func tick(_ place: Content.Place) -> Int? {
      switch place {
      case .tick(let tick): tick
      case .microseconds(let time): tempos.tick(at: time)
      }
    }
    var markers: [ForeignMap.Marker] = []
    for (place, name) in content.markers {
      if let tick = tick(place) { markers.append(ForeignMap.Marker(tick: tick, name: name)) }
    }
    markers.sort { $0.tick < $1.tick }
    let last = max(content.tempos.last!.tick, content.signatures.last!.tick)
    let afterMarkers = (markers.last?.tick).map { $0 + 1 } ?? 0
    return map(markers, end: max(content.end.flatMap(tick) ?? afterMarkers, last))
  }

  private static func read(
    _ name: String, _ attributes: [String: String], _ around: [String], _ content: inout Content
  ) -> XMLWalk.Fault.Content? {
    switch (around.last, name) {
    case (nil, "Session"):
      content.title = attributes["name"] ?? ""
      let version = attributes["version"].flatMap { Int($0) } ?? 0
      guard version >= 7_000 else {
        return ("session of version \(version)", "of Ardour 7 or later: open it there and save it")
      }
    case ("Session", "TempoMap"):
      if let text = attributes["superclocks-per-second"] {
        guard let number = Double(text), 1_000...1e12 ~= number else {
          return ("superclocks-per-second \(quoted(text))", "1000…1000000000000")
        }
        content.superclock = number
      }
    case ("Tempos", "Tempo") where around.dropLast().last == "TempoMap": return tempo(attributes, &content)
    case ("Meters", "Meter") where around.dropLast().last == "TempoMap": return meter(attributes, &content)
    case ("Locations", "Location"): return location(attributes, &content)
    default: break
    }
    return nil
  }

  private static func tempo(_ attributes: [String: String], _ content: inout Content) -> XMLWalk.Fault
    .Content?
  {
    guard content.tempos.count < changeLimit else { return ("tempo", "one of at most \(changeLimit)") }
    guard let tick = attributes["quarters"].flatMap(ticks) else {
      return ("position of a tempo \(quoted(attributes["quarters"] ?? ""))", "quarters and ticks, as in 16:0")
    }
    guard let note = attributes["note-type"].flatMap({ Double($0) }), 1...64 ~= note,
      let from = attributes["npm"].flatMap({ Double($0) }), 0.001...1e6 ~= from,
      let to = (attributes["enpm"] ?? attributes["npm"]).flatMap({ Double($0) }), 0.001...1e6 ~= to
    else {
      return ("tempo \(quoted(attributes["npm"] ?? ""))", "notes a minute, with the kind of note")
    }
    let quarter = { (notes: Double) in 60e6 / (notes * 4 / note) }
    // `omega` is the change of the tempo per quarter. A ramp without it is played at a constant tempo.
    let slope = attributes["omega"].flatMap { Double($0) } ?? 0
    let isRamp = attributes["type"] == "Tempo::Ramped" && from != to && slope != 0
    content.tempos.append(
      ForeignMap.Tempo(
        tick: tick, curve: isRamp ? .ramp(quarter(from), quarter(to)) : .constant(quarter(from))))
    return nil
  }

  private static func meter(_ attributes: [String: String], _ content: inout Content) -> XMLWalk.Fault
    .Content?
  {
    guard content.signatures.count < SessionLimits.plans else {
      return ("meter", "one of at most \(SessionLimits.plans)")
    }
    guard let tick = attributes["quarters"].flatMap(ticks) else {
      return ("position of a meter \(quoted(attributes["quarters"] ?? ""))", "quarters and ticks, as in 16:0")
    }
    let texts = (attributes["divisions-per-bar"] ?? "", attributes["note-value"] ?? "")
    guard let count = Int(texts.0), let unit = Int(texts.1), [1, 2, 4, 8, 16, 32, 64].contains(unit),
      let meter = try? Meter(count, unit)
    else { return ("meter \(quoted("\(texts.0)/\(texts.1)"))", ForeignMap.Signature.allowed) }
    content.signatures.append(ForeignMap.Signature(tick: tick, meter: meter))
    return nil
  }

  private static func location(
    _ attributes: [String: String], _ content: inout Content
  ) -> XMLWalk.Fault.Content? {
    let flags = (attributes["flags"] ?? "").split(separator: ",")
    let name = ImportedMap.text(attributes["name"] ?? "")
    func place(_ key: String) -> Content.Place? {
      guard let text = attributes[key], let number = Int(text.dropFirst()), number >= 0 else { return nil }
      switch text.first {
      case "a": return .microseconds(Double(number) / content.superclock * 1e6)
      case "b": return number <= ForeignMap.longest ? .tick(number) : nil
      default: return nil
      }
    }
    if flags.contains("IsSessionRange") {
      content.end = place("end")
    } else if flags.contains("IsMark"), !flags.contains("IsHidden"), !flags.contains("IsXrun"), !name.isEmpty
    {
      guard content.markers.count < markerLimit else { return ("marker", "one of at most \(markerLimit)") }
      guard let start = place("start") else {
        return (
          "position of the marker \(quoted(attributes["start"] ?? ""))",
          "a time or a beat, as in a282240000 or b1920"
        )
      }
      content.markers.append((start, name))
    }
    return nil
  }

  /// Ticks of a position such as `16:0`.
  private static func ticks(_ text: String) -> Int? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false).map { Int($0) }
    guard parts.count == 2, let quarters = parts[0], let ticks = parts[1], quarters >= 0,
      quarters <= ForeignMap.longest / resolution - 1, 0..<resolution ~= ticks
    else { return nil }
    return quarters * resolution + ticks
  }
}
