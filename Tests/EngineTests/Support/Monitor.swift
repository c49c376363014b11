import Engine
import MusicTime

/// Predicts an engine's output in each period, and counts deviations.
struct Monitor {
  struct Change {
    let layout: Timekeeper.Layout
    let clips: ClipSet
    let generation: Int
    let gains: Gains
    let quantise: Quantise
  }

  struct ScoreUpdate {
    let change: Change?
    var scheduled: [(frame: ClockFrame, before: Change, after: Change)] = []
  }

  private(set) var time: Timekeeper
  private(set) var mixer: Mixer
  private var current: Change
  /// Published changes that have not taken effect: the change, and the scheduled ones.
  private var pending: Change?
  private var scheduled: [(frame: ClockFrame, before: Change, after: Change)] = []
  private var commands: [Command] = []
  private(set) var isRolling = false
  private var startPosition = (bar: 1, beats: 0.0)
  private var events: ArraySlice<Event> = []
  private(set) var faults: [String] = []
  private(set) var clicks = 0

  init(_ change: Change) {
    time = Timekeeper(change.layout)
    mixer = Mixer(change.gains)
    current = change
  }

  var generation: Int { min(mixer.oldestGeneration, current.generation) }

  /// Checks a period, with the changes that were sent just before it.
  mutating func period(
    _ range: Range<ClockFrame>, update: ScoreUpdate?, commands new: [Command], events: ArraySlice<Event>
  ) {
    self.events = events
    if let update {
      (pending, scheduled) = (update.change, update.scheduled)
      if let change = update.change { mixer.move(to: change.gains, at: range.lowerBound) }
    }
    for command in new {
      let due = Command(command.action, at: max(command.frame ?? range.lowerBound, range.lowerBound))
      let index = commands.firstIndex { $0.frame! > due.frame! } ?? commands.count
      commands.insert(due, at: index)
    }
    if adoptsAtOnce { adoptAll(at: range.lowerBound) }
    var frame = range.lowerBound
    while frame < range.upperBound {
      adoptAll(at: frame)
      while let command = commands.first, command.frame! <= frame {
        perform(commands.removeFirst().action, at: frame)
      }
      let moments = [commands.first?.frame, lineFrame, scheduled.first?.frame].compactMap(\.self)
      let next = min(moments.min() ?? .never, range.upperBound)
      expectClicks(in: frame..<max(next, frame + 1))
      frame = max(next, frame + 1)
    }
    if let extra = events.isEmpty ? nil : self.events.first { fault("unforeseen \(extra)") }
  }

  private var adoptsAtOnce: Bool {
    guard let pending else { return false }
    return pending.quantise == .now || !isRolling
  }

  private var lineFrame: ClockFrame? {
    guard let pending else { return nil }
    return adoptsAtOnce ? .earliest : time.line(pending.quantise)
  }

  /// Applies all changes that are due, the earliest first; a change that waits for its line comes before one with a date.
  private mutating func adoptAll(at frame: ClockFrame) {
    while true {
      let (line, date) = (lineFrame ?? .never, scheduled.first?.frame ?? .never)
      guard min(line, date) <= frame else { return }
      if let next = pending, line <= date {
        pending = nil
        adopt(next, at: frame, onLine: next.quantise != .now && isRolling)
      } else {
        let next = scheduled.removeFirst()
        // The dated change modifies the waiting one, which then takes effect on its line.
        let isBefore = pending != nil
        if isBefore { pending = next.after }
        adopt(isBefore ? next.before : next.after, at: frame, onLine: false)
      }
    }
  }

  private mutating func adopt(_ next: Change, at frame: ClockFrame, onLine: Bool) {
    if isRolling, time.nextTime < Double(frame.number) - 0.501 { fault("lost before \(frame)") }
    startPosition = next.layout.normalised(
      bar: startPosition.bar, beats: time.layout.place(startPosition.beats, in: next.layout))
    time.change(to: next.layout, at: frame, onLine: onLine)
    mixer.move(to: next.gains, at: frame)
    current = next
  }

  private mutating func perform(_ action: Command.Action, at frame: ClockFrame) {
    switch action {
    case .start where !isRolling, .countIn where !isRolling:
      isRolling = true
      time.locate(bar: startPosition.bar, beats: startPosition.beats, at: Double(frame.number))
      expect("started(\(frame))")
    case .stop:
      startPosition = (1, 0)
      if isRolling { expect("stopped(\(frame))") }
      isRolling = false
    case .pause, .jump, .cancelJump, .repeats, .stopAtBar, .endAtBar, .placeMachines: break
    case .locate(let position):
      let place = (bar: position.bar, beats: Double(position.beat - 1) + position.fraction)
      if isRolling {
        time.locate(bar: place.bar, beats: place.beats, at: Double(frame.number))
      } else {
        startPosition = place
      }
    case .start, .countIn: break
    }
  }

  /// Checks that exactly the onsets that are due in a range were reported.
  private mutating func expectClicks(in range: Range<ClockFrame>) {
    guard isRolling else { return }
    while time.nextTime < Double(range.upperBound.number) - 0.5 {
      let onset = time.next
      guard case .beat(let beat) = events.popFirst() else { return fault("missing in \(range)") }
      let isRight =
        abs(Double(beat.frame.number) - time.nextTime) < 0.501 && range.contains(beat.frame)
        && beat.bar == time.bar
        && beat.beat == onset.beat && beat.role == onset.role && beat.strength == onset.strength
      if !isRight { fault("\(beat) for bar \(time.bar) \(onset) at \(time.nextTime)") }
      if onset.strength > 0 {
        mixer.begin(
          current.clips[onset.role], role: onset.role, strength: onset.strength,
          generation: current.generation,
          at: beat.frame)
      }
      clicks += 1
      time.advance()
    }
  }

  private mutating func expect(_ text: String) {
    let event = events.popFirst().map { "\($0)" } ?? "nothing"
    if event != text { fault("\(event) for \(text)") }
  }

  private mutating func fault(_ text: String) {
    if faults.count < 20 { faults.append(text) }
  }

  /// Compares the output of a period; returns the number of samples that differ.
  mutating func compare(_ recording: Rig.Recording, until end: ClockFrame) -> Int {
    mixer.compare(recording, until: end)
  }
}
