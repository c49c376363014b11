#if Log
  import CSQLite

  /// A prepared statement and its current row.
  /// - Thread: that of its connection
  final class SQLiteStatement {
    let handle: OpaquePointer
    let connection: SQLiteConnection
    /// The indices of the columns by their names.
    private let columns: [String: Int32]

    /// - Parameter handle: this object takes ownership of it.
    init(_ handle: OpaquePointer, of connection: SQLiteConnection) {
      (self.handle, self.connection) = (handle, connection)
      columns = (0..<sqlite3_column_count(handle)).reduce(into: [:]) { columns, index in
        if let name = sqlite3_column_name(handle, index) { columns[String(cString: name)] = index }
      }
    }

    deinit { sqlite3_finalize(handle) }

    // MARK: The row

    /// The index of a column; −1 if the query does not name it: its value is then NULL.
    func place(of column: String) -> Int32 { columns[column] ?? -1 }

    /// The value of a column; nil if it is not an integer.
    func integer(at place: Int32) -> Int64? {
      sqlite3_column_type(handle, place) == SQLITE_INTEGER ? sqlite3_column_int64(handle, place) : nil
    }

    /// The value of a column; nil if it is not a number.
    func double(at place: Int32) -> Double? {
      switch sqlite3_column_type(handle, place) {
      case SQLITE_INTEGER, SQLITE_FLOAT: sqlite3_column_double(handle, place)
      default: nil
      }
    }

    /// The value of a column; nil if it is not a text. Invalid UTF-8 is replaced.
    func text(at place: Int32) -> String? {
      guard sqlite3_column_type(handle, place) == SQLITE_TEXT, let bytes = sqlite3_column_text(handle, place)
      else { return nil }
      let count = Int(sqlite3_column_bytes(handle, place))
      return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }
  }

  /// A value for a placeholder of a statement.
  protocol SQLiteValue {
    /// Sets the value of a placeholder.
    /// - Parameter place: the number of the placeholder, from 1.
    /// - Returns: SQLite's result code.
    func bind(to statement: OpaquePointer, at place: Int32) -> Int32
  }

  extension Int64: SQLiteValue {
    func bind(to statement: OpaquePointer, at place: Int32) -> Int32 {
      sqlite3_bind_int64(statement, place, self)
    }
  }

  extension Int: SQLiteValue {
    func bind(to statement: OpaquePointer, at place: Int32) -> Int32 {
      sqlite3_bind_int64(statement, place, Int64(self))
    }
  }

  extension Bool: SQLiteValue {
    func bind(to statement: OpaquePointer, at place: Int32) -> Int32 {
      sqlite3_bind_int64(statement, place, self ? 1 : 0)
    }
  }

  extension Double: SQLiteValue {
    func bind(to statement: OpaquePointer, at place: Int32) -> Int32 {
      sqlite3_bind_double(statement, place, self)
    }
  }

  extension String: SQLiteValue {
    func bind(to statement: OpaquePointer, at place: Int32) -> Int32 {
      var text = self
      return text.withUTF8 { bytes in
        // SQLITE_TRANSIENT, which Swift does not import: SQLite copies the bytes before it returns.
        let isCopied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        return bytes.withMemoryRebound(to: CChar.self) {
          sqlite3_bind_text64(
            statement, place, $0.baseAddress, UInt64($0.count), isCopied, UInt8(SQLITE_UTF8))
        }
      }
    }
  }
#endif
