#if Log
  import CSQLite

  /// A prepared statement, and the row at which it stands.
  /// - Thread: its connection's
  final class SQLiteStatement {
    let handle: OpaquePointer
    let connection: SQLiteConnection
    /// The place of each column by its name.
    private let columns: [String: Int32]

    /// - Parameter handle: belongs to this object from now on.
    init(_ handle: OpaquePointer, of connection: SQLiteConnection) {
      (self.handle, self.connection) = (handle, connection)
      columns = (0..<sqlite3_column_count(handle)).reduce(into: [:]) { columns, index in
        if let name = sqlite3_column_name(handle, index) { columns[String(cString: name)] = index }
      }
    }

    deinit { sqlite3_finalize(handle) }

    // MARK: The row

    /// The place of a column that the query names; of none, one that holds nothing.
    func place(of column: String) -> Int32 { columns[column] ?? -1 }

    /// Nil for anything but an integer.
    func integer(at place: Int32) -> Int64? {
      sqlite3_column_type(handle, place) == SQLITE_INTEGER ? sqlite3_column_int64(handle, place) : nil
    }

    /// Nil for anything but a number.
    func double(at place: Int32) -> Double? {
      switch sqlite3_column_type(handle, place) {
      case SQLITE_INTEGER, SQLITE_FLOAT: sqlite3_column_double(handle, place)
      default: nil
      }
    }

    /// Nil for anything but a text. What is no UTF-8 is mended.
    func text(at place: Int32) -> String? {
      guard sqlite3_column_type(handle, place) == SQLITE_TEXT, let bytes = sqlite3_column_text(handle, place)
      else { return nil }
      let count = Int(sqlite3_column_bytes(handle, place))
      return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }
  }

  /// What a `?` in a statement can stand for.
  protocol SQLiteValue {
    /// - Parameter place: from 1.
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
