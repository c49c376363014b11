import MusicTime

/// Leads a player through the steps of a section: to the next one when a goal is reached, back after several failures.
///
/// It has no clock: it receives the clicks, the verdicts on hits, and the frame up to which all verdicts are known.
package struct Coach: Sendable {
  /// The goal of a section, and the steps after a trial.
  package struct Plan: Hashable, Sendable {
    package var goal: TimingGoal
    /// Steps forward after a successful trial, at least 1.
    package var up: Int
    /// Consecutive failed trials after which the coach goes back; nil to never go back.
    package var patience: Int?
    /// Steps back, at least 1.
    package var down: Int
    /// Whether the section ends after a successful trial of its last step.
    package var isOverAtTop: Bool

    package init(
      goal: TimingGoal, up: Int = 1, patience: Int? = nil, down: Int = 1, isOverAtTop: Bool = true
    ) {
      (self.goal, self.up, self.patience, self.down) = (goal, up, patience, down)
      self.isOverAtTop = isOverAtTop
    }
  }

  /// Where the music is in a coached section.
  package struct Place: Equatable, Sendable {
    /// The number of the section in playing order: a repeat has a number of its own.
    package var section: Int
    /// The current step, from 0.
    package var step: Int
    /// The number of steps, at least 1.
    package var steps: Int

    package init(section: Int, step: Int, steps: Int) {
      (self.section, self.step, self.steps) = (section, step, steps)
    }
  }

  /// What follows a trial.
  package enum Move: Equatable, Sendable {
    /// Go to a step, from 0.
    case step(Int)
    /// Repeat the step, after this number of consecutive failures; 0 after a successful trial of the last step.
    case again(Int)
    /// End the section.
    case done
  }

  /// The result of a trial.
  package struct Advice: Equatable, Sendable {
    package var place: Place
    package var trial: Trial
    /// The values that missed the goal, as `TimingGoal.shortfall` describes them; empty if it was reached.
    package var shortfall: [String]
    package var move: Move
  }

  /// The intermediate result of the current trial.
  package struct Standing: Equatable, Sendable {
    /// Completed bars.
    package var bars = 0
    package var trial = Trial()
    /// Consecutive failed trials before this one.
    package var failures = 0

    package init() {}
  }

  /// The clicks of a trial, and the hits on them.
  private struct Window: Sendable {
    var begin: ClockFrame
    /// The first frame after it; nil for the current trial.
    var end: ClockFrame?
    /// Completed bars.
    var bars = 0
    var missed = 0
    var missedSilent = 0
    var take: Take
    /// The deviations of the tempos of silent bars from the click's, in percent.
    var tempos: [Double] = []
  }

  private let sampleRate: Int
  private let plan: Plan
  private var place: Place
  /// Completed trials whose verdicts are not all known, and the current one.
  private var windows: [Window] = []
  /// The bar of the last click.
  private var bar: Int?
  private var failures = 0
  /// Whether it has advised to leave the step: later hits on it do not count.
  private var isLeaving = false

  /// Makes a coach whose first trial begins with the next bar.
  package init(_ plan: Plan, at place: Place, sampleRate: Int) {
    (self.plan, self.place, self.sampleRate) = (plan, place, sampleRate)
  }

  /// Completed bars of the current trial.
  var bars: Int { windows.last?.bars ?? 0 }

  /// Whether a completed trial waits to be judged.
  package var isWaiting: Bool { windows.contains { $0.end != nil } }

  /// The intermediate result of the current trial.
  /// - Parameter policy: the target and the width of the window.
  package func standing(_ policy: TimeChecker.Policy) -> Standing {
    var standing = Standing()
    standing.failures = failures
    guard let window = windows.last, window.end == nil else { return standing }
    (standing.bars, standing.trial) = (window.bars, Coach.trial(window, policy))
    return standing
  }

  /// Notes that the music continues at a place. At another place a new trial begins.
  package mutating func go(to place: Place) {
    guard place != self.place else { return }
    if place.step != self.place.step { failures = 0 }
    self.place = place
    begin()
  }

  /// Discards the trials and begins a new one with the next bar. Call it when the music has moved or stopped.
  package mutating func begin() { (windows, bar, isLeaving) = ([], nil, false) }

  /// Notes a beat, in order of time. Layers, parts of beats and the count-in are ignored.
  package mutating func note(_ onset: Onset) {
    guard !isLeaving, onset.bar > 0, onset.place.layer == 0, onset.place.part == 0 else { return }
    // A trial begins with a downbeat.
    guard onset.bar != bar, onset.place.beat == 1 || bar != nil else { return }
    bar = onset.bar
    if let last = windows.indices.last, windows[last].end == nil {
      windows[last].bars += 1
      guard windows[last].bars >= plan.goal.bars else { return }
      windows[last].end = onset.frame
    }
    windows.append(Window(begin: onset.frame, take: Take(sampleRate: sampleRate)))
  }

  /// Notes a verdict.
  package mutating func note(_ verdict: Judge.Verdict) {
    let frame: ClockFrame
    switch verdict {
    case .hit(let judged): frame = judged.onset.frame
    case .missed(let onset): frame = onset.frame
    case .flam, .extra: return
    }
    guard let index = windows.lastIndex(where: { $0.begin <= frame }),
      frame < windows[index].end ?? .never
    else { return }
    if case .missed(let onset) = verdict {
      windows[index].missed += 1
      if onset.isSilent { windows[index].missedSilent += 1 }
    } else {
      windows[index].take.note(verdict)
    }
  }

  /// Notes the player's tempo in silent bars.
  package mutating func note(_ report: SilentBarsReport) {
    guard let faster = report.faster, let index = windows.lastIndex(where: { $0.begin <= report.begin }),
      report.begin < windows[index].end ?? .never
    else { return }
    windows[index].tempos.append(abs(faster.value))
  }

  /// Judges the oldest completed trial.
  /// - Parameters:
  ///   - judged: the clock frame before which all clicks have their verdict.
  ///   - policy: the target and the width of the window.
  /// - Returns: nil if no trial is complete, or if the player rested in it.
  package mutating func settle(judged: ClockFrame, policy: TimeChecker.Policy) -> Advice? {
    guard let window = windows.first, let end = window.end, judged >= end else { return nil }
    windows.removeFirst()
    let trial = Coach.trial(window, policy)
    // Without strokes the player rests. With the tempo of silent bars alone, all strokes may be far from the click.
    guard trial.hits > 0 || !window.tempos.isEmpty else { return nil }
    let shortfall = plan.goal.shortfall(trial)
    let move = shortfall.isEmpty ? afterSuccess() : afterFailure()
    if case .again = move {} else { isLeaving = true }
    if isLeaving { windows = [] }
    return Advice(place: place, trial: trial, shortfall: shortfall, move: move)
  }

  private static func trial(_ window: Window, _ policy: TimeChecker.Policy) -> Trial {
    let summary = window.take.summary()
    let clicks = summary.hits + window.missed
    var trial = Trial(
      hits: summary.hits, missed: clicks > 0 ? Double(window.missed) / Double(clicks) : 0,
      mean: summary.mean - policy.target, spread: summary.scatter?.spread.value)
    let silent = window.take.entries.filter { $0.isSilent && $0.isFirst }
    let silentClicks = silent.count + window.missedSilent
    if silentClicks > 0 {
      let inWindow = silent.count { abs($0.milliseconds - policy.target) <= policy.window }
      trial.silent = Double(inWindow) / Double(silentClicks)
    }
    if !window.tempos.isEmpty {
      trial.tempo = window.tempos.reduce(0, +) / Double(window.tempos.count)
    }
    return trial
  }

  private mutating func afterSuccess() -> Move {
    failures = 0
    let last = place.steps - 1
    if place.step < last { return .step(min(place.step + plan.up, last)) }
    return plan.isOverAtTop ? .done : .again(0)
  }

  private mutating func afterFailure() -> Move {
    failures += 1
    guard let patience = plan.patience, failures >= patience, place.step > 0 else { return .again(failures) }
    failures = 0
    return .step(max(place.step - plan.down, 0))
  }
}
