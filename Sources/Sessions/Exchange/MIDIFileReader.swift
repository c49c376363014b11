import MusicTime

/// Reads tempos, meters and markers of a standard MIDI file (Standard MIDI Files 1.0, formats 0 and 1).
struct MIDIFileReader {
  private let bytes: [UInt8]
  private let file: String
  private var at = 0
  private var title = ""
  private var tempos: [(tick: Int, quarter: Int)] = []
  private var signatures: [ForeignMap.Signature] = []
  private var markers: [ForeignMap.Marker] = []
  private var end = 0

  /// The maximum number of markers. Songs have far fewer.
  private static let markerLimit = 10_000

  static func recognises(_ bytes: [UInt8]) -> Bool {
    bytes.starts(with: "MThd".utf8)
      || bytes.starts(with: "RIFF".utf8) && bytes.dropFirst(8).starts(with: "RMID".utf8)
  }

  private init(_ bytes: [UInt8], file: String) {
    self.bytes = bytes
    self.file = file
  }

  /// - Throws: `ImportError` at the byte that can't be read.
  static func map(_ bytes: [UInt8], file: String) throws(ImportError) -> ForeignMap {
    var reader = MIDIFileReader(bytes, file: file)
    return try reader.map()
  }

  private mutating func map() throws(ImportError) -> ForeignMap {
    // In a RIFF file the MIDI file is the content of the chunk "data".
    if bytes.starts(with: "RIFF".utf8) { at = 20 }
    let start = at
    guard try name() == "MThd" else {
      throw refuse(start, "header", allowed: "MThd, as in a standard MIDI file")
    }
    let length = try number(4)
    guard length >= 6, length <= bytes.count - at else {
      throw refuse(at - 4, "header of \(length) bytes", allowed: "at least 6 bytes long, and complete")
    }
    let body = at
    let (format, _, division) = (try number(2), try number(2), try number(2))
    guard format < 2 else {
      throw refuse(body, "format \(format)", allowed: "0 or 1: format 2 has patterns without an order")
    }
    guard 1...0x7FFF ~= division else {
      throw refuse(
        body + 4, "division in frames of timecode",
        allowed: "in ticks per quarter: only those have bars and beats")
    }
    at = body + length
    var tracks = 0
    while bytes.count - at >= 8 {
      let start = at
      let (name, length) = (try name(), try number(4))
      guard length <= bytes.count - at else {
        throw refuse(
          start, "chunk of \(length) bytes", allowed: "complete: \(bytes.count - at) bytes are left")
      }
      let next = at + length
      if name == "MTrk" {
        try readTrack(to: next, isFirst: tracks == 0)
        tracks += 1
      }
      at = next
    }
    guard tracks > 0 else {
      throw refuse(at, "file without tracks", allowed: "a MIDI file with at least one")
    }
    return ForeignMap(
      file: file, title: title, resolution: division,
      tempos: MIDIFileReader.ordered(tempos, by: \.tick).map {
        ForeignMap.Tempo(tick: $0.tick, curve: .constant(Double($0.quarter)))
      },
      signatures: MIDIFileReader.ordered(signatures, by: \.tick),
      markers: MIDIFileReader.ordered(markers, by: \.tick), end: end, rounding: 0.5)
  }

  /// Sorts by ticks. Entries at one tick stay in the order of the file.
  private static func ordered<T>(_ entries: [T], by tick: (T) -> Int) -> [T] {
    entries.enumerated().sorted { (tick($0.element), $0.offset) < (tick($1.element), $1.offset) }.map(
      \.element)
  }

  // MARK: Events

