import Control
import Engine
import Validation

/// A tempo map of klick, the older metronome.
///
/// One entry a line: `[label:] bars [beats/denominator] tempo[-tempo2 | ,tempo…] [pattern] [volume] [# comment]`.
/// klick's tempos are quarters per minute in every meter; Tactus counts the meter's notes, so a tempo is
/// multiplied by denominator/4. The product is exact in thousandths if 4 divides the denominator. Otherwise a tempo with
/// too many decimals is rounded to the nearest thousandth, with a remark.
package struct KlickMap: Sendable {
  /// The map as a session.
  package let session: Session
  /// Inexact conversions. The map can be played nevertheless.
  package let remarks: [Fault]
  private let file: String

  /// - Parameter file: the file name, for faults and for the title.
  /// - Throws: `Faults` with everything that is wrong.
  package init(_ text: String, file: String) throws(Faults) {
    let log = FaultLog(file: file)
    let remarks = FaultLog(file: file)
    var parts: [SessionPart] = []
    for (index, line) in KlickMap.lines(text).enumerated() {
      var line = KlickLine(line, number: index + 1, log: log, remarks: remarks)
      guard !log.isFull else { break }
      guard let section = line.section() else { continue }
      parts.append(.section(section))
      if parts.count > SessionLimits.plans {
        log.report(line: index + 1, column: 1, "entry", allowed: "one of at most \(SessionLimits.plans)")
        break
      }
    }
    if parts.isEmpty && log.faults.isEmpty {
      log.report(line: 1, column: 1, "map without entries", allowed: "a map of at least one line: bars tempo")
    }
    guard log.faults.isEmpty else { throw Faults(faults: log.sorted) }
    let title = documentName(of: file).utf8.prefix(SessionLimits.text)
    session = Session(title: String(decoding: title, as: UTF8.self), parts: parts)
    self.remarks = remarks.sorted
    self.file = file
  }

  /// Reads a map from disk.
  /// - Throws: `Faults`, also if the file can't be read.
  package init(path: String) throws(Faults) {
    let text: String
    do throws(Fault) { text = try TextFile(path: path).text } catch { throw Faults(faults: [error]) }
    try self.init(text, file: path)
  }

  /// The song of the map.
  /// - Throws: `Faults` if it is too large.
  package func plan() throws(Faults) -> SongPlan {
    do throws(InvalidValue) { return try session.plan() } catch {
      let fault = Fault(
        file: file, line: 1, column: 1, what: "\(error.name) \(error.value)", allowed: error.allowed)
      throw Faults(faults: [fault])
    }
  }

  /// The lines of a text, one at a time, because a list of millions would need more memory than the text. Lines end at LF
  /// bytes, because CR LF is one `Character` that differs from LF.
  private static func lines(_ text: String) -> some Sequence<Substring> {
    sequence(state: text.utf8[...] as Substring.UTF8View?) { rest in
      guard let bytes = rest else { return nil }
      let end = bytes.firstIndex(of: 0x0A)
      rest = end.map { bytes[bytes.index(after: $0)...] }
      return Substring(bytes[..<(end ?? bytes.endIndex)])
    }
  }

  /// Whether a file is a klick map and not a session: by its extension, or by its first line with content.
  package static func isMap(_ text: String, path: String) -> Bool {
    let lowercased = path.lowercased()
    if [".klick", ".map", ".txt"].contains(where: lowercased.hasSuffix) { return true }
    if [".yaml", ".yml"].contains(where: lowercased.hasSuffix) { return false }
    for line in lines(text) {
      let log = FaultLog(file: path)
      var line = KlickLine(line, number: 1, log: log, remarks: log)
      if line.isBlank { continue }
      return line.section() != nil
    }
    return false
  }
}
