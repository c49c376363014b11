/// Exports the takes that a filter selects for other programs, piece by piece.
package struct LogExport {
  package enum Format: String, CaseIterable, Sendable { case csv, json }

  private let format: Format
  private let zone: Zone
  private let hasHits: Bool

  /// - Parameter hasHits: whether each hit is written: CSV then contains hits instead of takes, JSON contains them in their
  ///   takes.
  package init(_ format: Format, zone: Zone, hasHits: Bool) {
    (self.format, self.zone, self.hasHits) = (format, zone, hasHits)
  }

  /// Writes the export.
  /// - Returns: how many takes were written.
  /// - Throws: `LogError`, or the sink's errors.
  @discardableResult
  package func write(
    _ database: LogDatabase, _ filter: LogFilter, to sink: inout some TextSink
  ) throws -> Int {
    format == .csv
      ? try writeCSV(database, filter, to: &sink) : try writeJSON(database, filter, to: &sink)
  }

  /// All takes. They are read first, because the database is locked while `eachTake` runs, so hits can't be read within it.
  private func takes(_ database: LogDatabase, _ filter: LogFilter) throws -> [LoggedTake] {
    var takes: [LoggedTake] = []
    try database.eachTake(filter) { takes.append($0) }
    return takes
  }

  private func writeCSV(
    _ database: LogDatabase, _ filter: LogFilter, to sink: inout some TextSink
  ) throws -> Int {
    let csv = CSVExport(zone: zone)
    try sink.write(hasHits ? CSVExport.hitHeader : CSVExport.takeHeader)
    var count = 0
    for take in try takes(database, filter) {
      count += 1
      guard hasHits else {
        try sink.write(csv.line(take))
        continue
      }
      try database.eachHit(of: take.number) { try sink.write(csv.line($0, of: take.number)) }
    }
    return count
  }

  private func writeJSON(
    _ database: LogDatabase, _ filter: LogFilter, to sink: inout some TextSink
  ) throws -> Int {
    let json = JSONExport(zone: zone)
    var count = 0
    try sink.write("[")
    for take in try takes(database, filter) {
      try sink.write((count > 0 ? ",\n{" : "\n{") + json.members(take))
      if hasHits {
        var isFirst = true
        try sink.write(",\"hitList\":[")
        try database.eachHit(of: take.number) {
          try sink.write((isFirst ? "" : ",") + json.object($0))
          isFirst = false
        }
        try sink.write("]")
      }
      try sink.write("}")
      count += 1
    }
    try sink.write("\n]\n")
    return count
  }
}
