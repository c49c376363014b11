import MusicTime

/// The clock frames after a rendered period in which no onset, change or command is due, if nothing comes in.
///
/// Almost all periods lie in such a span. They mix the clips that sound, and send the messages that are due. Between two
/// periods other programs use the processor's caches, so the cost of a period is the number of cache lines that it touches. The
/// host's MIDI ports must stay while the music plays.
struct QuietSpan: BitwiseCopyable {
  /// The clock frame at which the next period must begin.
  private(set) var next: ClockFrame
  /// The clock frame at which something may happen.
  let end: ClockFrame
  /// The clock frame until which no MIDI message is sent; `earliest` if that is not known.
  private(set) var restEnd: ClockFrame
  /// The clock frame at which all notes that sound have ended.
  private(set) var notesEnd: ClockFrame
  /// The conditions of the period before, which must stay.
  private let frames: Int
  private let sampleRate: Int?
  private let reportsSubdivisions: Bool

  /// The span after a cycle.
  /// - Parameter end: the clock frame at which something may happen.
  /// - Returns: nil if no period of the cycle's length lies before it.
  /// - Thread: audio
  @_noLocks
  init?(
    after cycle: Cycle, until end: ClockFrame, restEnd: ClockFrame, notesEnd: ClockFrame,
    reportsSubdivisions: Bool
  ) {
    guard cycle.frames > 0, cycle.clock + 2 * Int64(cycle.frames) <= end else { return nil }
    next = cycle.clock + Int64(cycle.frames)
    (self.end, self.restEnd, self.notesEnd) = (end, restEnd, notesEnd)
    self.reportsSubdivisions = reportsSubdivisions
    (frames, sampleRate) = (cycle.frames, cycle.sampleRate)
  }

  /// Whether a cycle continues the last one, ends in the span, and has received nothing.
  /// - Thread: audio
  @_noLocks
  @inline(__always)
  func contains(_ cycle: Cycle, _ channels: UnsafePointer<Channels>) -> Bool {
    cycle.clock == next && cycle.clock + Int64(cycle.frames) <= end && cycle.frames == frames
      && cycle.sampleRate == sampleRate && !cycle.transport.isStarting && !cycle.latencies.delays.isAny
      && (cycle.clockIn?.count ?? 0) == 0 && channels.pointee.areQuiet(reportsSubdivisions)
  }

  /// Records that the messages of a period have been sent.
  /// - Thread: audio
  @_noLocks
  mutating func noteMessages(restEnd: ClockFrame, notesEnd: ClockFrame) {
    (self.restEnd, self.notesEnd) = (restEnd, notesEnd)
  }

  /// Passes a period that it contains.
  /// - Thread: audio
  @_noLocks
  @inline(__always)
  mutating func pass() { next += Int64(frames) }
}
