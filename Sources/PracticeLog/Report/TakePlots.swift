import TimeCheck

/// The plots of one take.
struct TakePlots {
  /// A plot with its texts.
  struct Figure {
    let title: String
    /// An explanation above the plot.
    let caption: String
    /// The plot's content in words, for screen readers.
    let description: String
    let plot: Plot
  }

  /// The most points of a plot; if there are more, only every second, third… is drawn.
  private static let mostPoints = 3_000
  /// The fewest hits of a place that is drawn, and the most places.
  private static let (fewest, mostPlaces) = (3, 16)
  /// The number of intervals over which the played tempo is averaged.
  private static let smoothing = 16

  private let take: LoggedTake
  private let hits: [LoggedHit]
  /// The first hit of each onset.
  private let firsts: [LoggedHit]

  init(_ take: LoggedTake, _ hits: [LoggedHit]) {
    (self.take, self.hits) = (take, hits)
    firsts = hits.filter(\.isFirst)
  }

  var figures: [Figure] {
    guard !firsts.isEmpty else { return [] }
    return [overTime, histogram, places, gaps, tempo].compactMap { $0 }
  }

  private func seconds(_ hit: LoggedHit) -> Double { Double(hit.frame) / Double(take.sampleRate) }

  /// The end of the range of asynchronies that is shown, in milliseconds.
  private var reach: Double {
    let largest = firsts.reduce(0) { max($0, abs($1.milliseconds)) }
    return largest <= 25 ? 25 : largest <= 50 ? 50 : 100
  }

  private var lateness: Axis { Axis(-reach, reach) { TimingWords.number($0) } }

  private var time: Axis {
    let end = max(hits.reduce(take.seconds) { max($0, seconds($1)) }, 1)
    return Axis(0, end, ticks: TakePlots.timeTicks(end))
  }

  /// Ticks at whole seconds or minutes.
  private static func timeTicks(_ end: Double) -> [(value: Double, label: String)] {
    let steps = [1.0, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1_200, 1_800, 3_600, 7_200, 21_600, 86_400]
    guard end.isFinite, end < 1e7 else { return [] }
    let step = steps.first { end / $0 <= 6 } ?? 1e6
    return stride(from: 0, through: end, by: step).map { ($0, clock($0)) }
  }

  private static func clock(_ seconds: Double) -> String {
    let whole = Int(seconds)
    return "\(whole / 60):\(whole % 60 < 10 ? "0" : "")\(whole % 60)"
  }

  private static func thinned<T>(_ all: [T]) -> [T] {
    guard all.count > mostPoints else { return all }
    let step = (all.count + mostPoints - 1) / mostPoints
    return stride(from: 0, to: all.count, by: step).map { all[$0] }
  }

  // MARK: Each hit over time

  private var overTime: Figure {
    var plot = Plot(x: time, y: lateness)
    plot.band(take.target - take.window, take.target + take.window)
    plot.level(0, "zero")
    if take.target != 0 { plot.level(take.target, "target") }
    let shown = TakePlots.thinned(firsts)
    plot.dots(shown.filter { !$0.isSilent }.map { (seconds($0), $0.milliseconds) }, "dots")
    plot.crosses(shown.filter(\.isSilent).map { (seconds($0), $0.milliseconds) }, "crosses")
    plot.corner("late", isAbove: true)
    plot.corner("early", isAbove: false)
    let hasSilent = firsts.contains(where: \.isSilent)
    let share = shown.count < firsts.count ? " \(shown.count) of \(firsts.count) hits are drawn." : ""
    return Figure(
      title: "Each hit over time",
      caption:
        "Milliseconds after the click; the band is your window.\(hasSilent ? " Crosses: the click was silent." : "")\(share)",
      description:
        "\(firsts.count) hits in \(PracticeTotals.length(take.seconds)), on average \(TimingWords.lateness(take.mean)), \(TimingWords.percent(take.inWindow)) in the window of \(TimingWords.number(take.window)) ms.",
      plot: plot)
  }

  // MARK: Histogram

  private var histogram: Figure {
    let width = reach <= 25 ? 1.0 : reach <= 50 ? 2 : 4
    let count = Int(2 * reach / width)
    var bins = [Int](repeating: 0, count: count)
    for hit in firsts {
      let bin = ((hit.milliseconds + reach) / width).rounded(.down)
      bins[Int(min(max(bin, 0), Double(count - 1)))] += 1
    }
    let most = bins.max() ?? 1
    var plot = Plot(
      x: lateness,
      y: Axis(0, Double(max(most, 4)) * 1.05, ticks: 4) { $0 == $0.rounded() ? "\(Int($0))" : "" })
    plot.column(take.target - take.window, take.target + take.window)
    for (index, bin) in bins.enumerated() where bin > 0 {
      let low = -reach + Double(index) * width
      plot.bar(low, low + width, to: Double(bin))
    }
    plot.upright(0, "zero")
    plot.upright(take.mean, "mean")
    let spread = take.spread.map { ", spread \(TimingWords.number($0.value)) ms" } ?? ""
    return Figure(
      title: "Distribution of the hits around the click",
      caption: "Hits in each \(Int(width)) ms, early on the left; the dashed line is the mean.",
      description: "Mean \(TimingWords.lateness(take.mean))\(spread). The fullest column has \(most) hits.",
      plot: plot)
  }

  // MARK: Places of the bar

