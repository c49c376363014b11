import Validation

#if Log
  import CSQLite
  import Files
  import Glibc
  import Synchronization
  import TimeCheck

  /// The practice log: takes and their hits in an SQLite database, which several programs may use at once.
  ///
  /// Every method blocks, for up to five seconds while another program writes, and throws `LogError`.
  /// - Thread: any but audio and control; a dispatch queue in `tactus play`
  package final class LogDatabase: Sendable {
    /// Whether this build contains the practice log.
    package static var isIncluded: Bool { true }

    /// The library's name and version, for `tactus --version`.
    package static var version: String { "SQLite \(SQLiteConnection.version)" }

    /// The path of the file, with symbolic links resolved.
    package let path: String
    private let connection: Mutex<SQLiteConnection>

    /// The purpose for which the log is opened.
    package enum Purpose: Sendable {
      /// A missing log is an error. A log without write permission can be read.
      case reading
      /// A missing log is created.
      case keeping
      /// A missing log is an error.
      case forgetting
    }

    /// Opens the log and converts it to the present version.
    /// - Parameter mostPages: the largest size, in pages of 4096 bytes; nil for no limit. For tests.
    /// - Throws: `LogError`; an existing file is then unchanged.
    package init(_ file: LogFile, for purpose: Purpose, mostPages: Int? = nil) throws {
      if try file.existing() == nil {
        guard purpose == .keeping else {
          throw LogError(
            .missing, "no take was kept yet: play with --listen or --hits; each take is kept when it ends")
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
          .unusable, "\(path) can't be written: you may only read it or its folder")
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
      // A file from elsewhere may contain views and triggers, whose functions must be harmless, and damaged pages.
      try connection.run("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA foreign_keys = ON")
      if !isReadOnly {
        // `secure_delete` overwrites deleted content with zeros.
        try connection.run(
          "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON")
      }
      if let mostPages { try connection.run("PRAGMA max_page_count = \(mostPages)") }
      return connection
    }

    /// Checks that the file is a practice log, and converts it to the present version.
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
            "\(path) was written by a newer Tactus and stays unchanged: update this Tactus"
          )
        }
        return version == LogSchema.versions.count
      }
      guard !isComplete else { return }
      guard !isReadOnly else {
        throw LogError(
          .unusable, "\(path) was written by an older Tactus and must be converted: make it writable")
      }
      try connection.transaction(isWriting: true) { try LogSchema.migrate(connection) }
    }

    /// An error as a `LogError` with a sentence.
    static func explained(_ error: any Error, _ path: String) -> LogError {
      if let error = error as? LogError { return error }
      guard let error = error as? SQLiteError else { return LogError(.unusable, "\(path): \(error)") }
      let reason = error.message
      return switch error.code {
      case SQLITE_CORRUPT, SQLITE_NOTADB: LogError(.damaged, "\(path) is damaged: \(reason)")
      case SQLITE_FULL: LogError(.unusable, "\(path) can't be written: the disk is full")
      case SQLITE_BUSY, SQLITE_LOCKED:
        LogError(.unusable, "\(path) is locked by another program: end that program, or try again")
      case SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_AUTH:
        LogError(.unusable, "\(path) can't be written: \(reason)")
      case SQLITE_IOERR:
        LogError(.unusable, "\(path) can't be read or written (\(reason)): check whether the disk is full")
      // The tables are not those of a practice log.
      case SQLITE_ERROR, SQLITE_CONSTRAINT, SQLITE_MISMATCH, SQLITE_SCHEMA:
        LogError(.damaged, "\(path) is damaged: \(reason)")
      default: LogError(.unusable, "\(path): \(reason)")
      }
    }

    /// Uses the connection; converts SQLite's errors to `LogError`.
    private func use<T>(_ body: (SQLiteConnection) throws -> sending T) throws -> sending T {
      do { return try connection.withLock { try body($0) } } catch let error as SQLiteError {
        throw LogDatabase.explained(error, path)
      }
    }

    // MARK: Keeping

    /// Writes a take and its hits in one transaction.
    /// - Returns: the take's number.
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

    /// Reads the selected takes one by one, the oldest first.
    /// - Parameter body: must not use this database: it is locked. Its errors are rethrown.
    package func eachTake(_ filter: LogFilter, _ body: (LoggedTake) throws -> Void) throws {
      try use { try LogDatabase.eachTake(filter, $0, body) }
    }

    private static func eachTake(
      _ filter: LogFilter, _ connection: SQLiteConnection, _ body: (LoggedTake) throws -> Void
    ) throws {
      let rows = try connection.prepare(
        "SELECT \(LogRow.takeColumns) FROM take WHERE \(filter.condition) ORDER BY began, number")
      try rows.bind(filter.arguments)
      while try rows.step() {
        let take = LogRow(rows).take
        if filter.meets(take) { try body(take) }
      }
    }

    /// Reads the hits of a take one by one, in order of time.
    /// - Parameter body: must not use this database: it is locked. Its errors are rethrown.
    package func eachHit(of take: Int64, _ body: (LoggedHit) throws -> Void) throws {
      try use { connection in
        let rows = try connection.prepare(
          "SELECT \(LogRow.hitColumns) FROM hit WHERE take = ? ORDER BY number")
        try rows.bind([take])
        while try rows.step() { try body(LogRow(rows).hit) }
      }
    }

    /// The highest tempos, in beats per minute, at which takes were played in the window, by the takes' numbers. The window of
    /// takes without calibration is around their mean. The filter's song is not used.
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
    /// - Returns: how many takes were erased, and whether the journal still contains them because another program reads the
    ///   log.
    package func forget(_ filter: LogFilter) throws -> (count: Int, isHeld: Bool) {
      try use { connection in
        let count = try connection.transaction(isWriting: true) {
          var numbers: [Int64] = []
          try LogDatabase.eachTake(filter, connection) { numbers.append($0.number) }
          let deletion = try connection.prepare("DELETE FROM take WHERE number = ?")
          for number in numbers { try deletion.run([number]) }
          return numbers.count
        }
        // Rewrite the file without the deleted rows, and empty the journal, which contains the old pages.
        try connection.run("VACUUM")
        return (count, try connection.integer("PRAGMA wal_checkpoint(TRUNCATE)") != 0)
      }
    }
  }

  extension LogFilter {
    /// The terms of a query. The song is compared in Swift, because SQLite ignores the case of ASCII letters only.
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
  /// The practice log of a build without the trait `Log`: every use throws.
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
