import MusicTime
import Validation

/// A tempo map of another program, converted to a session.
package struct ImportedMap: Sendable {
  /// The session, which can be planned.
  package let session: Session
  /// What could not be imported exactly, as sentences.
  package let remarks: [String]

  /// The largest file in bytes. Sessions of DAWs contain more than a tempo map.
  private static let sizeLimit = 128_000_000

  /// Reads a standard MIDI file, an Ardour session or a REAPER project.
  /// - Parameter isExact: whether tempos that would have to be rounded become lists with a tempo for each beat.
  /// - Returns: nil if the file has none of these formats.
  /// - Throws: `ImportError`.
  /// - Thread: any but audio
  package init?(path: String, isExact: Bool = false) throws(ImportError) {
    let bytes: [UInt8]
    do throws(TextFile.ReadError) {
      bytes = try TextFile.bytes(of: path, limit: ImportedMap.sizeLimit).bytes
    } catch {
      let (what, allowed) = error.ofFile ?? ("file", "a file that can be read")
      throw ImportError(file: path, place: "", what: what, allowed: allowed)
    }
    guard let map = try ImportedMap.map(bytes, file: path) else { return nil }
    try self.init(map, isExact: isExact)
  }

  /// - Returns: nil if the bytes have none of the formats.
  static func map(_ bytes: [UInt8], file: String) throws(ImportError) -> ForeignMap? {
    if MIDIFileReader.recognises(bytes) { return try MIDIFileReader.map(bytes, file: file) }
    if ArdourSession.recognises(bytes) { return try ArdourSession.map(bytes, file: file) }
    if ReaperProject.recognises(bytes) { return try ReaperProject.map(bytes, file: file) }
    return nil
  }

  init(_ map: ForeignMap, isExact: Bool) throws(ImportError) {
    let plain = try MapConverter(map, isTracked: false, isExact: isExact)
    let tracked = try? MapConverter(map, isTracked: true, isExact: isExact)
    // Programs round in two ways. The better fit shows which of them the file's program used.
    let best = tracked.flatMap { $0.penalty < plain.penalty ? $0 : nil } ?? plain
    session = ImportedMap.session(map, best.parts)
    remarks = best.remarks
    do throws(InvalidValue) { _ = try session.plan() } catch {
      throw ImportError(
        file: map.file, place: "", what: "\(error.name) \(error.value)", allowed: error.allowed)
    }
    guard session.yaml.utf8.count <= TextFile.sizeLimit else {
      throw ImportError(
        file: map.file, place: "", what: "map that makes a session of more than \(TextFile.sizeLimit) bytes",
        allowed: "a simpler map")
    }
  }

  /// The session of the parts. A count-in that `TempoMapFile` has marked becomes a count-in again.
  private static func session(_ map: ForeignMap, _ parts: [SessionPart]) -> Session {
    let title = map.title.isEmpty ? documentName(of: map.file) : map.title
    var session = Session(title: text(title), parts: parts)
    if case .section(let first) = parts.first, first.name == TempoMapFile.countIn, parts.count > 1,
      case .section(let second) = parts[1], case .bars(let bars)? = first.length, 1...99 ~= bars,
      case .constant(let tempo)? = first.style.tempo, second.style.tempo?.first == tempo,
      first.style.meter == second.style.meter, first.style.beatUnit == second.style.beatUnit
    {
      session.countIn = CountIn(length: .bars(bars))
      session.parts.removeFirst()
    }
    return session
  }

  /// A name of another program in the form that documents permit.
  static func text(_ text: String) -> String {
    printable(text.split(whereSeparator: \.isWhitespace).joined(separator: " "), limit: SessionLimits.text)
  }
}