  private var places: Figure? {
    let groups = Dictionary(grouping: firsts, by: \.place).filter { $0.value.count >= TakePlots.fewest }
    let all = groups.keys.sorted()
    guard all.count > 1 else { return nil }
    let shown = Array(all.prefix(TakePlots.mostPlaces))
    let rows = shown.enumerated().map { (row: Double(shown.count - $0), place: $1) }
    let moments = shown.map { TakePlots.moments(groups[$0] ?? []) }
    let furthest = moments.reduce(10) { max($0, abs($1.mean) + $1.spread) }
    var plot = Plot(
      x: Axis(-furthest * 1.05, furthest * 1.05) { TimingWords.number($0) },
      y: Axis(0.4, Double(shown.count) + 0.6, ticks: rows.map { ($0.row, "\($0.place)") }),
      height: max(Double(shown.count) * 22, 88), left: shown.contains { $0.layer > 0 } ? 92 : 44)
    plot.upright(0, "zero")
    var words: [String] = []
    for ((row, place), (mean, spread)) in zip(rows, moments) {
      plot.line([(mean - spread, row), (mean + spread, row)], "range")
      plot.dots([(mean, row)], "large")
      words.append("\(place): \(TimingWords.lateness(mean)), spread \(TimingWords.number(spread)) ms")
    }
    let rest = all.count > shown.count ? " The first \(shown.count) of \(all.count) places." : ""
    return Figure(
      title: "Place in the bar",
      caption: "The mean at each beat and its parts, with one spread to either side.\(rest)",
      description: words.joined(separator: "; ") + ".", plot: plot)
  }

  private static func moments(_ hits: [LoggedHit]) -> (mean: Double, spread: Double) {
    let n = Double(max(hits.count, 1))
    let mean = hits.reduce(0) { $0 + $1.milliseconds } / n
    let sum = hits.reduce(0) { $0 + ($1.milliseconds - mean) * ($1.milliseconds - mean) }
    return (mean, (sum / max(n - 1, 1)).squareRoot())
  }

  // MARK: Silent bars

  private var gaps: Figure? {
    var runs: [[LoggedHit]] = []
    var previous: LoggedHit?
    for hit in firsts where hit.isSilent {
      if let previous, 0...1 ~= hit.bar - previous.bar {
        runs[runs.count - 1].append(hit)
      } else {
        runs.append([hit])
      }
      previous = hit
    }
    runs = Array(runs.filter { $0.count > 1 }.suffix(60))
    guard !runs.isEmpty else { return nil }
    let lines = runs.map { run in
      run.map { (x: seconds($0) - seconds(run[0]), y: $0.milliseconds) }
    }
    let longest = max(lines.reduce(1) { max($0, $1.last?.x ?? 0) }, 1)
    let points = lines.reduce(0) { $0 + $1.count }
    guard points <= 4 * TakePlots.mostPoints else { return nil }
    var plot = Plot(x: Axis(0, longest, ticks: TakePlots.timeTicks(longest)), y: lateness)
    plot.level(0, "zero")
    for line in lines { plot.line(line, "thin") }
    plot.crosses(lines.compactMap(\.last), "crosses")
    plot.corner("late", isAbove: true)
    plot.corner("early", isAbove: false)
    let spread = take.gapSpread.map { " Spread \(TimingWords.number($0)) ms." } ?? ""
    let slower = take.gapSlower.map {
      " On average \(TimingWords.number(abs($0))) % \($0 >= 0 ? "slower" : "faster") than the click."
    }
    return Figure(
      title: "While the click was silent",
      caption: "A line for each gap, from its first hit to the cross at its last.\(slower ?? "")",
      description: "\(runs.count) gaps.\(spread)\(slower ?? "")", plot: plot)
  }

  // MARK: Tempo

  /// The played tempo, from the distances between hits, and the click's tempo.
  private var tempo: Figure? {
    let known = firsts.filter { ($0.tempo ?? 0) > 0 }
    guard known.count > TakePlots.smoothing else { return nil }
    var played: [(x: Double, y: Double)?] = []
    for index in known.indices.dropFirst(TakePlots.smoothing) {
      let (first, last) = (known[index - TakePlots.smoothing], known[index])
      let interval = Double(last.frame - first.frame) / Double(take.sampleRate) * 1_000
      let click = interval - (last.milliseconds - first.milliseconds)
      guard interval > 0, click > 0, let tempo = last.tempo else { continue }
      played.append((x: seconds(last), y: tempo * click / interval))
    }
    let clicks: [(x: Double, y: Double)?] = known.map { (x: seconds($0), y: $0.tempo ?? 0) }
    let all = (played + clicks).compactMap { $0?.y }.filter(\.isFinite)
    guard let low = all.min(), let high = all.max(), high < 10_000 else { return nil }
    let room = max((high - low) * 0.1, 1)
    var plot = Plot(x: time, y: Axis(low - room, high + room, ticks: 4) { TimingWords.number($0) })
    plot.line(TakePlots.thinned(played), "played")
    plot.line(TakePlots.thinned(clicks), "click")
    let range = take.tempo.map {
      $0.low == $0.high
        ? TimingWords.number($0.low) : "\(TimingWords.number($0.low)) to \(TimingWords.number($0.high))"
    }
    return Figure(
      title: "Tempo",
      caption:
        "Beats a minute: solid, your tempo over \(TakePlots.smoothing) intervals; dashed, the click's.",
      description: "The click: \(range ?? "unknown") beats a minute.", plot: plot)
  }
}
