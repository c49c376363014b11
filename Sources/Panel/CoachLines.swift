import Control
import TimeCheck

/// What a coached section asks, how far the player is, and what comes next: each in one line of a narrow window.
struct CoachLines {
  let coaching: CoachProgress
  /// How the present trial stands; nil before the first one.
  let standing: Coach.Standing?
  /// Why nothing is judged; nil if something is.
  private let obstacle: String?

  init?(_ model: PanelModel) {
    guard let progress = model.progress, let coaching = progress.coaching else { return nil }
    (self.coaching, standing) = (coaching, model.snapshot.timing?.trial)
    if model.snapshot.timing == nil {
      obstacle = "nothing listens: --listen or --hits"
    } else {
      obstacle = progress.isHeld || progress.loop != nil ? "it repeats: nothing is judged" : nil
    }
  }

  /// `goal 8 bars: spread 12 ms, missed 2 %`.
  var asked: String {
    let goal = coaching.goal
    let parts = [
      goal.spread.map { "spread \(TimingWords.number($0)) ms" },
      goal.mean.map { "mean \(TimingWords.number($0)) ms" },
      goal.missed.map { "missed \(TimingWords.number($0)) %" },
      goal.silent.map { "silent beats \(TimingWords.number($0)) %" },
      goal.tempo.map { "tempo \(TimingWords.number($0)) %" },
    ].compactMap { $0 }
    return "goal \(goal.bars) bar\(goal.bars == 1 ? "" : "s"): \(parts.joined(separator: ", "))"
  }

  /// `bar 3/8: spread 15.2 ms!, missed 0 %`; what is beyond the goal has a mark. Where there is no room for it, as many figures as
  /// there is room for: none is cut.
  func reached(width: Int) -> String {
    if let obstacle { return obstacle }
    guard trial.hits > 0 else { return bar + ": play" }
    var forms = [bar, String(bar.dropFirst(4))].map { $0 + ": " + parts.joined(separator: ", ") }
    for count in (0...parts.count).reversed() { forms.append(parts.prefix(count).joined(separator: ", ")) }
    return forms.first { $0.count <= width } ?? ""
  }

  /// The same as few words, to be read from far.
  var reachedInShort: String {
    obstacle == nil ? ([bar] + parts.prefix(1)).joined(separator: "  ") : "until you go on"
  }

  private var bar: String {
    "bar \(min((standing?.bars ?? 0) + 1, coaching.goal.bars))/\(coaching.goal.bars)"
  }

  private var trial: Trial { standing?.trial ?? Trial() }

  private var parts: [String] {
    func part(
      _ name: String, _ value: Double?, _ limit: Double?, _ unit: String, isLeast: Bool = false
    ) -> String? {
      guard let limit, trial.hits > 0 else { return nil }
      guard let value else { return "\(name) not known yet" }
      let isBeyond = isLeast ? value < limit : value > limit
      return "\(name) \(TimingWords.number(value)) \(unit)\(isBeyond ? "!" : "")"
    }
    return [
      part("spread", trial.spread, coaching.goal.spread, "ms"),
      part("mean", abs(trial.mean), coaching.goal.mean, "ms"),
      part("missed", trial.missed * 100, coaching.goal.missed, "%"),
      part("silent beats", trial.silent.map { $0 * 100 }, coaching.goal.silent, "%", isLeast: true),
      part("tempo", trial.tempo, coaching.goal.tempo, "%"),
    ].compactMap { $0 }
  }

  /// `then 84 BPM, step 2/16`, and how many failures there were.
  var next: String {
    var words = "then "
    switch coaching.next {
    case .tempo(let tempo): words += tempo.map { "\(TimingWords.tempo($0)) BPM" } ?? "the next step"
    case .end: words += "the section ends"
    case .stay: words += "it stays here"
    }
    if coaching.steps > 1 { words += ", step \(coaching.step)/\(coaching.steps)" }
    if let patience = coaching.patience, let failures = standing?.failures, failures > 0 {
      words += ", failed \(failures)/\(patience)"
    }
    return words
  }
}
