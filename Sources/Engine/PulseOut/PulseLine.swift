import MusicTime

/// The pulses of one period, by clock frames.
struct PulseLine: BitwiseCopyable {
  /// One halving of the 24 pulses per quarter note: 48 steps per quarter note.
  static var halvings: Int { @_noLocks get { 1 } }

  /// How far a position may lie before its bar line, because positions are rounded.
  private static var tolerance: FrameDuration { @_noLocks get { FrameDuration(raw: 1 << 48) } }

  /// The signals of the three ports, and the state of their clock.
  struct Gates: BitwiseCopyable {
    let pulse = Gate()
    let run = Gate()
    let reset = Gate()
    fileprivate let state: UnsafeMutablePointer<State>

    init() {
      state = .allocate(capacity: 1)
      state.initialize(to: State())
    }

    /// Frees the memory. No copy may be used afterwards.
    func free() {
      pulse.free()
      run.free()
      reset.free()
      state.deallocate()
    }
  }

  fileprivate struct State: BitwiseCopyable {
    /// The step after the last one that was sent.
    var next: Int64?
    /// Whether the next bar line resets the machines.
    var resets = false
  }

  private let gates: Gates
  private let output: PulseOutput
  /// The clock frame of the period's first sample, and that after its last.
  private let start: ClockFrame
  private let end: ClockFrame
  private let sampleRate: Int
  /// Frames from a pulse's nominal frame to the frame on which it is sent.
  private let delay: Int64

  /// - Thread: audio
  @_noLocks
  init(_ gates: Gates, _ output: PulseOutput, period: Range<ClockFrame>, sampleRate: Int, delay: Int64) {
    (self.gates, self.output) = (gates, output)
    (start, end) = (period.lowerBound, period.upperBound)
    (self.sampleRate, self.delay) = (sampleRate, delay)
  }

  // MARK: The clock

  /// Raises `run`, because the music plays from a step on.
  /// - Returns: whether there was room.
  /// - Thread: audio
  @_noLocks
  func start(with step: Int64, at clock: ClockFrame) -> Bool {
    if step != gates.state.pointee.next { gates.state.pointee.resets = true }
    return gates.run.isHigh || raise(gates.run, at: clock, for: nil)
  }

  /// Sends the pulses of a step.
  /// - Returns: false if there is no room.
  /// - Thread: audio
  @_noLocks
  func send(_ step: ClockStep, _ playhead: borrowing Playhead, at clock: ClockFrame) -> Bool {
    gates.state.pointee.next = step.number + 1
    let spacing = Int64(PulseOutput.mostPerQuarter / output.perQuarter)
    if gates.state.pointee.resets, beginsBar(step, playhead) {
      gates.state.pointee.resets = false
      _ = raise(gates.reset, at: clock, for: length(from: step, to: spacing, playhead))
    }
    guard step.inScore % spacing == 0 else { return true }
    return raise(gates.pulse, at: clock, for: length(from: step, to: spacing, playhead))
  }

  /// Lowers `run`, because the music has stopped.
  /// - Thread: audio
  @_noLocks
  func stand(at clock: ClockFrame) {
    if gates.run.isHigh { gates.run.lower(at: clock + delay) }
  }

  /// Withdraws the pulses that have not begun at a frame.
  /// - Returns: whether there were any.
  /// - Thread: audio
  @_noLocks
  func withdraw(from clock: ClockFrame) -> Bool {
    let hasReset = gates.reset.withdraw(from: clock)
    return gates.pulse.withdraw(from: clock) || hasReset
  }

  /// Renders the period.
  /// - Thread: audio
  @_noLocks
  func render(into buffers: Outputs.Pulses) {
    gates.pulse.render(start..<end, level: output.level, into: buffers.pulse)
    gates.run.render(start..<end, level: output.level, into: buffers.run)
    gates.reset.render(start..<end, level: output.level, into: buffers.reset)
  }

  // MARK: Inside

  @_noLocks
  private func raise(_ gate: Gate, at clock: ClockFrame, for length: Int64?) -> Bool {
    // All machines detect a pulse of one millisecond.
    gate.raise(
      at: max(clock + delay, start), for: length, rendered: start,
      least: Int64(sampleRate / 1_000))
  }

  /// Whether a step is the first in its bar.
  @_noLocks
  private func beginsBar(_ step: ClockStep, _ playhead: borrowing Playhead) -> Bool {
    bar(ofStep: step.inScore, step, playhead) != bar(ofStep: step.inScore - 1, step, playhead)
  }

  @_noLocks
  private func bar(ofStep number: Int64, _ step: ClockStep, _ playhead: borrowing Playhead) -> Int {
    let time = step.segment.time(ofStep: number, halvings: PulseLine.halvings)
    return playhead.position(at: time + PulseLine.tolerance).bar
  }

  /// The length of a pulse in frames: at most half the distance to the next.
  /// - Parameter spacing: steps to the next pulse.
  @_noLocks
  private func length(from step: ClockStep, to spacing: Int64, _ playhead: borrowing Playhead) -> Int64 {
    let number = step.inScore
    let start = step.segment.time(ofStep: number, halvings: PulseLine.halvings)
    var end = step.segment.time(ofStep: number + spacing, halvings: PulseLine.halvings)
    if end > step.segment.end, step.segment.end > start {
      end = playhead.segment(at: step.segment.end).time(
        ofStep: number + spacing, halvings: PulseLine.halvings)
    }
    let half = (end - start).framesRoundedDown / 2
    return max(1, min(Int64(output.length * Double(sampleRate) / 1_000 + 0.5), half))
  }
}
