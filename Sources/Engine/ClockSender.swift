import MIDI
import MusicTime

/// What the machines that follow the MIDI clock have been told.
///
/// They count pulses: each one is sent once and in order, wherever changes move those to come. Where the music is moved, or
/// has gone on for more than a sixteenth unseen, they are stopped and sent to the place.
struct ClockSender: BitwiseCopyable {
  enum State: BitwiseCopyable {
    case stopped
    /// The music plays, but the pulse on which they start or go on is still to come.
    case waiting(entry: Int64)
    case running
  }

  private(set) var state = State.stopped
  /// The next pulse, counted as the score does plus `carried`.
  private(set) var next: Int64 = 0
  /// Where the music stood last, in 2⁻⁶⁴ pulses.
  var place: Int128 = 0
  /// Whole pulses by which the count is ahead of the score's, where changes have made other bars of those that there were.
  private(set) var carried: Int64 = 0
  /// When the last pulse came, by the clock.
  private(set) var last = FrameTime(frame: 0)

  /// Whether the music has been moved since the last look.
  private var hasMoved = false
  /// Where no pulse comes, if that is known; `place` is where it starts.
  var rest: PulseRest?

  /// The first pulse that isn't before a place. Places are rounded: one may lie a little after its pulse.
  @_noLocks
  private static func pulse(from place: Int128) -> Int64 { Int64((place - tolerance) >> 64) + 1 }

  private static var tolerance: Int128 { @_noLocks get { 1 << 48 } }
  /// A sixteenth, in 2⁻⁶⁴ pulses.
  private static var sixteenth: Int128 { @_noLocks get { Int128(SongPosition.pulsesPerSixteenth) << 64 } }

  @_noLocks
  init() {}

  /// Keeps the count while the same place becomes another number of pulses in the score: the next pulse of one is the next
  /// of the other.
  /// - Thread: audio
  @_noLocks
  mutating func carry(from old: Int128, to new: Int128) {
    let difference = FrameTime(raw: old - new)
    let rest = difference.raw - Int128(difference.nearestFrame) << 64
    // A place that is the same but for its rounding may lie on either side of a pulse.
    let isWhole = rest < ClockSender.tolerance && rest > -ClockSender.tolerance
    carried += isWhole ? difference.nearestFrame : ClockSender.pulse(from: old) - ClockSender.pulse(from: new)
  }

  /// Whether no pulse comes in a range, which then has been seen to.
  /// - Thread: audio
  @_noLocks
  @inline(__always)
  mutating func rests(through range: Range<Int64>, _ course: PulseRest.Course) -> Bool {
    guard rest != nil else { return false }
    if !hasMoved, rest!.pass(range, course) { return true }
    wake()
    return false
  }

  /// Brings `place` to where the music is.
  /// - Thread: audio
  @_noLocks
  mutating func wake() {
    guard let rest else { return }
    place += rest.progress
    self.rest = nil
  }

  /// The music goes to another place.
  /// - Thread: audio
  @_noLocks
  mutating func move() { hasMoved = true }

  /// Whether a place is one that pulses can't make up for: they can be late, but not be taken back.
  /// - Thread: audio
  @_noLocks
  func isElsewhere(_ place: Int128) -> Bool {
    let distance = place + Int128(carried) << 64 - self.place
    return hasMoved || distance > ClockSender.sixteenth || distance < -(1 << 64)
  }

  /// Stops them.
  /// - Thread: audio
  @_noLocks
  mutating func stop(at clock: Int64, on line: MIDILine) {
    if case .running = state { _ = line.send(.stop, at: clock) }
    state = .stopped
  }

  /// Has them start or go on at the next sixteenth, and tells them which: MIDI can name no other places, and none before
  /// the first or after 4095 quarters. Beyond those they go on from where they are.
  /// - Parameters:
  ///   - place: in the score, in 2⁻⁶⁴ pulses.
  ///   - doubt: how far before it the music may be.
  ///   - isEarly: whether pulses are sent before that, too.
  /// - Thread: audio
  @_noLocks
  mutating func enter(
    _ place: Int128, within doubt: Int128, sendsBefore isEarly: Bool, at clock: Int64, on line: MIDILine
  ) {
    if isElsewhere(place) { carried = 0 }
    hasMoved = false
    self.place = place + Int128(carried) << 64
    let first = ClockSender.pulse(from: self.place - doubt)
    let entry = (max(first, 0) + 5) / 6 * 6
    if entry > 0, let position = SongPosition(atOrAfterPulse: entry) {
      _ = line.send(.songPosition(position), at: clock)
    }
    next = isEarly ? min(first, entry) : entry
    state = .waiting(entry: entry)
  }

  /// Sends the next pulse, with what starts them before it where it is the one.
  /// - Parameter time: by the clock.
  /// - Returns: whether there was room.
  /// - Thread: audio
  @_noLocks
  mutating func pulse(_ time: FrameTime, at clock: Int64, on line: MIDILine) -> Bool {
    if case .waiting(let entry) = state, entry == next {
      guard line.send(next == 0 ? .start : .continue, at: clock) else { return false }
      state = .running
    }
    guard line.send(.clock, at: clock) else { return false }
    next += 1
    last = time
    return true
  }

  /// Ticks while nothing plays, from clock frame to clock frame.
  /// - Parameter length: of a pulse, in 2⁻⁶⁴ frames.
  /// - Thread: audio
  @_noLocks
  mutating func tick(_ range: Range<Int64>, length: Int128, on line: MIDILine) {
    var time = FrameTime(raw: last.raw + length)
    if time.nearestFrame < range.lowerBound { time = FrameTime(frame: range.lowerBound) }
    while time.nearestFrame < range.upperBound, line.send(.clock, at: time.nearestFrame) {
      last = time
      time.raw += length
    }
  }
}
