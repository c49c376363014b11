#if Log
  /// The tables of the practice log, version by version.
  ///
  /// A released version never changes: every change is a new version. Tables are strict, so that columns have their declared
  /// types, but readers still check them.
  enum LogSchema {
    /// SQLite's `application_id` of practice logs, "Tact".
    static let application: Int64 = 0x5461_6374

    /// The statements that convert each version to the next; a new file has version 0. SQLite's `user_version` is the version
    /// of a file.
    static let versions = [
      """
      CREATE TABLE take (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        began INTEGER NOT NULL,
        seconds REAL NOT NULL,
        title TEXT NOT NULL,
        document TEXT NOT NULL,
        section TEXT NOT NULL,
        meter TEXT NOT NULL,
        tempo_low REAL,
        tempo_high REAL,
        tempo_last REAL,
        sample_rate INTEGER NOT NULL,
        calibrated INTEGER NOT NULL,
        target REAL NOT NULL,
        "window" REAL NOT NULL,
        hits INTEGER NOT NULL,
        missed INTEGER NOT NULL,
        extra INTEGER NOT NULL,
        in_window REAL NOT NULL,
        mean REAL NOT NULL,
        spread REAL,
        spread_low REAL,
        spread_high REAL,
        drift REAL,
        drift_low REAL,
        drift_high REAL,
        gap_spread REAL,
        gap_slower REAL
      ) STRICT;
      CREATE INDEX take_began ON take (began);
      CREATE TABLE hit (
        take INTEGER NOT NULL REFERENCES take (number) ON DELETE CASCADE,
        number INTEGER NOT NULL,
        frame INTEGER NOT NULL,
        ms REAL NOT NULL,
        bar INTEGER NOT NULL,
        beat INTEGER NOT NULL,
        part INTEGER NOT NULL,
        layer INTEGER NOT NULL,
        silent INTEGER NOT NULL,
        first INTEGER NOT NULL,
        tempo REAL,
        port TEXT NOT NULL,
        drum TEXT,
        strength REAL NOT NULL,
        PRIMARY KEY (take, number)
      ) STRICT, WITHOUT ROWID;
      """,
      """
      ALTER TABLE take ADD COLUMN recording TEXT;
      ALTER TABLE take ADD COLUMN recording_seconds REAL;
      ALTER TABLE take ADD COLUMN recording_lost REAL;
      """,
    ]

    /// Converts a log to a version; does nothing if it has that or a newer one.
    /// - Precondition: within a writing transaction
    static func migrate(
      _ connection: SQLiteConnection, to version: Int = versions.count
    ) throws(SQLiteError) {
      let present = Int(try connection.integer("PRAGMA user_version") ?? 0)
      // Another program may have converted it in the meantime.
      guard present < version else { return }
      for statements in versions[present..<version] { try connection.run(statements) }
      try connection.run("PRAGMA application_id = \(application); PRAGMA user_version = \(version)")
    }
  }
#endif
