import MIDI

/// Judges the sent MIDI clock: between two beats on their exact frames there is the exact number of pulses, each within a frame
/// of its even share, and the first on the beat's own frame. Machines that have been started or placed count the pulses of the music.
struct PulseJudge {
  /// A beat on its exact frame.
  struct Beat {
    let frame: Int64
    let bar: Int
    let beat: Int
    let meter: ExactBar
    /// Whether all bars are alike, so that the beat's place determines its pulse: not in a document.
    let barsAreAlike: Bool
  }

  /// Where the machines were started or placed.
  private struct Entry {
    let frame: Int64
    /// Their count then.
    let count: Int
    /// Frames of the pulses since.
    var pulses: [Int64] = []
    /// Whether they count the music's pulses, as from its start; otherwise, as after a change of meter and a pause, only its sixteenths.
    var isExact: Bool
  }

  /// Frames of the pulses since the last beat.
  private var pulses: [Int64] = []
  private var last: Beat?
  /// Whether the receiving machines run; nil if that is unknown.
  private var isRunning: Bool?
  /// The frame of their last start or continue, which may be that of a sixteenth after a beat.
  private var start = Int64.min
  /// Whether the meter has changed since the music's start. Machines then count the bars as they were played.
  private var hasChangedMeter = false
  /// The last song position since the machines were stopped, in pulses.
  private var position: Int?
  /// Until the next beat is judged.
  private var entry: Entry?
  private(set) var judged = 0
  /// The number of starts and places judged.
  private(set) var places = 0

  /// Forgets the last beat, and where the machines were placed, because the music may have moved.
  mutating func forget() { (last, entry) = (nil, nil) }

  /// Forgets the last beat, but not where the machines started or were placed: they count on to the next beat that is judged.
  mutating func skip() {
    last = nil
    if let count = entry?.count, count > 0 { entry?.isExact = false }
  }

  /// Notes that the meter changes.
  mutating func noteMeter() {
    hasChangedMeter = true
    entry?.isExact = false
  }

  /// Forgets all but the counts: what was sent has been lost.
  /// - Parameter isNewLife: whether the program has lost its own state, too.
  mutating func restart(isNewLife: Bool) {
    var next = PulseJudge()
    (next.judged, next.places, next.hasChangedMeter) = (judged, places, hasChangedMeter && !isNewLife)
    self = next
  }

  mutating func receive(_ message: SentMIDI) {
    switch message.message {
    case .start:
      (isRunning, start, hasChangedMeter) = (true, message.frame, false)
      entry = Entry(frame: message.frame, count: 0, isExact: true)
    case .continue:
      (isRunning, start) = (true, message.frame)
      entry = position.map { Entry(frame: message.frame, count: $0, isExact: !hasChangedMeter) }
    case .songPosition(let place): position = Int(place.sixteenths) * Int(SongPosition.pulsesPerSixteenth)
    case .stop: (isRunning, last, entry, position) = (false, nil, nil, nil)
    case .clock:
      pulses.append(message.frame)
      entry?.pulses.append(message.frame)
      if isRunning == nil { isRunning = true }
    default: break
    }
    // Pulses without beats are not needed.
    guard pulses.count > 10_000 else { return }
    pulses.removeFirst(5_000)
    entry = nil
  }

  /// - Parameters:
  ///   - beat: the next beat; all pulses before it have been received.
  ///   - gaps: missed cycles, in which nothing is sent.
  /// - Returns: the fault; nil if there is none.
  mutating func judge(_ beat: Beat, _ gaps: Gaps) -> String? {
    defer {
      pulses.removeAll { $0 < beat.frame }
      last = isRunning == true && start <= beat.frame ? beat : nil
      if let entry, entry.frame <= beat.frame { self.entry = nil }
    }
    if let fault = judgeEntry(beat, gaps) { return fault }
    // At the end of a gap come the pulses that were missed in it; this may be on the last beat's own frame.
    guard isRunning == true, let last, !gaps.lie(between: last.frame - 1, and: beat.frame) else { return nil }
    let isNextBar = beat.bar == last.bar + 1 && beat.beat == 1
    guard isNextBar || (beat.bar, beat.beat - 1) == (last.bar, last.beat) else { return nil }
    let count = last.meter.pulses(from: last.beat, toNextBar: isNextBar)
    let between = pulses.filter { $0 >= last.frame && $0 < beat.frame }
    let what =
      "from beat \(last.bar).\(last.beat) at frame \(last.frame) to \(beat.bar).\(beat.beat) at \(beat.frame)"
    guard between.count == count else { return "\(between.count) pulses instead of \(count) \(what)" }
    guard between.first == last.frame else { return "no pulse is on the beat \(what)" }
    for (index, pulse) in between.enumerated() {
      // Both beats are within half a frame of their exact times, and so is the pulse.
      let share = (beat.frame - last.frame) * Int64(index)
      guard abs((pulse - last.frame) * Int64(count) - share) <= Int64(count) else {
        return "pulse \(index) of \(count) is at frame \(pulse) \(what)"
      }
    }
    judged += between.count
    return nil
  }

  /// Judges what machines have counted at the first beat that is judged after their start.
  private mutating func judgeEntry(_ beat: Beat, _ gaps: Gaps) -> String? {
    guard let entry, isRunning == true, entry.frame <= beat.frame, beat.barsAreAlike, beat.bar > 0,
      !gaps.lie(between: entry.frame - 1, and: beat.frame)
    else { return nil }
    let count = entry.count + entry.pulses.count { $0 < beat.frame }
    let place = beat.meter.pulses(beforeBar: beat.bar, beat: beat.beat)
    // Later positions can't be sent.
    guard place <= 16_383 * Int(SongPosition.pulsesPerSixteenth) else { return nil }
    let isRight = entry.isExact ? count == place : (count - place) % Int(SongPosition.pulsesPerSixteenth) == 0
    guard isRight else {
      return
        "machines that were placed at frame \(entry.frame) on pulse \(entry.count) have counted \(count) pulses instead "
        + "of \(place) at beat \(beat.bar).\(beat.beat) at frame \(beat.frame)"
    }
    places += 1
    return nil
  }
}

/// A sent message and its clock frame.
struct SentMIDI {
  let frame: Int64
  let message: MIDIMessage
}
