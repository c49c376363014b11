import Validation

#if Log
  import CSQLite
  import Files
  import Glibc
  import Synchronization
  import TimeCheck

  /// The practice log: takes and their hits in an SQLite database, which several programs may use at once.
  ///
  /// Every method blocks: up to five seconds while another program writes.
  /// - Thread: any but audio and control; a dispatch queue in `tactus play`
  package final class LogDatabase: Sendable {
    /// Whether the program was built with it.
    package static var isIncluded: Bool { true }

    /// What `tactus --version` says of it.
    package static var version: String { "SQLite \(SQLiteConnection.version)" }

    /// With its links followed.
    package let path: String
    private let connection: Mutex<SQLiteConnection>

    /// What is done with the log.
    package enum Purpose: Sendable {
      /// A log that is not there is an error. One that may not be written is read all the same.
      case reading
      /// A log that is not there is made.
      case keeping
      case forgetting
    }

    /// - Parameter mostPages: the largest size, in pages of 4096 bytes; nil for no limit. For tests.
    /// - Throws: `LogError`; the file is then as it was.
    package init(_ file: LogFile, for purpose: Purpose, mostPages: Int? = nil) throws {
      if try file.existing() == nil {
        guard purpose == .keeping else {
          throw LogError(
            .missing, "no take was kept yet: play with --listen or --hits, and each take is kept at its end")
        }
        try file.create()
      }
      guard let path = try file.existing() else {
        throw LogError(.unusable, "\(file.path) was removed while it was opened: try again")
      }
      self.path = path
      let mayWrite = access(path, W_OK) == 0 && access(folder(of: path), W_OK) == 0
      guard mayWrite || purpose == .reading else {
        throw LogError(
          .unusable, "\(path) can't be written: it, or its folder, may only be read by you")
      }
      do {
        let connection = try LogDatabase.open(path, isReadOnly: !mayWrite, mostPages)
        try LogDatabase.prepare(connection, path, isReadOnly: !mayWrite)
        self.connection = Mutex(connection)
      } catch {
        throw LogDatabase.explained(error, path)
      }
    }

    private static func open(
      _ path: String, isReadOnly: Bool, _ mostPages: Int?
    ) throws(SQLiteError) -> sending SQLiteConnection {
      let connection = try SQLiteConnection(path: path, isReadOnly: isReadOnly)
      connection.wait(milliseconds: 5_000)
      // A file from elsewhere may hold views and triggers: what they call must be harmless. Its pages may be broken.
      try connection.run("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA foreign_keys = ON")
      if !isReadOnly {
        // What is forgotten is overwritten with zeros.
        try connection.run(
          "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON")
      }
      if let mostPages { try connection.run("PRAGMA max_page_count = \(mostPages)") }
      return connection
    }

    /// Checks what the file is, and brings it to the present version.
    private static func prepare(_ connection: SQLiteConnection, _ path: String, isReadOnly: Bool) throws {
      let isComplete = try connection.transaction(isWriting: false) {
        guard try connection.integer("PRAGMA application_id") == LogSchema.application else {
          guard try connection.integer("SELECT count(*) FROM sqlite_master") == 0 else {
            throw LogError(.unusable, "\(path) is the database of another program: move it away")
          }
          return false
        }
        let version = try connection.integer("PRAGMA user_version") ?? 0
        guard 0...Int64(LogSchema.versions.count) ~= version else {
          throw LogError(
            .newer,
            "\(path) was written by a newer Tactus, which this one neither reads nor changes: update it"
          )
        }
        return version == LogSchema.versions.count
      }
      guard !isComplete else { return }
      guard !isReadOnly else {
        throw LogError(
          .unusable, "\(path) is of an older Tactus, and can't be brought up to date: make it writable")
      }
      try connection.transaction(isWriting: true) { try LogSchema.migrate(connection) }
    }

    /// An error of SQLite as a sentence.
    static func explained(_ error: any Error, _ path: String) -> LogError {
      if let error = error as? LogError { return error }
      guard let error = error as? SQLiteError else { return LogError(.unusable, "\(path): \(error)") }
      let reason = error.message
      return switch error.code {
      case SQLITE_CORRUPT, SQLITE_NOTADB: LogError(.damaged, "\(path) is damaged: \(reason)")
      case SQLITE_FULL: LogError(.unusable, "\(path) can't be written: the disk is full")
      case SQLITE_BUSY, SQLITE_LOCKED:
        LogError(.unusable, "\(path) is held by another program: end that, or try again")
      case SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_AUTH:
        LogError(.unusable, "\(path) can't be written: \(reason)")
      case SQLITE_IOERR:
        LogError(.unusable, "\(path) can't be read or written (\(reason)): see whether the disk is full")
      // Of a file whose tables are not ours any more.
      case SQLITE_ERROR, SQLITE_CONSTRAINT, SQLITE_MISMATCH, SQLITE_SCHEMA:
        LogError(.damaged, "\(path) is damaged: \(reason)")
      default: LogError(.unusable, "\(path): \(reason)")
      }
    }

    /// Uses the connection; an error of SQLite's becomes a sentence.
    private func use<T>(_ body: (SQLiteConnection) throws -> sending T) throws -> sending T {
      do { return try connection.withLock { try body($0) } } catch let error as SQLiteError {
        throw LogDatabase.explained(error, path)
      }
    }

    // MARK: Keeping

    /// Keeps a take and its hits, all or nothing.
    /// - Returns: its number.
    @discardableResult
    package func keep(_ take: LoggedTake, _ hits: [LoggedHit]) throws -> Int64 {
      try use { connection in
        try connection.transaction(isWriting: true) {
          try connection.prepare(
            """
            INSERT INTO take (began, seconds, title, document, section, meter, tempo_low, tempo_high,
              tempo_last, sample_rate, calibrated, target, "window", hits, missed, extra, in_window, mean,
              spread, spread_low, spread_high, drift, drift_low, drift_high, gap_spread, gap_slower, recording,
              recording_seconds, recording_lost)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """
          ).run([
            take.began, take.seconds, take.music.title, take.music.document, take.section,
            take.music.meter, take.tempo?.low, take.tempo?.high, take.tempo?.last, take.sampleRate,
            take.isCalibrated, take.target, take.window, take.hits, take.missed, take.extra,
            take.inWindow, take.mean, take.spread?.value, take.spread?.low, take.spread?.high,
            take.drift?.value, take.drift?.low, take.drift?.high, take.gapSpread, take.gapSlower,
            take.recording?.file, take.recording?.seconds, take.recording?.lost,
          ])
          let number = connection.lastRow
          let statement = try connection.prepare(
            "INSERT INTO hit VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
          for (index, hit) in hits.enumerated() {
            try statement.run([
              number, index + 1, hit.frame, hit.milliseconds, hit.bar, hit.place.beat, hit.place.part,
              hit.place.layer, hit.isSilent, hit.isFirst, hit.tempo, hit.port, hit.drum, hit.strength,
            ])
          }
          return number
        }
      }
    }

    // MARK: Reading

    /// The takes that a filter means, the oldest first, read one by one.
    package func eachTake(_ filter: LogFilter, _ body: (LoggedTake) throws -> Void) throws {
      try use { connection in
        let rows = try connection.prepare(
          "SELECT \(LogRow.takeColumns) FROM take WHERE \(filter.condition) ORDER BY began, number")
        try rows.bind(filter.arguments)
        while try rows.step() {
          let take = LogRow(rows).take
          if filter.meets(take) { try body(take) }
        }
      }
    }

    /// The hits of a take in the order in which they were played, read one by one.
    package func eachHit(of take: Int64, _ body: (LoggedHit) throws -> Void) throws {
      try use { connection in
        let rows = try connection.prepare(
          "SELECT \(LogRow.hitColumns) FROM hit WHERE take = ? ORDER BY number")
        try rows.bind([take])
        while try rows.step() { try body(LogRow(rows).hit) }
      }
    }

    /// The highest tempos at which takes were played in the window, by their numbers. Of takes that were not calibrated the
    /// window is around their mean.
    func temposReached(_ filter: LogFilter) throws -> [Int64: Double] {
      try use { connection in
        let rows = try connection.prepare(
          """
          SELECT take AS "take", tempo AS "tempo", count(*) AS "hits", sum(abs(ms - aim) <= width) AS "inside"
          FROM hit JOIN (
            SELECT number AS id, "window" AS width, CASE WHEN calibrated THEN target ELSE mean END AS aim
            FROM take WHERE \(filter.condition)
          ) ON id = take
          WHERE first AND tempo > 0 GROUP BY take, tempo ORDER BY take, tempo DESC
          """)
        try rows.bind(filter.arguments)
        var reached: [Int64: Double] = [:]
        var (take, own): (Int64, [TempoReached.Row]) = (0, [])
        while try rows.step() {
          let number = rows.integer(at: rows.place(of: "take")) ?? 0
          if number != take {
            reached[take] = TempoReached(own).tempo
            (take, own) = (number, [])
          }
          guard let tempo = rows.double(at: rows.place(of: "tempo")), tempo.isFinite else { continue }
          own.append(
            TempoReached.Row(
              tempo: tempo, hits: Int(clamping: rows.integer(at: rows.place(of: "hits")) ?? 0),
              inWindow: Int(clamping: rows.integer(at: rows.place(of: "inside")) ?? 0)))
        }
        reached[take] = TempoReached(own).tempo
        return reached
      }
    }

    // MARK: Forgetting

    /// Erases takes and their hits, so that nothing of them is left in the file.
    /// - Returns: how many takes were erased, and whether the file still holds them because another program reads it.
    package func forget(_ filter: LogFilter) throws -> (count: Int, isHeld: Bool) {
      try use { connection in
        let count = try connection.transaction(isWriting: true) {
          try connection.prepare("DELETE FROM take WHERE \(filter.condition)").run(filter.arguments)
          return connection.changes
        }
        // Writes the file anew without what was deleted, and empties the journal, which holds the pages as they were.
        try connection.run("VACUUM")
        return (count, try connection.integer("PRAGMA wal_checkpoint(TRUNCATE)") != 0)
      }
    }
  }

  extension LogFilter {
    /// The terms of a query; the song is looked at apart, as SQLite knows no case beyond ASCII.
    fileprivate var condition: String {
      var terms = ["TRUE"]
      if since != nil { terms.append("began >= ?") }
      if before != nil { terms.append("began < ?") }
      if number != nil { terms.append("number = ?") }
      return terms.joined(separator: " AND ")
    }

    fileprivate var arguments: [(any SQLiteValue)?] { [since, before, number].compactMap { $0 } }
  }
#else
  /// Stands for the practice log in a program that was built without it.
  package final class LogDatabase: Sendable {
    package static var isIncluded: Bool { false }
    package static var version: String { "" }
    package let path = ""

    package enum Purpose: Sendable { case reading, keeping, forgetting }

    package init(_ file: LogFile, for purpose: Purpose, mostPages: Int? = nil) throws {
      throw LogError.leftOut
    }

    @discardableResult
    package func keep(_ take: LoggedTake, _ hits: [LoggedHit]) throws -> Int64 { throw LogError.leftOut }
    package func eachTake(_ filter: LogFilter, _ body: (LoggedTake) throws -> Void) throws {
      throw LogError.leftOut
    }
    package func eachHit(of take: Int64, _ body: (LoggedHit) throws -> Void) throws { throw LogError.leftOut }
    func temposReached(_ filter: LogFilter) throws -> [Int64: Double] { throw LogError.leftOut }
    package func forget(_ filter: LogFilter) throws -> (count: Int, isHeld: Bool) { throw LogError.leftOut }
  }
#endif
