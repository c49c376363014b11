import TimeCheck

/// Sums up takes week by week.
struct PracticeHistory {
  struct Week {
    private(set) var totals = PracticeTotals()
    /// The highest tempo that was played in the window, in beats per minute; nil if there is none.
    private(set) var tempo: Double?

    mutating func add(_ take: LoggedTake, reached: Double?) {
      totals.add(take)
      // A tempo counts only if the spread is known and the player has not left out many clicks.
      guard let reached, take.spread != nil, take.missed <= take.hits / 4 else { return }
      tempo = max(tempo ?? 0, reached)
    }
  }

  /// How many of the last weeks are drawn.
  private static let most = 26

  private let zone: Zone
  private(set) var totals = PracticeTotals()
  private var days: Set<Day> = []
  /// The weeks, by their Mondays.
  private var weeks: [Day: Week] = [:]

  init(zone: Zone) { self.zone = zone }

  /// Adds a take.
  /// - Parameter reached: the highest tempo at which it was played in the window; nil if there is none.
  mutating func add(_ take: LoggedTake, reached: Double?) {
    let day = Day(take.began, in: zone)
    totals.add(take)
    days.insert(day)
    weeks[day.monday, default: Week()].add(take, reached: reached)
  }

  /// For example `12 takes, 3 h 20 min practised on 8 days, 1 Nov 2026 to 23 Nov 2026.`
  var words: String {
    guard let first = days.min(), let last = days.max() else { return "Nothing was kept." }
    let span =
      first == last
      ? "\(first.named) \(first.year)" : "\(first.short) \(first.year) to \(last.short) \(last.year)"
    return "\(totals.amount) on \(days.count) \(days.count == 1 ? "day" : "days"), \(span)."
  }

  /// The last weeks, including weeks without practice.
  var rows: [(monday: Day, week: Week)] {
    guard let last = weeks.keys.max(), let first = weeks.keys.min() else { return [] }
    var rows: [(Day, Week)] = []
    var monday = last
    while monday >= first, rows.count < PracticeHistory.most {
      rows.append((monday, weeks[monday] ?? Week()))
      monday = monday.adding(-7)
    }
    return rows.reversed()
  }

  /// Whether `rows` omits earlier weeks.
  var isCut: Bool {
    weeks.keys.min().map { first in (rows.first?.monday).map { first < $0 } ?? false } ?? false
  }

  // MARK: Plots

  var figures: [TakePlots.Figure] {
    let rows = rows
    guard !rows.isEmpty else { return [] }
    var figures = [minutes(rows)]
    if let tempo = tempo(rows) { figures.append(tempo) }
    if let spread = spread(rows) { figures.append(spread) }
    return figures
  }

  private func axis(_ rows: [(monday: Day, week: Week)]) -> Axis {
    let every = max((rows.count + 4) / 5, 1)
    let ticks = rows.enumerated().filter { (rows.count - 1 - $0.offset) % every == 0 }
      .map { (value: Double($0.offset) + 0.5, label: $0.element.monday.short) }
    return Axis(0, Double(rows.count), ticks: ticks)
  }

  private func minutes(_ rows: [(monday: Day, week: Week)]) -> TakePlots.Figure {
    let most = rows.reduce(1) { max($0, $1.week.totals.seconds / 60) }
    var plot = Plot(x: axis(rows), y: Axis(0, most * 1.05, ticks: 4) { TimingWords.number($0) })
    for (index, row) in rows.enumerated() where row.week.totals.seconds > 0 {
      plot.bar(Double(index), Double(index) + 1, to: row.week.totals.seconds / 60)
    }
    return TakePlots.Figure(
      title: "Minutes practised", caption: "Each week, from the named Monday.",
      description: list(rows) { "\(TimingWords.number($0.totals.seconds / 60)) minutes" }, plot: plot)
  }

  private func tempo(_ rows: [(monday: Day, week: Week)]) -> TakePlots.Figure? {
    series(
      rows, "Tempo reached", "Each week's highest with four of five hits in the window.",
      unit: "beats a minute", startsAtZero: false, \.tempo)
  }

  private func spread(_ rows: [(monday: Day, week: Week)]) -> TakePlots.Figure? {
    series(
      rows, "Spread", "Milliseconds, over all takes of a week; lower is tighter.", unit: "ms",
      startsAtZero: true
    ) { $0.totals.spread }
  }

  private func series(
    _ rows: [(monday: Day, week: Week)], _ title: String, _ caption: String, unit: String,
    startsAtZero: Bool, _ value: (Week) -> Double?
  ) -> TakePlots.Figure? {
    let points = rows.enumerated().map { index, row in
      value(row.week).map { (x: Double(index) + 0.5, y: $0) }
    }
    let values = points.compactMap { $0?.y }
    guard let low = values.min(), let high = values.max() else { return nil }
    let room = max((high - low) * 0.15, high * 0.02, 1)
    var plot = Plot(
      x: axis(rows),
      y: Axis(startsAtZero ? 0 : max(low - room, 0), high + room, ticks: 4) { TimingWords.number($0) })
    plot.line(points, "played")
    plot.dots(points.compactMap { $0 }, "large")
    return TakePlots.Figure(
      title: title, caption: caption,
      description: list(rows.filter { value($0.week) != nil }) {
        "\(TimingWords.number(value($0) ?? 0)) \(unit)"
      }, plot: plot)
  }

  private func list(_ rows: [(monday: Day, week: Week)], _ words: (Week) -> String) -> String {
    rows.map { "Week of \($0.monday.short): \(words($0.week))" }.joined(separator: "; ") + "."
  }
}
