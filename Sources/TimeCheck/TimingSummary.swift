/// What a series of judged hits tells about the time that was kept.
package struct TimingSummary: Equatable, Sendable {
  /// Onsets that were hit; flams and hits at the same moment count once.
  package var hits = 0
  /// Onsets that were not, and hits that were meant for none.
  package var missed = 0
  package var extra = 0
  /// Strokes that did not count beside the click, where they are many; else 0.
  package var hidden = 0
  /// The part of the hits in the window, 0…1.
  package var inWindow = 0.0
  /// nil for fewer hits than `Scatter.fewest`.
  package var scatter: Scatter?
  /// The mean, also of few hits; 0 without.
  package var mean = 0.0
  /// Places of the bar and drums with enough hits.
  package var places: [Part] = []
  package var drums: [Part] = []
  /// Drums whose strokes are soft and loud ones, by inputs where the drum is not known.
  package var strengths: [Strengths] = []
  /// nil for too few off-beats.
  package var swing: Swing?
  /// The silent bars; nil for fewer than eight hits in them.
  package var gaps: Gaps?
  /// How often cycles were missed meanwhile: what was played then was not heard.
  package var missedCycles = 0
  /// Whether all hits are notes or come from calibrated inputs. Otherwise only differences are known, not how early or late.
  package var isCalibrated = true
  /// Whether an input hears the click, so that nothing is known of the player.
  package var hearsClick = false

  /// Whether an e-drum's notes are not calibrated: the module's delay is in how early or late they are.
  package var hasModuleDelay = false

  /// Whether most strokes were near no click and most clicks without a stroke: the few hits then tell nothing of the player.
  package var isBeside: Bool { extra > hits && missed > hits }

  /// The soft and the loud strokes of one drum: ghost notes and accents.
  package struct Strengths: Equatable, Sendable {
    /// Empty where the drum is not known.
    package var name: String
    package var soft: Part
    package var loud: Part
    /// How much later the soft ones are, in milliseconds. With several drums the bounds are wider.
    package var later: Estimate
    /// Whether the lateness differs, and the spread, with all drums considered.
    package var differs: Bool
    package var spreadDiffers: Bool
  }

  /// The hits between the beats.
  package struct Swing: Equatable, Sendable {
    package var count: Int
    /// The time from the beat to the off-beat, as a multiple of that to the next beat: 1 is straight, 2 a triplet.
    package var ratio: Estimate
    /// That of the click.
    package var click: Double
  }

  /// The hits of one place or drum.
  package struct Part: Equatable, Sendable {
    package var name: String
    package var count: Int
    package var mean: Double
    package var spread: Double
    /// Whether its mean differs from the others', with all other parts considered.
    package var standsOut: Bool
  }

  /// What happened while the click was silent.
  package struct Gaps: Equatable, Sendable {
    package var count: Int
    /// The standard deviation around the drift of each gap, in milliseconds.
    package var spread: Double
    /// By how many per cent slower the player was than the click; negative is faster. nil for fewer than three gaps.
    package var slower: Estimate?
    /// How much later the player was after each silent bar, in milliseconds; negative is earlier. nil as `slower`, or where the
    /// length of a bar is not known.
    package var lost: Estimate?
    /// The standard deviations of the inner clock and of the hands, in milliseconds; nil for fewer than 64 intervals, or where
    /// the model does not fit.
    package var clock: Double?
    package var hands: Double?
  }

  package init() {}
}
