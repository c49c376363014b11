import MIDI
import MusicTime

/// The MIDI output: the clicks as notes, and a MIDI clock.
struct MIDIOut: ~Copyable {
  /// The ports of a period; nil for those that are not needed.
  private struct Ports: BitwiseCopyable {
    let notes: MIDIBuffer?
    let clock: MIDIBuffer?
    /// The clock frame of the period's first sample, and that after its last.
    let start: ClockFrame
    let end: ClockFrame
    /// Frames from a message's nominal frame to the frame on which it is sent.
    let notesDelay: Int64
    let clockDelay: Int64
  }

  private var noteSender = NoteSender()
  // Machines start at sixteenths: MIDI has no finer song positions.
  private var clockSender = ClockSender(halvings: 0, entry: SongPosition.pulsesPerSixteenth)
  /// The period's ports; nil without any.
  private var ports: Ports?
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
    guard outputs.notes != nil || outputs.clock != nil else {
      ports = nil
      return
    }
    // The withdrawn pulses were counted as sent.
    if enters, waitingClock.withdrawPulses(at: cycle.clock) { clockSender.move() }
    let policy = score.pointee.latency
    ports = Ports(
      notes: outputs.notes, clock: outputs.clock,
      start: cycle.clock, end: cycle.clock + Int64(cycle.frames),
      notesDelay: policy.delay(to: cycle.latencies.notes, cycle.latencies),
      clockDelay: policy.delay(to: cycle.latencies.clock, cycle.latencies))
    if !waitingNotes.isEmpty || !waitingClock.isEmpty { sendWaiting() }
  }

  @_noLocks
  @inline(never)
  private func sendWaiting() {
    notes?.sendWaiting()
    clock?.sendWaiting()
  }

  /// The period's messages of the port `notes`.
  private var notes: MIDILine? {
    @_noLocks get {
      guard let ports, let buffer = ports.notes else { return nil }
      return MIDILine(buffer, waitingNotes, period: ports.start..<ports.end, delay: ports.notesDelay)
    }
  }

  /// The period's messages of the port `clock`.
  private var clock: MIDILine? {
    @_noLocks get {
      guard let ports, let buffer = ports.clock else { return nil }
      return MIDILine(buffer, waitingClock, period: ports.start..<ports.end, delay: ports.clockDelay)
    }
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
    guard let ports else { return }
    let plays = playback.nextOnset != .never && !isEnding
    // Almost all periods are without a message.
    let clockRests = ports.clock == nil || plays && clockSender.rests(through: range, playback)
    if clockRests, !noteSender.isDue(before: range.upperBound) { return }
    sendDue(range, playback, source, plays: plays, clockRests: clockRests)
  }

  // Not inline, so that most periods do not load its code.
  @_noLocks
  @inline(never)
  private mutating func sendDue(
    _ range: Range<ClockFrame>, _ playback: borrowing Playback, _ source: borrowing TimeSource,
    plays: Bool, clockRests: Bool
  ) {
    if let notes { noteSender.release(before: range.upperBound, on: notes) }
    guard !clockRests, let clock else { return }
    let output = playback.score.pointee.clock
    if plays {
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

  /// The clock frame until which nothing is sent if nothing changes after a period; `earliest` if that is not known.
  /// - Parameter clock: the end of the period.
  /// - Thread: audio
  @_noLocks
  func restEnd(at clock: ClockFrame, _ playback: borrowing Playback) -> ClockFrame {
    guard let ports else { return .never }
    guard waitingNotes.isEmpty, waitingClock.isEmpty else { return .earliest }
    let steps = ports.clock == nil ? .never : clockSender.restEnd(at: clock, playback)
    return min(steps, noteSender.firstEnd)
  }

  /// Passes periods that lie before `restEnd`.
  /// - Parameter clock: the end of the last one.
  /// - Thread: audio
  @_noLocks
  mutating func rest(until clock: ClockFrame) {
    if ports?.clock != nil { clockSender.rest(until: clock) }
  }

  /// Records that the music has moved to another position.
  /// - Thread: audio
  @_noLocks
  mutating func move() { clockSender.move() }

  /// Sends machines that were connected to the port `clock` at a clock frame to the music's position, unless they have been sent
  /// to it since.
  /// - Thread: audio
  @_noLocks
  mutating func placeMachines(connectedAt frame: ClockFrame) {
    clockSender.place(connectedAt: frame - (ports?.clockDelay ?? 0))
  }

  /// Keeps the clock's count over a change of the score while the music plays.
  /// - Thread: audio
  @_noLocks
  mutating func carry(over change: ClockSender.Change) { clockSender.carry(over: change) }

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
