import MusicTime

/// Timecode beside the music: MIDI timecode and linear timecode.
///
/// It counts seconds from the start of the transport or score. A change of speed or tempo moves beats, but not the timecode:
/// it runs on until the next start, locate or loop sets it again. A locate of a stopped transport is sent too.
struct TimecodeOut: ~Copyable {
  private var mtc = MTCLine()
  private var ltc = LTCLine()
  /// The period's ports; nil if not needed.
  private var outputs: Outputs.Timecode?
  private var period: Range<ClockFrame> = 0..<0
  private var sampleRate = 48_000
  private var level: Float = 0
  /// Frames from the nominal frame of the timecode to the frame on which it is sent.
  private var mtcDelay: Int64 = 0
  private var ltcDelay: Int64 = 0

  /// The state of the music in the last range.
  private var isRunning = false
  private var hasMoved = false
  private var score: UnsafePointer<Score>?
  private var piece = 0
  private var output = TimecodeOutput()
  /// The music's position minus the clock frame, and the same for the timecode that is sent.
  private var seen: Int64 = 0
  private var base: Int64 = 0
  /// The frame of a stopped transport; nil while it rolls, or without a transport.
  private var standing: Int64?

  deinit {
    mtc.segments.free()
    ltc.segments.free()
  }

  /// Begins a period.
  /// - Parameter score: defines the timecode and when it is sent.
  /// - Thread: audio
  @_noLocks
  @inline(__always)
  mutating func open(_ outputs: Outputs, _ cycle: Cycle, _ score: UnsafePointer<Score>) {
    self.outputs = outputs.timecode
    if outputs.timecode != nil { prepare(cycle, score) }
  }

  @_noLocks
  @inline(never)
  private mutating func prepare(_ cycle: Cycle, _ score: UnsafePointer<Score>) {
    period = cycle.clock..<cycle.clock + Int64(cycle.frames)
    sampleRate = score.pointee.sampleRate
    let output = score.pointee.timecode
    level = output.level
    let offset = score.pointee.frames(milliseconds: output.offset)
    let latencies = cycle.latencies
    let delays = (
      score.pointee.latency.delay(to: latencies.timecode, latencies) + offset,
      score.pointee.latency.delay(to: latencies.ltc, latencies) + offset
    )
    guard delays != (mtcDelay, ltcDelay) else { return }
    (mtcDelay, ltcDelay) = delays
    if isRunning { hasMoved = true }
  }

  /// Records that the music has moved to another position.
  /// - Thread: audio
  @_noLocks
  mutating func move() { hasMoved = true }

  /// Follows the music in a part of the period in which nothing changes.
  /// - Parameter isEnding: whether Tactus ends, even if the transport rolls.
  /// - Thread: audio
  @_noLocks
  @inline(__always)
  mutating func send(_ range: Range<ClockFrame>, _ playback: borrowing Playback, isEnding: Bool) {
    guard outputs != nil else { return }
    if playback.nextOnset != .never, !isEnding {
      follow(playback, at: range.lowerBound)
    } else {
      if isRunning { stand(at: range.lowerBound) }
      watch(playback, at: range.lowerBound, isEnding: isEnding)
    }
  }

  /// Ends a period.
  /// - Thread: audio
  @_noLocks
  @inline(__always)
  mutating func close() { if outputs != nil { render() } }

  @_noLocks
  @inline(never)
  private mutating func render() {
    guard let outputs else { return }
    mtc.render(period, sampleRate: sampleRate, into: outputs.messages)
    ltc.render(period, sampleRate: sampleRate, level: level, into: outputs.linear)
  }

  // MARK: Inside

  @_noLocks
  @inline(never)
  private mutating func stand(at clock: ClockFrame) {
    isRunning = false
    mtc.segments.add(end(at: clock + mtcDelay))
    ltc.segments.add(end(at: clock + ltcDelay))
  }

  @_noLocks
  private func end(at clock: ClockFrame) -> TimecodeSegment {
    TimecodeSegment(from: max(clock, period.lowerBound), isRunning: false, isJump: false)
  }

  /// Sends the new position of a stopped transport as MIDI timecode. Linear timecode can show a position only while it runs.
  @_noLocks
  @inline(never)
  private mutating func watch(_ playback: borrowing Playback, at clock: ClockFrame, isEnding: Bool) {
    let timeline = playback.timeline
    guard playback.score.pointee.role.isOnTransport, !timeline.isRolling, !isEnding else {
      standing = nil
      return
    }
    let place = timeline.nextFrame.number - timeline.advance
    defer { standing = place }
    guard let standing, standing != place else { return }
    let output = playback.score.pointee.timecode
    mtc.segments.add(
      TimecodeSegment(
        from: clock, isRunning: false, isJump: true, base: place, start: output.start, rate: output.rate))
  }

  @_noLocks
  @inline(never)
  private mutating func follow(_ playback: borrowing Playback, at clock: ClockFrame) {
    let playing = playback.score
    let isShared = playing.pointee.role.isOnTransport
    let now = TimecodeOut.place(playback, at: clock, isShared)
    // A Link session rolls from the start of the period in which the music begins.
    guard isShared || isRunning || now >= 0 else { return }
    let place = now - clock.number
    let output = playing.pointee.timecode
    let isSame =
      isRunning && !hasMoved && playing.pointee.piece == piece && output.rate == self.output.rate
      && output.start == self.output.start
    // Another score with the same music has another tempo; a leader's tempo changes without one.
    let goesOn = place == seen || !isShared && (playing != score || playback.playhead.cursor.pace > 0)
    (seen, score, piece, self.output) = (place, playing, playing.pointee.piece, output)
    guard !isSame || !goesOn else { return }
    (isRunning, hasMoved, base, standing) = (true, false, place, nil)
    mtc.segments.add(segment(at: clock, delay: mtcDelay))
    ltc.segments.add(segment(at: clock, delay: ltcDelay))
  }

  @_noLocks
  private func segment(at clock: ClockFrame, delay: Int64) -> TimecodeSegment {
    TimecodeSegment(
      from: max(clock + delay, period.lowerBound), isRunning: true, isJump: true, base: base - delay,
      start: output.start, rate: output.rate)
  }

  /// The position in samples: on a shared transport the transport's frame, otherwise the score's.
  @_noLocks
  private static func place(_ playback: borrowing Playback, at clock: ClockFrame, _ isShared: Bool) -> Int64 {
    let frame = playback.timeline.frame(at: clock)
    guard !isShared else { return frame.number }
    return playback.playhead.reading(FrameTime(frame: frame)).0.nearestFrames
  }
}
