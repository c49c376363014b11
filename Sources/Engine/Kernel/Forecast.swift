import MusicTime

/// Reports beats half a second before they sound, as the music stands now, and revokes those that a change has moved.
///
/// A copy of the playhead walks ahead. When anything changes that beats depend on, it walks again from the playhead. Beats that are
/// where they were before are not reported again; from the first that is not, all are revoked.
struct Forecast: ~Copyable {
  /// Parts of a second by which beats are reported ahead.
  private static var part: Int64 { @_noLocks get { 2 } }
  /// Beats that may be known ahead. Faster ones are reported later.
  private static var capacity: Int { @_noLocks get { 64 } }
  /// Onsets that one period walks over.
  private static var most: Int { @_noLocks get { 256 } }
  /// Parts of a second by which a beat may move without being revoked: a leader's tempo is never quite steady.
  private static var tolerance: Int64 { @_noLocks get { 1_000 } }

  /// What is known of a beat.
  private struct Beat: BitwiseCopyable {
    let frame: ClockFrame
    let bar: Int
    let beat: Int
    let isAudible: Bool
  }

  /// What the frames of the beats depend on.
  private struct Basis: BitwiseCopyable {
    let score: UnsafePointer<Score>
    let moves: Int
    let origin: Int128
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
  /// nil if the scout has to begin again.
  private var basis: Basis?

  init(_ playhead: Playhead, _ channels: UnsafePointer<Channels>) {
    self.channels = channels
    beats = .allocate(capacity: Forecast.capacity)
    scout = playhead
  }

  deinit { beats.deallocate() }

  /// Handles a beat that begins: reports it if nobody has heard of it.
  /// - Thread: audio
  @_noLocks
  mutating func begin(_ beat: Event.Beat, sampleRate: Int) {
    guard isHeard, beat.role != .subdivision, beat.role != .cue else { return }
    drop(before: beat.frame - Int64(sampleRate) / Forecast.tolerance)
    if count > 0, isSame(beats[0], beat, sampleRate) { return drop(1) }
    // The music is elsewhere than it was thought to be. What comes is told again at the end of the period.
    revoke(from: 0, at: beat.frame)
    basis = nil
    channels.pointee.report(.foretold(beat))
  }

  /// Reports the beats of the next half second, at the end of a period.
  /// - Parameters:
  ///   - clock: the first frame that is not rendered.
  ///   - change: the clock frame of the next change that is known, from which on beats can't be known yet.
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
      score: playhead.score, moves: playhead.moves, origin: playhead.origin.raw, pace: playhead.cursor.pace,
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

  /// Whether it has nothing to look for, and nothing to forget.
  /// - Thread: audio
  var isIdle: Bool { @_noLocks get { !isHeard && count == 0 && basis == nil } }

  // MARK: Inside

  private var isHeard: Bool { @_noLocks get { channels.pointee.reportsAhead.load(ordering: .relaxed) } }

  /// Walks on, compares the beats with those that are known from an index on, and reports the others.
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
          channels.pointee.report(.foretold(beat))
        }
      }
      scout.advance()
      steps += 1
    }
    if steps < Forecast.most, index < count { revoke(from: index, at: beats[index].frame) }
  }

  /// Whether a beat is the one that is known.
  @_noLocks
  private func isSame(_ known: Beat, _ beat: Event.Beat, _ rate: Int) -> Bool {
    abs(known.frame - beat.frame) <= Int64(rate) / Forecast.tolerance && known.bar == beat.bar
      && known.beat == beat.beat && known.isAudible == (beat.strength > 0)
  }

  /// Revokes the known beats from an index on.
  /// - Parameter clock: the frame from which on others may begin.
  @_noLocks
  private mutating func revoke(from index: Int, at clock: ClockFrame) {
    guard index < count else { return }
    channels.pointee.report(.revoked(min(beats[index].frame, clock)))
    count = index
  }

  /// Forgets known beats before a frame.
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
