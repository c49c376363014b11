#if Log
  import CSQLite

  /// What SQLite answers where it can't do what it is asked.
  struct SQLiteError: Error {
    /// A primary result code, such as `SQLITE_BUSY`.
    let code: Int32
    /// In SQLite's words.
    let message: String

    /// - Parameter extended: a result code with its detail in the upper bytes.
    init(_ extended: Int32, _ message: String) {
      code = extended & 0xFF
      self.message = message
    }
  }
#endif
