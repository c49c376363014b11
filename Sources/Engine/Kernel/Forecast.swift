import MusicTime

/// Reports beats half a second before they begin, as they are planned now, and revokes those that a change has moved.
///
/// A copy of the playhead walks ahead. When anything that beats depend on changes, it walks again from the playhead. Beats
/// that have not moved are not reported again; all beats from the first that has moved are withdrawn.
struct Forecast: ~Copyable {
  /// Beats are reported this fraction (1/`part`) of a second ahead.
  private static var part: Int64 { @_noLocks get { 2 } }
  /// The maximum number of beats reported ahead. Faster beats are reported later.
  private static var capacity: Int { @_noLocks get { 64 } }
  /// The maximum number of onsets that one period walks over.
  private static var most: Int { @_noLocks get { 256 } }
  /// A beat may move by this fraction (1/`tolerance`) of a second without being withdrawn: a leader's tempo is never steady.
  private static var tolerance: Int64 { @_noLocks get { 1_000 } }

  /// A beat that has been reported.
  private struct Beat: BitwiseCopyable {
    let frame: ClockFrame
    let bar: Int
    let beat: Int
    let isAudible: Bool
  }

  /// Everything that the frames of the beats depend on.
  private struct Basis: BitwiseCopyable {
    let score: UnsafePointer<Score>
    let moves: Int
    let origin: FrameTime
    let pace: Double
    let repetition: Repetition
    let shift: TimelineShift
    let limit: ClockFrame

    @_noLocks
    func equals(_ other: Basis) -> Bool {
      score == other.score && moves == other.moves && origin == other.origin && pace == other.pace
        && repetition.equals(other.repetition) && shift == other.shift && limit == other.limit
    }
  }

  private let channels: UnsafePointer<Channels>
  /// The beats that were reported and have not begun, soonest first.
  private let beats: UnsafeMutablePointer<Beat>
  private var count = 0
  private var scout: Playhead
  /// nil if the scout must start again from the playhead.
  private var basis: Basis?

  init(_ playhead: Playhead, _ channels: UnsafePointer<Channels>) {
    self.channels = channels
    beats = .allocate(capacity: Forecast.capacity)
    scout = playhead
  }

  deinit { beats.deallocate() }

  /// Handles a beat that begins: reports it if it has not been reported ahead.
  /// - Thread: audio
  @_noLocks
  mutating func begin(_ beat: Event.Beat, sampleRate: Int) {
    guard isHeard, beat.role != .subdivision, beat.role != .cue else { return }
    drop(before: beat.frame - Int64(sampleRate) / Forecast.tolerance)
    if count > 0, isSame(beats[0], beat, sampleRate) { return drop(1) }
    // The music is not where the forecast expected it. The next beats are reported again at the end of the period.
    revoke(from: 0, at: beat.frame)
    basis = nil
    channels.pointee.report(.predicted(beat))
  }

  /// Reports the beats of the next half second, at the end of a period.
  /// - Parameters:
  ///   - clock: the first frame that is not rendered.
  ///   - change: the clock frame of the next known change; beats from there on can't be known yet.
  /// - Thread: audio
  @_noLocks
  @inline(never)
  mutating func look(
    _ playback: borrowing Playback, from clock: ClockFrame, until change: ClockFrame, isEnding: Bool
  ) {
    guard isHeard || count > 0 else {
      basis = nil
      return
    }
    let rate = playback.score.pointee.sampleRate
    drop(before: clock - Int64(rate) / Forecast.tolerance)
    guard isHeard, playback.nextOnset != .never, !isEnding else {
      basis = nil
      return revoke(from: 0, at: clock)
    }
    let horizon = clock + Int64(rate) / Forecast.part
    let playhead = playback.playhead
    let now = Basis(
      score: playhead.score, moves: playhead.moves, origin: playhead.origin, pace: playhead.cursor.pace,
      repetition: playhead.repetition, shift: playback.timeline.shift,
      limit: change < horizon ? change : .never
    )
    if let basis, basis.equals(now), scout.nextFrame >= playhead.nextFrame {
      walk(from: count, until: min(horizon, change), playback.timeline, rate)
    } else {
      scout = playhead
      walk(from: 0, until: min(horizon, change), playback.timeline, rate)
    }
    basis = now
  }

  /// Whether there is nothing to report and nothing to revoke.
  /// - Thread: audio
  var isIdle: Bool { @_noLocks get { !isHeard && count == 0 && basis == nil } }

  // MARK: Inside

  private var isHeard: Bool { @_noLocks get { channels.pointee.reportsAhead.load(ordering: .relaxed) } }

  /// Walks on, compares the beats with the reported ones from an index on, and reports the others.
  @_noLocks
  private mutating func walk(from index: Int, until end: ClockFrame, _ timeline: Timeline, _ rate: Int) {
    var index = index
    var steps = 0
    while !scout.isAtEnd, scout.nextFrame != .never, steps < Forecast.most {
      let clock = timeline.clock(of: scout.nextFrame)
      let role = scout.cursor.onset.role
      guard clock < end else { break }
      if role != .subdivision {
        let beat = scout.beat(role, strength: scout.strength, at: clock)
        if index < count, isSame(beats[index], beat, rate) {
          index += 1
        } else {
          revoke(from: index, at: clock)
          guard count < Forecast.capacity else { break }
          (beats + count).initialize(
            to: Beat(frame: clock, bar: beat.bar, beat: beat.beat, isAudible: beat.strength > 0))
          count += 1
          index = count
          channels.pointee.report(.predicted(beat))
        }
      }
      scout.advance()
      steps += 1
    }
    if steps < Forecast.most, index < count { revoke(from: index, at: beats[index].frame) }
  }

  /// Whether a beat is the reported one.
  @_noLocks
  private func isSame(_ known: Beat, _ beat: Event.Beat, _ rate: Int) -> Bool {
    abs(known.frame - beat.frame) <= Int64(rate) / Forecast.tolerance && known.bar == beat.bar
      && known.beat == beat.beat && known.isAudible == (beat.strength > 0)
  }

  /// Revokes the reported beats from an index on.
  /// - Parameter clock: the frame from which on other beats may begin.
  @_noLocks
  private mutating func revoke(from index: Int, at clock: ClockFrame) {
    guard index < count else { return }
    channels.pointee.report(.withdrawn(min(beats[index].frame, clock)))
    count = index
  }

  /// Forgets the reported beats before a frame.
  @_noLocks
  private mutating func drop(before frame: ClockFrame) {
    var passed = 0
    while passed < count, beats[passed].frame < frame { passed += 1 }
    drop(passed)
  }

  @_noLocks
  private mutating func drop(_ passed: Int) {
    guard passed > 0 else { return }
    for index in passed..<count { beats[index - passed] = beats[index] }
    count -= passed
  }
}
