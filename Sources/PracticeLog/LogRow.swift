#if Log
  import TimeCheck

  /// Reads a row of the log. A damaged file may contain anything: a value of another type is read as a default.
  struct LogRow {
    private let row: SQLiteStatement

    /// - Parameter row: a statement that selects `takeColumns` or `hitColumns`, at a row.
    init(_ row: SQLiteStatement) { self.row = row }

    /// The columns of a query, by their names: SQLite refuses the query if the file lacks one.
    static let takeColumns = named([
      "number", "began", "seconds", "title", "document", "section", "meter", "tempo_low", "tempo_high",
      "tempo_last", "sample_rate", "calibrated", "target", "window", "hits", "missed", "extra", "in_window",
      "mean", "spread", "spread_low", "spread_high", "drift", "drift_low", "drift_high", "gap_spread",
      "gap_slower", "recording", "recording_seconds", "recording_lost",
    ])
    static let hitColumns = named([
      "number", "frame", "ms", "bar", "beat", "part", "layer", "silent", "first", "tempo", "port", "drum",
      "strength",
    ])

    private static func named(_ columns: [String]) -> String {
      columns.map { "\"\($0)\" AS \"\($0)\"" }.joined(separator: ", ")
    }

    private func integer(_ column: String) -> Int64 {
      row.integer(at: row.place(of: column)) ?? 0
    }

    /// A number limited to ±10⁹, so that calculations with it do not overflow.
    private func count(_ column: String) -> Int {
      Int(min(max(integer(column), -1_000_000_000), 1_000_000_000))
    }

    /// A number of frames limited to ±2⁵⁰, so that differences do not overflow.
    private func frames(_ column: String) -> Int64 { min(max(integer(column), -1 << 50), 1 << 50) }

    private func double(_ column: String) -> Double? {
      let value = row.double(at: row.place(of: column))
      return value?.isFinite == true ? value : nil
    }

    private func text(_ column: String) -> String { row.text(at: row.place(of: column)) ?? "" }

    private func estimate(_ column: String) -> Estimate? {
      guard let value = double(column) else { return nil }
      return Estimate(value, double(column + "_low") ?? value, double(column + "_high") ?? value)
    }

    var take: LoggedTake {
      var tempo: TempoRange?
      if let low = double("tempo_low"), let high = double("tempo_high"), let last = double("tempo_last") {
        tempo = TempoRange(low)
        tempo?.note(high)
        tempo?.note(last)
      }
      var take = LoggedTake(
        began: integer("began"), seconds: double("seconds") ?? 0,
        music: Music(title: text("title"), document: text("document"), meter: text("meter")),
        section: text("section"), tempo: tempo, sampleRate: max(count("sample_rate"), 1),
        isCalibrated: integer("calibrated") != 0, target: double("target") ?? 0,
        window: double("window") ?? 0, hits: count("hits"), missed: count("missed"),
        extra: count("extra"), inWindow: double("in_window") ?? 0, mean: double("mean") ?? 0,
        spread: estimate("spread"), drift: estimate("drift"), gapSpread: double("gap_spread"),
        gapSlower: double("gap_slower"))
      take.number = integer("number")
      let file = text("recording")
      if !file.isEmpty {
        take.recording = LoggedTake.Recorded(
          file: file, seconds: double("recording_seconds") ?? 0, lost: double("recording_lost") ?? 0)
      }
      return take
    }

    var hit: LoggedHit {
      let drum = text("drum")
      return LoggedHit(
        frame: frames("frame"), milliseconds: double("ms") ?? 0, bar: count("bar"),
        place: Place(beat: count("beat"), part: count("part"), layer: count("layer")),
        isSilent: integer("silent") != 0, isFirst: integer("first") != 0, tempo: double("tempo"),
        port: text("port"), drum: drum.isEmpty ? nil : drum, strength: double("strength") ?? 0)
    }
  }
#endif
