import TimeCheck

/// The report of a log: one self-contained HTML page, which loads no other file.
package struct ReportPage {
  /// How many of the last takes are drawn, and how many hits of each.
  private static let (detailed, mostHits) = (10, 20_000)
  /// How many of the last takes are listed.
  private static let listed = 100

  private let zone: Zone
  private let range: String

  /// - Parameter range: the selected takes in words, for example `the last 7 days`.
  package init(zone: Zone, range: String) { (self.zone, self.range) = (zone, range) }

  /// Writes the page.
  /// - Returns: how many takes it contains.
  /// - Throws: `LogError`, or the sink's errors.
  @discardableResult
  package func write(
    _ database: LogDatabase, _ filter: LogFilter, to sink: inout some TextSink
  ) throws -> Int {
    var history = PracticeHistory(zone: zone)
    var last: [LoggedTake] = []
    let reached = try database.temposReached(filter)
    try database.eachTake(filter) { take in
      history.add(take, reached: reached[take.number])
      last.append(take)
      if last.count >= 2 * ReportPage.listed { last.removeFirst(ReportPage.listed) }
    }
    last = last.suffix(ReportPage.listed)
    var number = 0
    try sink.write(head)
    try sink.write("<h1>Practice report</h1>\n<p>\(Markup.escaped(history.words))</p>\n")
    let words = history.totals.words
    if !words.isEmpty { try sink.write("<p>On average \(Markup.escaped(words)).</p>\n") }
    try sink.write(
      "<p class=\"soft\">Of \(Markup.escaped(range)). Early is before the click, late after it.</p>\n")
    if history.totals.takes > 0 {
      try write(history, &number, to: &sink)
    }
    for take in last.suffix(ReportPage.detailed).reversed() {
      try write(take, database, &number, to: &sink)
    }
    if history.totals.takes > 0 { try writeTable(last, of: history.totals.takes, to: &sink) }
    try sink.write("</main>\n</body>\n</html>\n")
    return history.totals.takes
  }

  private var head: String {
    """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8"/>
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"/>
    <meta name="viewport" content="width=device-width, initial-scale=1"/>
    <meta name="referrer" content="no-referrer"/>
    <title>Practice report</title>
    <style>
    \(ReportStyle.sheet)
    </style>
    </head>
    <body>
    <main>

    """
  }

  private func write(
    _ figures: [TakePlots.Figure], _ number: inout Int, to sink: inout some TextSink
  ) throws {
    try sink.write("<div class=\"cards\">\n")
    for figure in figures {
      number += 1
      try sink.write(
        "<figure>\n<figcaption><b>\(Markup.escaped(figure.title))</b> <span>\(Markup.escaped(figure.caption))</span></figcaption>\n"
      )
      try sink.write(
        figure.plot.svg(number: number, title: figure.title, description: figure.description))
      try sink.write("</figure>\n")
    }
    try sink.write("</div>\n")
  }

  // MARK: History

  private func write(
    _ history: PracticeHistory, _ number: inout Int, to sink: inout some TextSink
  ) throws {
    try sink.write("<h2>Week by week</h2>\n")
    if history.isCut { try sink.write("<p class=\"soft\">The last weeks.</p>\n") }
    try write(history.figures, &number, to: &sink)
    let rows = history.rows.reversed().map { monday, week in
      [
        "\(monday)", "\(week.totals.takes)", TimingWords.number(week.totals.seconds / 60),
        week.tempo.map { TimingWords.number($0) } ?? "–",
        week.totals.mean.map { TimingWords.lateness($0) } ?? "–",
        week.totals.spread.map { "\(TimingWords.number($0)) ms" } ?? "–",
      ]
    }
    try writeTable(
      "Weeks", ["Week of", "Takes", "Minutes", "Tempo reached", "Early or late", "Spread"], rows, to: &sink)
  }

  private func writeTable(
    _ takes: [LoggedTake], of count: Int, to sink: inout some TextSink
  ) throws {
    try sink.write("<h2>Takes</h2>\n")
    if takes.count < count { try sink.write("<p class=\"soft\">The last \(takes.count) of \(count).</p>\n") }
    let rows = takes.reversed().map { take in
      [
        "\(Day(take.began, in: zone)) \(Clock(take.began, in: zone))", take.name,
        PracticeTotals.length(take.seconds), LogTable.tempo(take), "\(take.hits)", mean(take),
        spread(take), "\(take.missed)",
      ]
    }
    try writeTable(
      "Takes", ["When", "What", "Length", "Tempo", "Hits", "Early or late", "Spread", "Missed"], rows,
      to: &sink)
  }

  private func writeTable(
    _ name: String, _ header: [String], _ rows: [[String]], to sink: inout some TextSink
  ) throws {
    try sink.write(
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"\(name)\">\n<table>\n<thead><tr>")
    for cell in header { try sink.write("<th scope=\"col\">\(cell)</th>") }
    try sink.write("</tr></thead>\n<tbody>\n")
    for row in rows {
      let cells = row.enumerated().map { index, cell in
        "<td\(header[index] == "What" ? " class=\"what\"" : "")>\(Markup.escaped(cell))</td>"
      }
      try sink.write("<tr>\(cells.joined())</tr>\n")
    }
    try sink.write("</tbody>\n</table>\n</div>\n")
  }

  // MARK: A take

  private func write(
    _ take: LoggedTake, _ database: LogDatabase, _ number: inout Int, to sink: inout some TextSink
  ) throws {
    var hits: [LoggedHit] = []
    try database.eachHit(of: take.number) { if hits.count < ReportPage.mostHits { hits.append($0) } }
    let day = Day(take.began, in: zone)
    try sink.write(
      "<h2>\(Markup.escaped("\(day.named) \(day.year), \(Clock(take.began, in: zone)): \(take.name)"))</h2>\n<dl>\n"
    )
    for (term, value) in facts(take) {
      try sink.write("<div><dt>\(term)</dt><dd>\(Markup.escaped(value))</dd></div>\n")
    }
    try sink.write("</dl>\n")
    if !take.isCalibrated {
      try sink.write(
        "<p class=\"soft\">Not calibrated: only how even you played is known, not how early or late. The plots are shifted by an unknown time.</p>\n"
      )
    }
    try write(TakePlots(take, hits).figures, &number, to: &sink)
  }

  private func mean(_ take: LoggedTake) -> String {
    take.isCalibrated ? TimingWords.lateness(take.mean) : "not calibrated"
  }

  private func spread(_ take: LoggedTake) -> String {
    take.spread.map { "\(TimingWords.number($0.value)) ms" } ?? "–"
  }

  private func facts(_ take: LoggedTake) -> [(String, String)] {
    var facts = [
      ("Take", "\(take.number)"), ("Length", PracticeTotals.length(take.seconds)),
      ("Tempo", LogTable.tempo(take)), ("Meter", take.music.meter), ("Hits", "\(take.hits)"),
      ("Mean", mean(take)), ("Spread", spread(take)), ("Missed", "\(take.missed)"),
      ("Between", "\(take.extra)"),
      ("In the window", TimingWords.percent(take.inWindow)),
    ]
    if let drift = take.drift, drift.isSignificant, abs(drift.value) >= 0.5 {
      facts.append(
        (
          "Drift",
          "\(TimingWords.number(abs(drift.value))) ms \(drift.value > 0 ? "later" : "earlier") every 10 s"
        ))
    }
    if let recording = take.recording {
      let lost =
        recording.lost > 0 ? "; \(TimingWords.number(recording.lost)) s of it could not be written" : ""
      facts.append(
        ("Recording", "\(recording.file), from \(TimingWords.number(recording.seconds)) s on\(lost)"))
    }
    return facts
  }
}
