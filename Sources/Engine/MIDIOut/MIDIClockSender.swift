import MIDI
import MusicTime

/// Sends a MIDI clock, and tracks the positions of the machines that follow it.
///
/// They count pulses, so each pulse is sent once and in order, even if a change of the score moves the next ones. If the music
/// jumps, or has played more than a sixteenth without pulses, they are stopped and located.
struct MIDIClockSender: BitwiseCopyable {
  private enum State: BitwiseCopyable {
    case stopped
    /// The music plays, but the pulse on which they start or continue is still to come.
    case waiting(entry: Int64)
    case running
  }

  private var state = State.stopped
  /// The number of the next pulse: the score's count plus `carried`.
  private var next: Int64 = 0
  /// The last position of the music, in 2⁻⁶⁴ pulses.
  private var place: Int128 = 0
  /// Whole pulses by which the count is ahead of the score's, after a change of the length of earlier bars.
  private var carried: Int64 = 0
  /// The clock time of the last pulse, in 2⁻⁶⁴ frames.
  private var last: Int128 = 0

  /// Whether the music has been moved since the last range.
  private var hasMoved = false
  /// The current stretch without a pulse, if known; `place` is its start.
  private var rest: PulseRest?

  /// The first pulse that isn't before a position. Positions are rounded, so one may lie slightly after its pulse.
  @_noLocks
  private static func pulse(from place: Int128) -> Int64 { Int64((place - tolerance) >> 64) + 1 }

  private static var tolerance: Int128 { @_noLocks get { 1 << 48 } }
  /// A sixteenth, in 2⁻⁶⁴ pulses.
  private static var sixteenth: Int128 { @_noLocks get { Int128(SongPosition.pulsesPerSixteenth) << 64 } }

  @_noLocks
  init() {}

  /// Keeps the count when the same position has another number of pulses in another score: the next pulse stays the next.
  /// - Parameters:
  ///   - old: the position in the old score, in 2⁻⁶⁴ pulses.
  ///   - new: the position in the new one.
  /// - Thread: audio
  @_noLocks
  mutating func carry(from old: Int128, to new: Int128) {
    let difference = old - new
    let whole = (difference + 1 << 63) >> 64
    let rest = difference - whole << 64
    // Positions that are equal except for rounding may lie on either side of a pulse.
    let isWhole = rest < MIDIClockSender.tolerance && rest > -MIDIClockSender.tolerance
    carried +=
      isWhole ? Int64(whole) : MIDIClockSender.pulse(from: old) - MIDIClockSender.pulse(from: new)
  }

  /// Records that the music moves to another position.
  /// - Thread: audio
  @_noLocks
  mutating func move() { hasMoved = true }

  // MARK: Sending

  /// Sends the clock of a range in which the music plays and nothing changes.
  /// - Parameters:
  ///   - range: clock frames.
  ///   - uncertainty: the largest error of a leader's position, in whole notes.
  /// - Thread: audio
  @_noLocks
  mutating func send(
    _ range: Range<Int64>, _ playback: borrowing Playback, within uncertainty: Double, on line: MIDILine
  ) {
    let shift = playback.timeline.shift
    let course = PulseRest.Course(playback.playhead, shift: shift)
    if rests(through: range, course) { return }
    let (output, clock) = (playback.score.pointee.clock, range.lowerBound)
    // From here on everything rounds to this frame or a later one.
    let here = playback.playhead.pulses(at: FrameTime(roundingTo: playback.timeline.frame(at: clock)))
    if isElsewhere(here) { stop(at: clock, on: line) }
    if case .stopped = state {
      let doubt = Int128(Int64(uncertainty * 96 * 0x1p32)) << 32
      enter(here, within: doubt, sendsBefore: output.runsWhileStopped, at: clock, on: line)
    }
    let offset = output.frames(sampleRate: playback.score.pointee.sampleRate)
    let next = sendPulses(range, playback.playhead, delay: offset - shift, on: line)
    let there = playback.playhead.pulses(
      at: FrameTime(roundingTo: playback.timeline.frame(at: range.upperBound)))
    place = there + Int128(carried) << 64
    rest = PulseRest(course, from: range, until: next, gone: there - here)
  }

  /// Stops the machines that follow, since the music is stopped.
  /// - Parameter pulseLength: the distance of pulses that are sent anyway, in 2⁻⁶⁴ frames; nil for none.
  /// - Thread: audio
  @_noLocks
  mutating func stand(_ range: Range<Int64>, pulseLength: Int128?, on line: MIDILine) {
    wake()
    stop(at: range.lowerBound, on: line)
    if let pulseLength { tick(range, length: pulseLength, on: line) }
  }

