import MIDI

/// Judges the sent MIDI clock: between two beats on their exact frames there is the exact number of pulses, each within a frame
/// of its even share, and the first on the beat's own frame.
struct PulseJudge {
  /// A beat on its exact frame.
  struct Beat {
    let frame: Int64
    let bar: Int
    let beat: Int
    let meter: ExactBar
  }

  /// Frames of the pulses since the last beat.
  private var pulses: [Int64] = []
  private var last: Beat?
  /// Whether the receiving machines run; nil if that is unknown.
  private var isRunning: Bool?
  private(set) var judged = 0

  /// Forgets the last beat, because the music may have moved.
  mutating func forget() { last = nil }

  mutating func receive(_ message: SentMIDI) {
    switch message.message {
    case .start, .continue: isRunning = true
    case .stop: (isRunning, last) = (false, nil)
    case .clock:
      pulses.append(message.frame)
      if isRunning == nil { isRunning = true }
    default: break
    }
    // Pulses without beats are not needed.
    if pulses.count > 10_000 { pulses.removeFirst(5_000) }
  }

  /// - Parameters:
  ///   - beat: the next beat; all pulses before it have been received.
  ///   - gaps: missed cycles, in which nothing is sent.
  /// - Returns: the fault; nil if there is none.
  mutating func judge(_ beat: Beat, _ gaps: Gaps) -> String? {
    defer {
      pulses.removeAll { $0 < beat.frame }
      last = isRunning == true ? beat : nil
    }
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
}

/// A sent message and its clock frame.
struct SentMIDI {
  let frame: Int64
  let message: MIDIMessage
}
