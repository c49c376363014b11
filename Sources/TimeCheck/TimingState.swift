/// The present state of the time check, for displays and detectors.
package struct TimingState: Equatable, Sendable {
  /// The summary of the last hits of the take.
  package var recent = TimingSummary()
  /// The asynchronies of the last hits in milliseconds, the newest last.
  package var lastHits: [Double] = []
  /// The tempo of the last hits, in beats per minute; nil if it is not known.
  package var playedTempo: Double?
  /// The played tempos of the last bars, in beats per minute, the newest last.
  package var playedTempos: [Double] = []
  /// Onsets of the take that were hit.
  package var hits = 0
  /// Onsets of the take that were missed.
  package var missed = 0
  /// Strokes near no onset before the first hit of the take.
  package var strays = 0
  /// Strokes of the take that do not count, because a click sounded that was almost as loud.
  package var hidden = 0
  /// Whether every judged audio input is calibrated; notes need no calibration. True until the server is known.
  package var isCalibrated = true
  /// Whether an input certainly hears the click instead of a player.
  package var hearsClick = false
  /// The ports of inputs without a connection.
  package var unconnected: [String] = []
  /// Whether a calibration is in progress.
  package var isCalibrating = false
  /// How many strokes on a pad the calibration still needs; nil if it measures clicks, or if there is none.
  package var strokesLeft: Int?
  /// How many clicks the calibration has not sent yet; nil if it measures strokes, or if there is none.
  package var clicksLeft: Int?
  /// The peaks with which audio inputs hear the click, by their indices; full scale is 1, 0 is no bleed.
  package var bleeds: [Int: Float] = [:]
  /// The calibration offsets of audio inputs in milliseconds, by their indices; inputs without a calibration are missing.
  package var offsets: [Int: Double] = [:]
  package var policy = TimeChecker.Policy()
  /// The intermediate result of the coach's trial; nil if the section has no coach.
  package var trial: Coach.Standing?
  /// The drum that is assigned to the next note; nil if no note is learned.
  package var learning: Drum?

  package init() {}
}

/// News of the time check, for observers.
package enum TimingNews: Equatable, Sendable {
  /// A hit was judged.
  case hit(JudgedHit)
  /// A take or section is over.
  case take(TakeReport)
  /// The coach has decided the next step.
  case coached(CoachReport)
  /// Silent bars are over.
  case quiet(SilentBarsReport)
  /// A note was assigned to a drum.
  case learned(note: UInt8, drum: Drum)
  /// A calibration begins, with an instruction for the player.
  case calibrating(String)
  case calibrated(Calibration)
  /// A calibration has failed, with the reason.
  case notCalibrated(String)
}

/// A take or section that is over.
package struct TakeReport: Equatable, Sendable {
  /// The section's name; empty for the metronome.
  package var section: String
  package var summary: TimingSummary
  package var take: Take
  /// The time since its first hit, in seconds.
  package var age: Double
  /// The summary in words, one sentence a line.
  package var lines: [String]
}
