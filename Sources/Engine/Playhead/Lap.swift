import MusicTime

/// One pass through the music, until a loop or a held section repeats.
struct Lap: BitwiseCopyable {
  /// The point on the timeline at which the score starts.
  private(set) var origin: FrameTime
  /// The content of the previous laps.
  private(set) var elapsed: Elapsed

  /// Bars, ticks of the JACK transport, and MIDI clock pulses (2⁻⁶⁴) in a number of laps.
  struct Elapsed: BitwiseCopyable {
    let bars: Int
    /// The number of these bars that belong to rounds of a `Repetition`.
    let roundBars: Int
    /// The number of these bars that are not shown: an open section counts as one bar.
    let hiddenBars: Int
    let ticks: Double
    let pulses: Int128

    @_noLocks
    init(bars: Int = 0, roundBars: Int = 0, hiddenBars: Int = 0, ticks: Double = 0, pulses: Int128 = 0) {
      (self.bars, self.roundBars, self.hiddenBars) = (bars, roundBars, hiddenBars)
      (self.ticks, self.pulses) = (ticks, pulses)
    }

    /// The bars as they are shown.
    var shownBars: Int { @_noLocks get { bars - hiddenBars } }

    @_noLocks
    static func + (a: Elapsed, b: Elapsed) -> Elapsed {
      Elapsed(
        bars: a.bars + b.bars, roundBars: a.roundBars + b.roundBars, hiddenBars: a.hiddenBars + b.hiddenBars,
        ticks: a.ticks + b.ticks, pulses: a.pulses + b.pulses)
    }
  }

  /// A lap at an origin; by default the first.
  @_noLocks
  init(origin: FrameTime, elapsed: Elapsed = Elapsed()) { (self.origin, self.elapsed) = (origin, elapsed) }

  /// The same lap after additional laps.
  /// - Thread: audio
  @_noLocks
  mutating func add(_ elapsed: Elapsed) { self.elapsed = self.elapsed + elapsed }

  /// Moves the score's start to a later time.
  /// - Thread: audio
  @_noLocks
  mutating func move(by duration: FrameDuration) { origin = origin + duration }
}
