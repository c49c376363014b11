import MIDI
import MusicTime
import Synchronization

/// Sending a MIDI clock.
extension Kernel {
  /// Sends the clock for a part of the period in which nothing changes.
  /// - Thread: audio
  @_noLocks
  mutating func sendClock(_ range: Range<Int64>, on line: MIDILine) {
    let output = playhead.score.pointee.clock
    let clock = range.lowerBound
    guard isRolling, playhead.nextFrame != .max, !channels.pointee.isEnding.load(ordering: .relaxed) else {
      clockSender.wake()
      clockSender.stop(at: clock, on: line)
      if output.runsWhileStopped { clockSender.tick(range, length: standingPulseLength(at: clock), on: line) }
      return
    }
    let course = PulseRest.Course(playhead, shift: shift)
    if clockSender.rests(through: range, course) { return }
    // From here on everything rounds to this frame or a later one.
    let here = playhead.pulses(at: FrameTime(roundingTo: clock + shift))
    if clockSender.isElsewhere(here) { clockSender.stop(at: clock, on: line) }
    if case .stopped = clockSender.state {
      clockSender.enter(here, within: doubt, sendsBefore: output.runsWhileStopped, at: clock, on: line)
    }
    let offset = output.frames(sampleRate: playhead.score.pointee.sampleRate)
    let next = sendPulses(range, offset: offset, on: line)
    let there = playhead.pulses(at: FrameTime(roundingTo: range.upperBound + shift))
    clockSender.place = there + Int128(clockSender.carried) << 64
    clockSender.rest = PulseRest(course, from: range, until: next, gone: there - here)
  }

  /// - Parameter offset: frames by which pulses come after their place in the score.
  /// - Returns: the frame before which no other comes if nothing changes.
  @_noLocks
  private mutating func sendPulses(_ range: Range<Int64>, offset: Int64, on line: MIDILine) -> Int64 {
    let delay = offset - shift
    var time = FrameTime(roundingTo: range.lowerBound - delay)
    while true {
      let stretch = playhead.stretch(at: time)
      while true {
        let pulse = stretch.time(ofPulse: clockSender.next - clockSender.carried)
        if pulse >= stretch.end { break }
        let frame = pulse.nearestFrame + delay
        guard frame < range.upperBound else { return frame }
        let place = FrameTime(raw: pulse.raw + Int128(delay) << 64)
        guard clockSender.pulse(place, at: max(frame, range.lowerBound), on: line) else {
          return range.upperBound
        }
      }
      guard stretch.end > time else { return range.upperBound }
      let end = stretch.end.nearestFrame + delay
      guard end < range.upperBound else { return end }
      time = stretch.end
    }
  }

  /// How far a leader's rounded ticks leave its place open, in 2⁻⁶⁴ pulses.
  private var doubt: Int128 {
    @_noLocks get {
      playhead.pace > 0 ? Int128(Int64(tracker.uncertainty * 96 * 0x1p32)) << 32 : 0
    }
  }

  /// Frames from one pulse to the next where the music would go on, in 2⁻⁶⁴ frames.
  @_noLocks
  private func standingPulseLength(at clock: Int64) -> Int128 {
    timelineRole == .free && !isRolling
      ? playhead.pulseLength(at: entry.position)
      : playhead.pulseLength(at: FrameTime(frame: timelineFrame(at: clock)))
  }
}
