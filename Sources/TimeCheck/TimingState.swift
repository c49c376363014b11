/// What Tactus hears at one moment, for displays.
package struct TimingState: Equatable, Sendable {
  /// The last hits of the take.
  package var recent = TimingSummary()
  /// In milliseconds, the newest last.
  package var lastHits: [Double] = []
  /// The tempo of the last hits, beats a minute; nil where that is not known. Of the last bars, the newest last.
  package var playedTempo: Double?
  package var playedTempos: [Double] = []
  /// Hits of the take, and onsets that were missed.
  package var hits = 0
  package var missed = 0
  /// Strokes that are near no onset, before the first hit of the take.
  package var strays = 0
  /// Strokes of the take that do not count, as a click sounded that was heard almost as loud.
  package var hidden = 0
  /// Whether every audio input is calibrated; notes need no calibration. True until the server is known.
  package var isCalibrated = true
  /// Whether an input that is not calibrated hears the click.
  package var hearsClick = false
  /// The ports of inputs that are connected to nothing.
  package var unconnected: [String] = []
  /// Whether a calibration is under way.
  package var isCalibrating = false
  /// How many strokes on a pad it waits for; nil if it asks for silence.
  package var strokesLeft: Int?
  /// How many clicks it is still to send; nil if it waits for strokes.
  package var clicksLeft: Int?
  /// The peaks with which inputs hear the click, for their detectors.
  package var bleeds: [Int: Float] = [:]
  /// How late inputs are beyond JACK's latencies, in milliseconds, where that was calibrated.
  package var offsets: [Int: Double] = [:]
  package var policy = TimeChecker.Policy()
  /// How a coached section's trial stands; nil where nobody is coached.
  package var trial: Coach.Standing?
  /// The drum whose note is learned with the next stroke; nil for none.
  package var learning: Drum?

  package init() {}
}

/// What a time check has to tell.
package enum TimingNews: Equatable, Sendable {
  /// A hit that was judged.
  case hit(JudgedHit)
  /// A take or section is over.
  case take(TakeReport)
  /// What follows in a section that is coached.
  case coached(CoachReport)
  /// Silent bars are over.
  case quiet(QuietReport)
  /// A note was learned, which is this drum from now on.
  case learned(note: UInt8, drum: Drum)
  /// A calibration begins: what the player is to do.
  case calibrating(String)
  case calibrated(Calibration)
  /// Nothing was measured, for a reason.
  case notCalibrated(String)
}

/// A take or section that is over.
package struct TakeReport: Equatable, Sendable {
  /// The section's name; empty for the metronome.
  package var section: String
  package var summary: TimingSummary
  package var take: Take
  /// How long ago its first hit was, in seconds.
  package var age: Double
  package var lines: [String]
}
