#if Log
  import CSQLite

  /// A connection to an SQLite database. GRDB is not used, because it would add Foundation and ICU's tables, 53 MB.
  ///
  /// Methods throw `SQLiteError`.
  /// - Thread: one at a time
  final class SQLiteConnection {
    fileprivate let handle: OpaquePointer

    /// Opens an existing database.
    /// - Parameter path: with symbolic links resolved. If a link replaces the file in the meantime, SQLite refuses it.
    init(path: String, isReadOnly: Bool) throws(SQLiteError) {
      var handle: OpaquePointer?
      let flags =
        (isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE) | SQLITE_OPEN_NOMUTEX
        | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_EXRESCODE
      let result = sqlite3_open_v2(path, &handle, flags, nil)
      guard result == SQLITE_OK, let handle else {
        // A connection must be closed even if it could not be opened.
        defer { sqlite3_close_v2(handle) }
        throw SQLiteError(result, String(cString: sqlite3_errstr(result)))
      }
      self.handle = handle
    }

    // `_v2` keeps the connection open until its last statement has ended.
    deinit { sqlite3_close_v2(handle) }

    /// The library's version, for example `3.40.1`.
    static var version: String { String(cString: sqlite3_libversion()) }

    /// Sets how long to wait for another program's transaction.
    func wait(milliseconds: Int32) { sqlite3_busy_timeout(handle, milliseconds) }

    /// The number of the row that was inserted last.
    var lastRow: Int64 { sqlite3_last_insert_rowid(handle) }

    /// Runs one or more statements without arguments.
    func run(_ statements: String) throws(SQLiteError) {
      try check(sqlite3_exec(handle, statements, nil, nil, nil))
    }

    /// Prepares a statement.
    /// - Parameter sql: one statement; `?` is a placeholder for a value.
    func prepare(_ sql: String) throws(SQLiteError) -> SQLiteStatement {
      var statement: OpaquePointer?
      try check(sqlite3_prepare_v2(handle, sql, -1, &statement, nil))
      guard let statement else { throw SQLiteError(SQLITE_MISUSE, "no statement: \(sql)") }
      return SQLiteStatement(statement, of: self)
    }

    /// The first column of a query's first row; nil if there is no row, or if it is not an integer.
    func integer(_ sql: String) throws(SQLiteError) -> Int64? {
      let statement = try prepare(sql)
      return try statement.step() ? statement.integer(at: 0) : nil
    }

    /// Runs a body in a transaction, which is rolled back if the body throws.
    /// - Parameter isWriting: true to wait until no other program writes. If false, the body may only read, and sees one state.
    func transaction<T>(isWriting: Bool, _ body: () throws -> T) throws -> T {
      try run(isWriting ? "BEGIN IMMEDIATE" : "BEGIN")
      do {
        let result = try body()
        try run("COMMIT")
        return result
      } catch {
        // After some errors SQLite has already rolled back.
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
    /// Runs the statement up to its next row.
    /// - Returns: whether there is one.
    func step() throws(SQLiteError) -> Bool {
      let result = sqlite3_step(handle)
      try connection.check(result)
      return result == SQLITE_ROW
    }

    /// Runs the statement with values for its placeholders.
    func run(_ values: [(any SQLiteValue)?]) throws(SQLiteError) {
      try bind(values)
      while try step() {}
    }

    /// Resets the statement and sets the values of its placeholders; nil is NULL.
    func bind(_ values: [(any SQLiteValue)?]) throws(SQLiteError) {
      // Its result repeats the error of the last `step`, which was thrown there.
      sqlite3_reset(handle)
      for (index, value) in values.enumerated() {
        let place = Int32(index + 1)
        try connection.check(value?.bind(to: handle, at: place) ?? sqlite3_bind_null(handle, place))
      }
    }
  }
#endif
