import Control
import TimeCheck

/// The goal of a coached section, the player's progress and the next step: each in one line of a narrow window.
struct CoachLines {
  let coaching: CoachProgress
  /// The intermediate result of the current trial; nil before the first one.
  let standing: Coach.Standing?
  /// Why hits are not judged, and what to read of that from a distance; nil if they are judged.
  private let obstacle: (reason: String, short: String)?
  /// The target of a jump that is under way; nil if there is none.
  private let jump: String?

  /// Returns nil if the section has no coach.
  init?(_ model: PanelModel) {
    guard let progress = model.progress, let coaching = progress.coaching else { return nil }
    (self.coaching, standing) = (coaching, model.snapshot.timing?.trial)
    jump = progress.isJumping ? ProgressText.jump(progress) : nil
    if model.snapshot.timing == nil {
      obstacle = (reason: "no inputs: --listen or --hits", short: "until you go on")
    } else {
      let repeating = "repeating: no coaching"
      obstacle = progress.isHeld || progress.loop != nil ? (reason: repeating, short: repeating) : nil
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

  /// `bar 3/8: spread 15.2 ms!, missed 0 %`; values that miss the goal have a mark. In a narrow window the last values are
  /// omitted, and none is cut.
  func reached(width: Int) -> String {
    if let obstacle { return obstacle.reason }
    guard trial.hits > 0 else { return bar + ": play" }
    var forms = [bar, String(bar.dropFirst(4))].map { $0 + ": " + parts.joined(separator: ", ") }
    for count in (0...parts.count).reversed() { forms.append(parts.prefix(count).joined(separator: ", ")) }
    return forms.first { $0.count <= width } ?? ""
  }

  /// A shorter form, to be read from a distance.
  var reachedInShort: String {
    obstacle?.short ?? ([bar] + parts.prefix(1)).joined(separator: "  ")
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

  /// `then 84 BPM, step 2/16`, and the number of failed trials; or the target of a jump.
  var next: String {
    if let jump { return jump }
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
