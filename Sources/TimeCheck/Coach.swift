/// Leads a player through the steps of a section: to the next one when a goal is reached, back after several failures.
///
/// A value without a clock: it is told the clicks and the verdicts on hits, and up to which frame all of them are known.
package struct Coach: Sendable {
  /// What a section demands, and what follows.
  package struct Plan: Hashable, Sendable {
    package var goal: TimingGoal
    /// Steps from one that is mastered to the next, at least 1.
    package var up: Int
    /// Trials in a row that fail until it goes back; nil: it never does.
    package var patience: Int?
    /// By how many steps it goes back, at least 1.
    package var down: Int
    /// Whether the section is over when its last step is mastered.
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
    /// The section as it is played: another round is another number.
    package var section: Int
    /// From 0.
    package var step: Int
    /// At least 1.
    package var steps: Int

    package init(section: Int, step: Int, steps: Int) {
      (self.section, self.step, self.steps) = (section, step, steps)
    }
  }

  /// What follows a trial.
  package enum Move: Equatable, Sendable {
    /// To a step, from 0.
    case step(Int)
    /// The same step once more. The number counts the failures in a row; 0 at the last step, which was mastered.
    case again(Int)
    /// The section is over.
    case done
  }

  /// A trial that is over.
  package struct Advice: Equatable, Sendable {
    package var place: Place
    package var trial: Trial
    /// What fell short of the goal; empty if it was reached.
    package var shortfall: [String]
    package var move: Move
  }

  /// How the trial that lasts stands.
  package struct Standing: Equatable, Sendable {
    /// Bars that are over.
    package var bars = 0
    package var trial = Trial()
    /// Trials in a row that failed before it.
    package var failures = 0

    package init() {}
  }

  /// The clicks of a trial, and the hits on them.
  private struct Window: Sendable {
    var begin: Int64
    /// The first frame after it; nil while it lasts.
    var end: Int64?
    var bars = 0
    var missed = 0
    var missedSilent = 0
    var take: Take
    /// How far the tempos of silent bars were from the click's, in percent.
    var tempos: [Double] = []
  }

  private let sampleRate: Int
  private let plan: Plan
  private var place: Place
  /// Windows that are not known completely yet, and the one that lasts.
  private var windows: [Window] = []
  /// The bar of the last click.
  private var bar: Int?
  private var failures = 0
  /// Whether it has advised to leave the step: what is still played there does not count.
  private var isLeaving = false

  package init(_ plan: Plan, at place: Place, sampleRate: Int) {
    (self.plan, self.place, self.sampleRate) = (plan, place, sampleRate)
  }

  /// Bars of the trial that lasts that are over.
  var bars: Int { windows.last?.bars ?? 0 }

  /// Whether a trial waits to be judged.
  package var isWaiting: Bool { windows.contains { $0.end != nil } }

  /// How the trial that lasts stands.
  package func standing(_ policy: TimeChecker.Policy) -> Standing {
    var standing = Standing()
    standing.failures = failures
    guard let window = windows.last, window.end == nil else { return standing }
    (standing.bars, standing.trial) = (window.bars, Coach.trial(window, policy))
    return standing
  }

  /// The music goes on at a place.
  package mutating func go(to place: Place) {
    guard place != self.place else { return }
    if place.step != self.place.step { failures = 0 }
    self.place = place
    begin()
  }

  /// Begins a trial with the next bar, as the music has moved or stopped.
  package mutating func begin() { (windows, bar, isLeaving) = ([], nil, false) }

  /// Notes a click.
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

  package mutating func note(_ verdict: Judge.Verdict) {
    let frame: Int64
    switch verdict {
    case .hit(let judged): frame = judged.onset.frame
    case .missed(let onset): frame = onset.frame
    case .flam, .extra: return
    }
    guard let index = windows.lastIndex(where: { $0.begin <= frame }),
      frame < windows[index].end ?? .max
    else { return }
    if case .missed(let onset) = verdict {
      windows[index].missed += 1
      if onset.isSilent { windows[index].missedSilent += 1 }
    } else {
      windows[index].take.note(verdict)
    }
  }

  /// Notes how the time was kept in silent bars.
  package mutating func note(_ report: QuietReport) {
    guard let faster = report.faster, let index = windows.lastIndex(where: { $0.begin <= report.begin }),
      report.begin < windows[index].end ?? .max
    else { return }
    windows[index].tempos.append(abs(faster.value))
  }

  /// Judges a trial that is over.
  /// - Parameters:
  ///   - judged: the frame before which all clicks have their verdict.
  ///   - policy: where the player wants to be, and how wide the window is.
  /// - Returns: nil if none is over, or if nothing was played in it.
  package mutating func settle(judged: Int64, policy: TimeChecker.Policy) -> Advice? {
    guard let window = windows.first, let end = window.end, judged >= end else { return nil }
    windows.removeFirst()
    let trial = Coach.trial(window, policy)
    // Who plays nothing rests. Who matches a tempo may be off the click all the time.
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
