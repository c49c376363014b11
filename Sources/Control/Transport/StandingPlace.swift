import MusicTime

/// The bar and beat of the metronome at which a stopped transport stands.
struct StandingPlace {
  /// nil if it is unknown.
  private(set) var place: BeatPlace?

  /// What the grid depends on.
  private struct Basis: Equatable {
    let meter: Meter
    let unit: BeatUnit
    let tempo: Tempo
    let sampleRate: Int
  }
  private var basis: Basis?
  private var grid: BarGrid?

  mutating func clear() { place = nil }

  /// - Parameters:
  ///   - frame: since the score's start.
  ///   - settings: with the meter and tempo of the bars.
  mutating func stand(at frame: Int64, in settings: Settings, sampleRate: Int) {
    let new = Basis(
      meter: settings.meter, unit: settings.effectiveBeatUnit, tempo: settings.tempo, sampleRate: sampleRate)
    if new != basis {
      basis = new
      grid = (try? BarLayout(meter: new.meter, beatUnit: new.unit)).map {
        BarGrid($0, tempo: new.tempo, sampleRate: sampleRate)
      }
    }
    // A beat that rounds to this frame has been reached. A tie rounds to the later frame.
    let time = FrameDuration(wholeFrames: frame) + .halfFrame - FrameDuration(raw: 1)
    place = grid.map { grid in
      let position = grid.position(at: time)
      return BeatPlace(bar: position.bar, beat: position.beat)
    }
  }
}