  /// - Parameter delay: frames from a pulse's time on the timeline to the clock frame on which it is sent.
  /// - Returns: the clock frame before which there is no other pulse if nothing changes.
  @_noLocks
  private mutating func sendPulses(
    _ range: Range<Int64>, _ playhead: borrowing Playhead, delay: Int64, on line: MIDILine
  ) -> Int64 {
    var time = FrameTime(roundingTo: TimelineFrame(range.lowerBound - delay))
    while true {
      let stretch = playhead.stretch(at: time)
      while true {
        let pulse = stretch.time(ofPulse: next - carried)
        if pulse >= stretch.end { break }
        let frame = pulse.nearestFrame.number + delay
        guard frame < range.upperBound else { return frame }
        let place = pulse.raw + Int128(delay) << 64
        guard self.pulse(place, at: max(frame, range.lowerBound), on: line) else { return range.upperBound }
      }
      guard stretch.end > time else { return range.upperBound }
      let end = stretch.end.nearestFrame.number + delay
      guard end < range.upperBound else { return end }
      time = stretch.end
    }
  }

  // MARK: Inside

  /// Whether no pulse falls in a range. If so, the range counts as sent.
  @_noLocks
  @inline(__always)
  private mutating func rests(through range: Range<Int64>, _ course: PulseRest.Course) -> Bool {
    guard rest != nil else { return false }
    if !hasMoved, rest!.pass(range, course) { return true }
    wake()
    return false
  }

  /// Updates `place` to the position of the music.
  @_noLocks
  private mutating func wake() {
    guard let rest else { return }
    place += rest.progress
    self.rest = nil
  }

  /// Whether pulses alone can't bring the machines to a position: pulses can be late, but not be taken back.
  @_noLocks
  private func isElsewhere(_ place: Int128) -> Bool {
    let distance = place + Int128(carried) << 64 - self.place
    return hasMoved || distance > MIDIClockSender.sixteenth || distance < -(1 << 64)
  }

  /// Stops the machines.
  @_noLocks
  private mutating func stop(at clock: Int64, on line: MIDILine) {
    if case .running = state { _ = line.send(.stop, at: clock) }
    state = .stopped
  }

  /// Makes the machines start or continue at the next sixteenth, and sends its song position: MIDI has no finer ones, and none
  /// before the first or after 4095 quarters. Outside this range they continue from their position.
  /// - Parameters:
  ///   - place: the position in the score, in 2⁻⁶⁴ pulses.
  ///   - doubt: how far before it the music may be.
  ///   - isEarly: whether pulses are sent before that, too.
  @_noLocks
  private mutating func enter(
    _ place: Int128, within doubt: Int128, sendsBefore isEarly: Bool, at clock: Int64, on line: MIDILine
  ) {
    if isElsewhere(place) { carried = 0 }
    hasMoved = false
    self.place = place + Int128(carried) << 64
    let first = MIDIClockSender.pulse(from: self.place - doubt)
    let entry = (max(first, 0) + 5) / 6 * 6
    if entry > 0, let position = SongPosition(atOrAfterPulse: entry) {
      _ = line.send(.songPosition(position), at: clock)
    }
    next = isEarly ? min(first, entry) : entry
    state = .waiting(entry: entry)
  }

  /// Sends the next pulse, preceded by the start or continue message if it is due.
  /// - Parameter time: by the clock, in 2⁻⁶⁴ frames.
  /// - Returns: false if the buffer is full.
  @_noLocks
  private mutating func pulse(_ time: Int128, at clock: Int64, on line: MIDILine) -> Bool {
    if case .waiting(let entry) = state, entry == next {
      guard line.send(next == 0 ? .start : .continue, at: clock) else { return false }
      state = .running
    }
    guard line.send(.clock, at: clock) else { return false }
    next += 1
    last = time
    return true
  }

  /// Sends pulses while the music is stopped.
  /// - Parameter length: frames per pulse, in 2⁻⁶⁴ frames.
  @_noLocks
  private mutating func tick(_ range: Range<Int64>, length: Int128, on line: MIDILine) {
    var time = last + length
    // Rounded as a frame time is: a tie goes to the later frame.
    if (time + 1 << 63) >> 64 < range.lowerBound { time = Int128(range.lowerBound) << 64 }
    while true {
      let frame = Int64((time + 1 << 63) >> 64)
      guard frame < range.upperBound, line.send(.clock, at: frame) else { return }
      last = time
      time += length
    }
  }
}

/// The settings of the MIDI clock on the port `clock`.
public struct MIDIClockOutput: BitwiseCopyable, Hashable, Sendable {
  /// Whether to send pulses while the music is stopped and in a count-in, for machines that need the tempo before they start.
  public var runsWhileStopped = false
  /// Milliseconds by which the pulses follow the clicks; negative if they precede them.
  public var offset = 0.0

  public init() {}

  /// The offset in frames.
  /// - Thread: any, audio
  @_noLocks
  func frames(sampleRate: Int) -> Int64 {
    let frames = offset * Double(sampleRate) / 1_000
    return Int64(frames < 0 ? frames - 0.5 : frames + 0.5)
  }
}
