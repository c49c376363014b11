/// The statistics of a series of judged hits.
package struct TimingSummary: Equatable, Sendable {
  /// Onsets that were hit; flams and simultaneous hits count once.
  package var hits = 0
  /// Onsets that were missed.
  package var missed = 0
  /// Strokes near no onset.
  package var extra = 0
  /// Strokes that did not count because the click sounded; 0 unless they are many.
  package var hidden = 0
  /// The part of the hits in the window, 0…1.
  package var inWindow = 0.0
  /// nil for fewer hits than `Scatter.fewest`, or if an input hears the click.
  package var scatter: Scatter?
  /// The mean asynchrony in milliseconds, even of few hits; 0 without hits.
  package var mean = 0.0
  /// Places of the bar with enough hits; empty for fewer than two.
  package var places: [Part] = []
  /// Drums with enough hits; empty for fewer than two.
  package var drums: [Part] = []
  /// Drums, or inputs if the drum is not known, whose strokes are clearly soft or loud.
  package var strengths: [Strengths] = []
  /// nil for too few off-beats.
  package var swing: Swing?
  /// The silent bars; nil for fewer than eight hits in them.
  package var gaps: Gaps?
  /// Interruptions with missed cycles. Strokes in them were not captured.
  package var missedCycles = 0
  /// Whether all hits are notes or come from calibrated inputs. Otherwise only differences between hits are known.
  package var isCalibrated = true
  /// Whether an input hears the click, so that the hits may not be the player's.
  package var hearsClick = false

  /// Whether hits are notes of an e-drum that is not calibrated: the asynchronies include the module's delay.
  package var hasModuleDelay = false

  /// Whether most strokes were near no click and most clicks were missed, so that the few hits are not representative.
  package var isBeside: Bool { extra > hits && missed > hits }

  /// The soft and the loud strokes of one drum: ghost notes and accents.
  package struct Strengths: Equatable, Sendable {
    /// The name of the drum; empty if it is not known.
    package var name: String
    package var soft: Part
    package var loud: Part
    /// How much later the soft strokes are on average, in milliseconds. The bounds are wider if there are several drums.
    package var later: Estimate
    /// Whether the mean asynchronies differ significantly, and by at least 0.5 ms for notes or 2 ms for audio.
    package var differs: Bool
    /// Whether the spreads differ significantly.
    package var spreadDiffers: Bool
  }

  /// The hits between the beats.
  package struct Swing: Equatable, Sendable {
    /// The number of off-beats.
    package var count: Int
    /// The time from the beat to the off-beat, divided by the time to the next beat: 1 is straight, 2 a triplet.
    package var ratio: Estimate
    /// The ratio of the click.
    package var click: Double
  }

  /// The hits of one place or drum.
  package struct Part: Equatable, Sendable {
    package var name: String
    /// The number of hits.
    package var count: Int
    /// The mean asynchrony in milliseconds.
    package var mean: Double
    /// The standard deviation in milliseconds.
    package var spread: Double
    /// Whether its mean differs significantly from the mean of the other parts.
    package var standsOut: Bool
  }

  /// The hits while the click was silent.
  package struct Gaps: Equatable, Sendable {
    /// The number of hits.
    package var count: Int
    /// The standard deviation around the drift of each gap, in milliseconds.
    package var spread: Double
    /// By how many percent the player was slower than the click; negative is faster. nil for fewer than three gaps.
    package var slower: Estimate?
    /// How much later the player was after each silent bar, in milliseconds; negative is earlier. nil for fewer than three
    /// gaps, or if the length of a bar is not known.
    package var lost: Estimate?
    /// The standard deviation of the player's inner clock, in milliseconds; nil for fewer than 64 intervals, or if the model
    /// does not fit.
    package var clock: Double?
    /// The standard deviation of the player's hands, in milliseconds; nil when `clock` is.
    package var hands: Double?
  }

  package init() {}
}
