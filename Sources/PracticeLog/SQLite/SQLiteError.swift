#if Log
  import CSQLite

  /// An error of SQLite.
  struct SQLiteError: Error {
    /// The primary result code, for example `SQLITE_BUSY`.
    let code: Int32
    /// SQLite's message.
    let message: String

    /// - Parameter extended: an extended result code; its lowest byte is the primary one.
    init(_ extended: Int32, _ message: String) {
      code = extended & 0xFF
      self.message = message
    }
  }
#endif
