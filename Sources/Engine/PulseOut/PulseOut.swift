import MusicTime

/// The clock as voltage: pulses, a level while the music plays, and a pulse where machines restart.
struct PulseOut: ~Copyable {
  private var sender = ClockSender(halvings: PulseLine.halvings, entry: 1)
  private let gates = PulseLine.Gates()
  /// The period's ports; nil if not needed.
  private var line: PulseLine?

  deinit { gates.free() }

  /// Begins a period.
  /// - Parameter score: defines the pulses and when they are sent.
  /// - Thread: audio
  @_noLocks
  @inline(__always)
  mutating func open(_ outputs: Outputs, _ cycle: Cycle, _ score: UnsafePointer<Score>) {
    if outputs.pulses != nil {
      openLine(cycle, score)
    } else {
      line = nil
    }
  }

  @_noLocks
  @inline(never)
  private mutating func openLine(_ cycle: Cycle, _ score: UnsafePointer<Score>) {
    line = PulseLine(
      gates, score.pointee.pulses, period: cycle.clock..<cycle.clock + Int64(cycle.frames),
      sampleRate: score.pointee.sampleRate,
      delay: score.pointee.latency.delay(to: cycle.latencies.pulse, cycle.latencies))
  }

  /// Withdraws the waiting pulses, because the music has entered another position of a transport.
  /// - Thread: audio
  @_noLocks
  mutating func enter(at clock: ClockFrame) {
    guard let line else { return }
    // The withdrawn pulses were counted as sent.
    if line.withdraw(from: clock) { sender.move() }
  }

  /// Sends the pulses of a part of the period in which nothing changes.
  /// - Parameter isEnding: whether Tactus ends, even if the transport rolls.
  /// - Thread: audio
  @_noLocks
  @inline(__always)
  mutating func send(
    _ range: Range<ClockFrame>, _ playback: borrowing Playback, _ source: borrowing TimeSource, isEnding: Bool
  ) {
    if line != nil { sendDue(range, playback, source, isEnding: isEnding) }
  }

  @_noLocks
  @inline(never)
  private mutating func sendDue(
    _ range: Range<ClockFrame>, _ playback: borrowing Playback, _ source: borrowing TimeSource, isEnding: Bool
  ) {
    guard let line else { return }
    if playback.nextOnset != .never, !isEnding {
      let output = playback.score.pointee.pulses
      sender.send(
        range, playback, within: source.uncertainty,
        offset: playback.score.pointee.frames(milliseconds: output.offset), search: 0, sendsBefore: false,
        on: .pulses(line))
    } else {
      sender.stand(at: range.lowerBound, on: .pulses(line))
      line.stand(at: range.lowerBound)
    }
  }

  /// Records that the music has moved to another position.
  /// - Thread: audio
  @_noLocks
  mutating func move() { sender.move() }

  /// Keeps the count over a change of the score while the music plays.
  /// - Thread: audio
  @_noLocks
  mutating func carry(over change: ClockSender.Change) { sender.carry(over: change) }

  /// Ends a period.
  /// - Thread: audio
  @_noLocks
  func close(_ outputs: Outputs) {
    if let line, let pulses = outputs.pulses { line.render(into: pulses) }
  }
}