  private mutating func readTrack(to end: Int, isFirst: Bool) throws(ImportError) {
    var tick = 0
    var status: UInt8 = 0
    while at < end {
      tick += try variable(before: end)
      guard tick <= ForeignMap.longest else { throw refuse(at, "time of the event", allowed: "earlier") }
      let start = at
      guard start < end else { throw refuse(start, "track", allowed: "complete: an event is missing") }
      if bytes[start] >= 0x80 {
        (status, at) = (bytes[start], start + 1)
      }
      switch status {
      case 0xFF:
        let type = try number(1, before: end)
        let length = try variable(before: end)
        guard length <= end - at else {
          throw refuse(
            start, "event of \(length) bytes", allowed: "within its track: \(end - at) bytes are left")
        }
        let data = bytes[at..<at + length]
        at += length
        if type == 0x2F {
          self.end = max(self.end, tick)
          return
        }
        try readMeta(UInt8(type), data, tick: tick, at: start, isFirst: isFirst)
        // A running status ends here.
        status = 0
      case 0xF0, 0xF7:
        let length = try variable(before: end)
        guard length <= end - at else {
          throw refuse(
            start, "event of \(length) bytes", allowed: "within its track: \(end - at) bytes are left")
        }
        at += length
        status = 0
      case 0x80...0xBF, 0xE0...0xEF: _ = try number(2, before: end)
      case 0xC0...0xDF: _ = try number(1, before: end)
      default:
        throw refuse(start, "byte \(bytes[start]) where an event begins", allowed: "a status of a MIDI file")
      }
      self.end = max(self.end, tick)
    }
  }

  private mutating func readMeta(
    _ type: UInt8, _ data: ArraySlice<UInt8>, tick: Int, at start: Int, isFirst: Bool
  ) throws(ImportError) {
    let first = data.startIndex
    switch type {
    case 0x03 where isFirst && title.isEmpty: title = MIDIFileReader.text(data)
    case 0x06, 0x07:
      let name = ImportedMap.text(MIDIFileReader.text(data))
      guard !name.isEmpty else { return }
      guard markers.count < MIDIFileReader.markerLimit else {
        throw refuse(start, "marker", allowed: "one of at most \(MIDIFileReader.markerLimit)")
      }
      markers.append(ForeignMap.Marker(tick: tick, name: name))
    case 0x51:
      let quarter = data.reduce(0) { $0 << 8 | Int($1) & 0xFF } & 0xFF_FFFF
      guard data.count == 3, quarter > 0 else {
        throw refuse(start, "tempo", allowed: "three bytes: 1…16777215 µs a quarter")
      }
      guard tempos.count < SessionLimits.mapTempos else {
        throw refuse(start, "tempo", allowed: "one of at most \(SessionLimits.mapTempos)")
      }
      tempos.append((tick, quarter))
    case 0x58:
      guard data.count >= 2, data[first + 1] <= 6,
        let meter = try? Meter(Int(data[first]), 1 << Int(data[first + 1]))
      else {
        throw refuse(start, "time signature", allowed: ForeignMap.Signature.allowed)
      }
      guard signatures.count < SessionLimits.plans else {
        throw refuse(start, "time signature", allowed: "one of at most \(SessionLimits.plans)")
      }
      // The value counts MIDI clocks, 24 per quarter.
      let click = data.count > 2 ? try? BeatUnit(Int(data[first + 2]), 96) : nil
      signatures.append(ForeignMap.Signature(tick: tick, meter: meter, click: click))
    default: break
    }
  }

  /// Reads UTF-8, or else Latin-1, as older programs wrote it.
  private static func text(_ data: ArraySlice<UInt8>) -> String {
    let data = data.prefix { $0 != 0 }.prefix(SessionLimits.text)
    return String(validating: data, as: UTF8.self)
      ?? String(String.UnicodeScalarView(data.map { Unicode.Scalar($0) }))
  }

  // MARK: Numbers

  private mutating func name() throws(ImportError) -> String {
    let start = at
    _ = try number(4)
    return String(decoding: bytes[start..<at], as: UTF8.self)
  }

  private mutating func number(_ count: Int, before end: Int? = nil) throws(ImportError) -> Int {
    guard count <= (end ?? bytes.count) - at else {
      throw refuse(at, "file", allowed: "complete: it ends within \(end == nil ? "a chunk" : "an event")")
    }
    defer { at += count }
    return bytes[at..<at + count].reduce(0) { $0 << 8 | Int($1) }
  }

  /// A variable-length number of at most four bytes.
  private mutating func variable(before end: Int) throws(ImportError) -> Int {
    let start = at
    var value = 0
    for _ in 0..<4 {
      let byte = try number(1, before: end)
      value = value << 7 | byte & 0x7F
      if byte < 0x80 { return value }
    }
    throw refuse(start, "number of more than four bytes", allowed: "at most 28 bits long")
  }

  private func refuse(_ byte: Int, _ what: String, allowed: String) -> ImportError {
    ImportError(file: file, place: "byte \(byte)", what: what, allowed: allowed)
  }
}
