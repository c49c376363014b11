import MusicTime
import Realtime
import Synchronization

/// The playing music: a playhead in a score, and the timeline below it. The time sources move both.
struct Playback: ~Copyable {
  var timeline: Timeline
  var playhead: Playhead
  private let channels: UnsafePointer<Channels>
  private let pin = Pin()

  @_noLocks
  init(_ score: UnsafePointer<Score>, _ channels: UnsafePointer<Channels>) {
    timeline = Timeline(runsAlways: score.pointee.role == .free)
    playhead = Playhead(score)
    self.channels = channels
  }

  /// - Thread: audio
  var score: UnsafePointer<Score> { @_noLocks get { playhead.score } }

  // MARK: Reading

  /// The exact time on the timeline at the start of a clock frame.
  /// - Thread: audio
  @_noLocks
  func time(at clock: ClockFrame) -> FrameTime { FrameTime(frame: timeline.frame(at: clock)) }

  /// The clock frame of the next onset, or of the score's end; `never` if there is neither.
  /// - Thread: audio
  var nextOnset: ClockFrame {
    @_noLocks get {
      timeline.isRolling && playhead.nextFrame != .never ? timeline.clock(of: playhead.nextFrame) : .never
    }
  }

  /// The clock frame of the next beat or bar line that has not begun.
  /// - Thread: audio
  @_noLocks
  func nextLine(_ quantise: Quantise) -> ClockFrame { timeline.clock(of: playhead.boundary(quantise).frame) }

  /// The frame of the score at a clock frame; in a loop, of the current lap.
  /// - Thread: audio
  @_noLocks
  func scoreFrame(at clock: ClockFrame) -> Int64 {
    (time(at: clock) - playhead.origin).nearestFrames
  }

  // MARK: Moving

  /// Starts or stops, and reports a change.
  /// - Thread: audio
  @_noLocks
  mutating func setRolling(_ rolling: Bool, at clock: ClockFrame) {
    if timeline.setRolling(rolling) { reportRolling(at: clock) }
  }

  /// Reports at a clock frame whether the music rolls.
  /// - Thread: audio
  @_noLocks
  func reportRolling(at clock: ClockFrame) { report(timeline.isRolling ? .started(clock) : .stopped(clock)) }

  /// - Thread: audio
  @_noLocks
  func report(_ event: Event) { channels.pointee.report(event) }

  /// Continues after missed cycles: the grid stays, and the missed onsets are not played late.
  /// - Parameter frame: of the timeline.
  /// - Thread: audio
  @_noLocks
  mutating func skipGap(to frame: TimelineFrame) {
    channels.pointee.gaps.wrappingAdd(1, ordering: .relaxed)
    playhead.skipMissed(at: frame)
  }

  /// Handles the transport's frame at the start of a cycle.
  /// - Returns: whether it differs from the expected frame.
  /// - Thread: audio
  @_noLocks
  mutating func take(transportFrame frame: UInt32, at clock: ClockFrame) -> Bool {
    switch timeline.take(transportFrame: frame, at: clock) {
    case .continued: return false
    case .missedCycles:
      skipGap(to: timeline.nextFrame)
      return false
    case .jumped: return true
    }
  }

  /// Frames by which the music must precede a rolling transport to be heard on time; 0 if the transport does not roll.
  /// - Thread: audio
  @_noLocks
  func advance(_ cycle: Cycle) -> Int64 {
    cycle.transport.isRolling ? score.pointee.latency.advance(cycle.latencies) : 0
  }

  /// Makes the music precede the transport.
  /// - Parameters:
  ///   - frames: negative if the music follows.
  ///   - rolls: whether the transport rolls.
  /// - Thread: audio
  @_noLocks
  mutating func precede(by frames: Int64, at clock: ClockFrame, rolls: Bool) {
    let isCloser = frames < timeline.advance
    guard timeline.setAdvance(frames, at: clock), playhead.nextFrame != .never else { return }
    if !isCloser {
      playhead.pass(to: timeline.nextFrame)
    } else if !(rolls && timeline.isRolling) {
      // While it rolls, onsets that have begun do not begin again.
      playhead.seek(backTo: timeline.nextFrame)
    }
  }
}
