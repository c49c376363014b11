import MIDI
import MusicTime

/// The MIDI output: the clicks as notes, and a MIDI clock.
struct MIDIOut: ~Copyable {
  private var noteSender = NoteSender()
  // Machines start at sixteenths: MIDI has no finer song positions.
  private var clockSender = ClockSender(halvings: 0, entry: SongPosition.pulsesPerSixteenth)
  /// The period's ports; nil if not needed.
  private var notes: MIDILine?
  private var clock: MIDILine?
  /// Whether the period has any of them.
  private var isOpen = false
  /// Messages for later periods.
  private let waitingNotes = DelayedMessages()
  private let waitingClock = DelayedMessages()

  deinit {
    waitingNotes.free()
    waitingClock.free()
  }

  /// Begins a period.
  /// - Parameters:
  ///   - score: its latency policy decides when messages are sent.
  ///   - enters: whether the music has entered another position of a transport. Then the waiting pulses are withdrawn, also
  ///   those that are due in this period: they would come after the message that stops the machines.
  /// - Thread: audio
  @_noLocks
  @inline(__always)
  mutating func open(_ outputs: Outputs, _ cycle: Cycle, _ score: UnsafePointer<Score>, enters: Bool) {
    // If the period has no MIDI ports and the previous one had none, nothing changes.
    guard outputs.notes != nil || outputs.clock != nil || isOpen else { return }
    // The withdrawn pulses were counted as sent.
    if enters, waitingClock.withdrawPulses(at: cycle.clock) { clockSender.move() }
    openLines(outputs, cycle, score.pointee.latency)
  }

  @_noLocks
  @inline(never)
  private mutating func openLines(
    _ outputs: Outputs, _ cycle: Cycle, _ policy: LatencyPolicy
  ) {
    let period = cycle.clock..<cycle.clock + Int64(cycle.frames)
    let latencies = cycle.latencies
    if let notes = outputs.notes {
      let delay = policy.delay(to: latencies.notes, latencies)
      self.notes = MIDILine(notes, waitingNotes, period: period, delay: delay)
    } else {
      notes = nil
    }
    if let clock = outputs.clock {
      let delay = policy.delay(to: latencies.clock, latencies)
      self.clock = MIDILine(clock, waitingClock, period: period, delay: delay)
    } else {
      clock = nil
    }
    isOpen = notes != nil || clock != nil
  }

  /// Sends a note for a click that begins.
  /// - Parameters:
  ///   - number: the note.
  ///   - level: 0…1, scaled to the velocity; at 0 nothing is sent.
  /// - Thread: audio
  @_noLocks
  mutating func begin(_ number: UInt8, level: Float, _ score: UnsafePointer<Score>, at frame: ClockFrame) {
    guard let notes, level > 0 else { return }
    let output = score.pointee.notes
    noteSender.begin(
      channel: output.channel, number: number,
      velocity: UInt8(max(1, min(127, level * 127 + 0.5))),
      length: Int64(output.length) * Int64(score.pointee.sampleRate) / 1_000, at: frame, on: notes)
  }

  /// Sends note offs and the clock for a part of the period in which nothing changes.
  /// - Parameter isEnding: whether Tactus ends, even if the transport rolls.
  /// - Thread: audio
  @_noLocks
  @inline(__always)
  mutating func send(
    _ range: Range<ClockFrame>, _ playback: borrowing Playback, _ source: borrowing TimeSource, isEnding: Bool
  ) {
    if isOpen { sendDue(range, playback, source, isEnding: isEnding) }
  }

  @_noLocks
  private mutating func sendDue(
    _ range: Range<ClockFrame>, _ playback: borrowing Playback, _ source: borrowing TimeSource, isEnding: Bool
  ) {
    if let notes { noteSender.release(before: range.upperBound, on: notes) }
    guard let clock else { return }
    let output = playback.score.pointee.clock
    if playback.nextOnset != .never, !isEnding {
      clockSender.send(
        range, playback, within: source.uncertainty,
        offset: playback.score.pointee.frames(milliseconds: output.offset),
        search: playback.score.pointee.frames(milliseconds: output.search),
        sendsBefore: output.runsWhileStopped, on: .midi(clock))
    } else {
      clockSender.stand(at: range.lowerBound, on: .midi(clock))
      if output.runsWhileStopped {
        let length = source.standingPulseLength(at: range.lowerBound, playback)
        clockSender.tick(range, length: length, on: clock)
      }
    }
  }

  /// Records that the music has moved to another position.
  /// - Thread: audio
  @_noLocks
  mutating func move() { clockSender.move() }

  /// Keeps the clock's count when the same position has another number of pulses in the score.
  /// - Thread: audio
  @_noLocks
  mutating func carry(from old: Int128, to new: Int128) { clockSender.carry(from: old, to: new) }

  /// Frames from a clock frame until all notes have ended.
  /// - Thread: audio
  @_noLocks
  @inline(__always)
  func longest(after frame: ClockFrame) -> Int {
    guard noteSender.isActive || !waitingNotes.isEmpty || !waitingClock.isEmpty else { return 0 }
    let last = max(waitingNotes.lastFrame, waitingClock.lastWordFrame)
    return max(noteSender.longest(after: frame), last < frame ? 0 : Int(last - frame + 1))
  }
}

/// The settings of the MIDI clock on the port `clock`.
package struct MIDIClockOutput: BitwiseCopyable, Hashable, Sendable {
  /// Whether to send pulses while the music is stopped and in a count-in, for machines that need the tempo before they start.
  package var runsWhileStopped = false
  /// Milliseconds by which the pulses follow the clicks; negative if they precede them.
  package var offset = 0.0
  /// Milliseconds that the machines take to find a song position: they continue at the first sixteenth after that.
  package var search = 0.0

  package init() {}
}
