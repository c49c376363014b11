import Engine
import MusicTime

/// Foretells what an engine does in each period, and counts where it does something else.
struct Monitor {
  struct Change {
    let layout: Timekeeper.Layout
    let clips: ClipSet
    let generation: Int
    let gains: Gains
    let quantise: Quantise
    let effective: Int64?
  }

  private(set) var time: Timekeeper
  private(set) var mixer: Mixer
  private var current: Change
  private var pending: Change?
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

  /// A period with what the control side sent just before it.
  mutating func period(
    _ range: Range<Int64>, change: Change?, commands new: [Command], events: ArraySlice<Event>
  ) {
    self.events = events
    if let change {
      pending = change
      if change.effective == nil { mixer.move(to: change.gains, at: range.lowerBound) }
    }
    for command in new {
      let due = Command(command.action, at: max(command.frame ?? range.lowerBound, range.lowerBound))
      let index = commands.firstIndex { $0.frame! > due.frame! } ?? commands.count
      commands.insert(due, at: index)
    }
    if adoptsAtOnce { adopt(at: range.lowerBound) }
    var frame = range.lowerBound
    while frame < range.upperBound {
      if let due = pendingFrame, due <= frame { adopt(at: frame) }
      while let command = commands.first, command.frame! <= frame {
        perform(commands.removeFirst().action, at: frame)
      }
      let next = min(commands.first?.frame ?? .max, pendingFrame ?? .max, range.upperBound)
      expectClicks(in: frame..<max(next, frame + 1))
      frame = max(next, frame + 1)
    }
    if let extra = events.isEmpty ? nil : self.events.first { fault("unforeseen \(extra)") }
  }

  private var adoptsAtOnce: Bool {
    guard let pending, pending.effective == nil else { return false }
    return pending.quantise == .now || !isRolling
  }

  private var pendingFrame: Int64? {
    guard let pending else { return nil }
    return pending.effective ?? (adoptsAtOnce ? .min : time.line(pending.quantise))
  }

  private mutating func adopt(at frame: Int64) {
    guard let next = pending else { return }
    if isRolling, time.nextTime < Double(frame) - 0.501 { fault("lost before \(frame)") }
    let onLine = next.effective == nil && next.quantise != .now && isRolling
    time.change(to: next.layout, at: frame, onLine: onLine)
    mixer.move(to: next.gains, at: frame)
    (current, pending) = (next, nil)
  }

  private mutating func perform(_ action: Command.Action, at frame: Int64) {
    switch action {
    case .start where !isRolling:
      isRolling = true
      time.locate(bar: startPosition.bar, beats: startPosition.beats, at: Double(frame))
      expect("started(\(frame))")
    case .stop:
      startPosition = (1, 0)
      if isRolling { expect("stopped(\(frame))") }
      isRolling = false
    case .pause, .jump, .hold: break
    case .locate(let position):
      let place = (bar: position.bar, beats: Double(position.beat - 1) + position.fraction)
      if isRolling {
        time.locate(bar: place.bar, beats: place.beats, at: Double(frame))
      } else {
        startPosition = place
      }
    case .start: break
    }
  }

  /// All onsets that are due in a range, and no others, must have been told.
  private mutating func expectClicks(in range: Range<Int64>) {
    guard isRolling else { return }
    while time.nextTime < Double(range.upperBound) - 0.5 {
      let onset = time.next
      guard case .beat(let beat) = events.popFirst() else { return fault("missing in \(range)") }
      let isRight =
        abs(Double(beat.frame) - time.nextTime) < 0.501 && range.contains(beat.frame) && beat.bar == time.bar
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

  /// Compares what came out of a period; returns how many samples differ.
  mutating func compare(_ recording: Rig.Recording, until end: Int64) -> Int {
    mixer.compare(recording, until: end)
  }
}
