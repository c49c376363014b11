#if Log
  import CSQLite

  /// A connection to an SQLite database. GRDB is not used: it brings Foundation and ICU's tables, 53 MB.
  /// - Thread: one at a time
  final class SQLiteConnection {
    fileprivate let handle: OpaquePointer

    /// Opens a database; a file that is not there is not made.
    /// - Parameter path: with its links followed: a link that takes the file's place meanwhile is refused.
    init(path: String, isReadOnly: Bool) throws(SQLiteError) {
      var handle: OpaquePointer?
      let flags =
        (isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE) | SQLITE_OPEN_NOMUTEX
        | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_EXRESCODE
      let result = sqlite3_open_v2(path, &handle, flags, nil)
      guard result == SQLITE_OK, let handle else {
        // Also a connection that could not be opened has to be closed.
        defer { sqlite3_close_v2(handle) }
        throw SQLiteError(result, String(cString: sqlite3_errstr(result)))
      }
      self.handle = handle
    }

    // `_v2`: a statement that is still there keeps the connection until it ends.
    deinit { sqlite3_close_v2(handle) }

    /// The library's version, such as `3.40.1`.
    static var version: String { String(cString: sqlite3_libversion()) }

    /// How long to wait for another program's transaction, in milliseconds.
    func wait(milliseconds: Int32) { sqlite3_busy_timeout(handle, milliseconds) }

    /// The number of the row that was inserted last.
    var lastRow: Int64 { sqlite3_last_insert_rowid(handle) }

    /// How many rows the last statement has inserted, changed or deleted, without what followed from them.
    var changes: Int { Int(sqlite3_changes(handle)) }

    /// Runs statements without arguments, one after the other.
    func run(_ statements: String) throws(SQLiteError) {
      try check(sqlite3_exec(handle, statements, nil, nil, nil))
    }

    /// - Parameter sql: one statement; `?` stands for a value.
    func prepare(_ sql: String) throws(SQLiteError) -> SQLiteStatement {
      var statement: OpaquePointer?
      try check(sqlite3_prepare_v2(handle, sql, -1, &statement, nil))
      guard let statement else { throw SQLiteError(SQLITE_MISUSE, "no statement: \(sql)") }
      return SQLiteStatement(statement, of: self)
    }

    /// The first column of the first row that a query finds.
    func integer(_ sql: String) throws(SQLiteError) -> Int64? {
      let statement = try prepare(sql)
      return try statement.step() ? statement.integer(at: 0) : nil
    }

    /// All or nothing.
    /// - Parameter isWriting: waits at once until no other program writes; else the body only reads, and sees one state.
    func transaction<T>(isWriting: Bool, _ body: () throws -> T) throws -> T {
      try run(isWriting ? "BEGIN IMMEDIATE" : "BEGIN")
      do {
        let result = try body()
        try run("COMMIT")
        return result
      } catch {
        // Some errors have ended the transaction already.
        if sqlite3_get_autocommit(handle) == 0 { try? run("ROLLBACK") }
        throw error
      }
    }

    fileprivate func check(_ result: Int32) throws(SQLiteError) {
      guard result == SQLITE_OK || result == SQLITE_ROW || result == SQLITE_DONE else {
        throw SQLiteError(result, String(cString: sqlite3_errmsg(handle)))
      }
    }
  }

  extension SQLiteStatement {
    /// Goes on to the next row.
    /// - Returns: whether there is one.
    func step() throws(SQLiteError) -> Bool {
      let result = sqlite3_step(handle)
      try connection.check(result)
      return result == SQLITE_ROW
    }

    /// Runs the statement with these values in place of each `?`.
    func run(_ values: [(any SQLiteValue)?]) throws(SQLiteError) {
      try bind(values)
      while try step() {}
    }

    /// Begins anew, with these values in place of each `?`.
    func bind(_ values: [(any SQLiteValue)?]) throws(SQLiteError) {
      // Tells again what `step` has told.
      sqlite3_reset(handle)
      for (index, value) in values.enumerated() {
        let place = Int32(index + 1)
        try connection.check(value?.bind(to: handle, at: place) ?? sqlite3_bind_null(handle, place))
      }
    }
  }
#endif
