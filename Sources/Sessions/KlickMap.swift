import Control
import Engine
import MusicTime

/// A tempo map of klick, the older metronome.
///
/// One entry a line: `[label:] bars [beats/denominator] tempo[-tempo2 | ,tempo…] [pattern] [volume] [# comment]`.
/// klick counts tempos in quarters a minute, whatever the meter; ours count the meter's notes, so that a tempo is
/// multiplied by denominator/4. That is exact in thousandths for every denominator that 4 divides. For others a tempo with
/// too many decimals is rounded to the nearest thousandth, and a remark says so.
public struct KlickMap: Sendable {
  public let session: Session
  /// What could not be taken over exactly; the map plays all the same.
  public let remarks: [Fault]
  private let file: String

  /// - Parameter file: the name that faults carry; the title is made from it.
  /// - Throws: `Faults` with everything that is wrong.
  public init(_ text: String, file: String) throws(Faults) {
    let log = FaultLog(file: file)
    let remarks = FaultLog(file: file)
    var parts: [SessionPart] = []
    // By bytes: a CR LF would otherwise be one character that is no LF.
    for (index, bytes) in text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
      var line = KlickLine(Substring(bytes), number: index + 1, log: log, remarks: remarks)
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
    session = Session(title: String(documentName(of: file).prefix(SessionLimits.text)), parts: parts)
    self.remarks = remarks.sorted
    self.file = file
  }

  /// Reads a map from disk.
  /// - Throws: `Faults`, for what can't be read too.
  public init(path: String) throws(Faults) {
    let text: String
    do throws(Fault) { text = try TextFile(path: path).text } catch { throw Faults(faults: [error]) }
    try self.init(text, file: path)
  }

  /// The song that the map is.
  /// - Throws: `Faults` where it is too large.
  public func plan() throws(Faults) -> SongPlan {
    do throws(InvalidValue) { return try session.plan() } catch {
      let fault = Fault(
        file: file, line: 1, column: 1, what: "\(error.name) \(error.value)", allowed: error.allowed)
      throw Faults(faults: [fault])
    }
  }

  /// Whether a file is a klick map rather than a session: by its extension, else by its first line that says something.
  public static func isMap(_ text: String, path: String) -> Bool {
    let lowercased = path.lowercased()
    if [".klick", ".map", ".txt"].contains(where: lowercased.hasSuffix) { return true }
    if [".yaml", ".yml"].contains(where: lowercased.hasSuffix) { return false }
    for bytes in text.utf8.split(separator: 0x0A) {
      let log = FaultLog(file: path)
      var line = KlickLine(Substring(bytes), number: 1, log: log, remarks: log)
      if line.isBlank { continue }
      return line.section() != nil
    }
    return false
  }
}
