import MusicTime
import TimeCheck

/// A take in the practice log, without its hits (`LoggedHit`).
package struct LoggedTake: Equatable, Sendable {
  /// From 1, never reused; 0 before the take is written.
  package var number: Int64 = 0
  /// The time of the first hit, in milliseconds since the Unix epoch.
  package var began: Int64
  /// The time from the first hit to the last, in seconds.
  package var seconds: Double
  package var music: Music
  /// The section's name; empty for the metronome.
  package var section: String
  /// The click's tempos; nil if none was known.
  package var tempo: TempoRange?
  /// In frames per second.
  package var sampleRate: Int
  /// Whether `mean` and the hits' asynchronies are known absolutely.
  package var isCalibrated: Bool
  /// The time at which the player wanted to play, in milliseconds after the click.
  package var target: Double
  /// The largest distance from the target, in milliseconds.
  package var window: Double
  /// Onsets that were hit.
  package var hits: Int
  /// Onsets that were missed.
  package var missed: Int
  /// Strokes near no onset.
  package var extra: Int
  /// The part of the hits in the window, 0…1.
  package var inWindow: Double
  /// The mean asynchrony in milliseconds; positive is late.
  package var mean: Double
  /// In milliseconds; nil for fewer hits than `Scatter.fewest`.
  package var spread: Estimate?
  /// In milliseconds per 10 s; nil for fewer hits than `Scatter.fewest`.
  package var drift: Estimate?
  /// The spread in silent bars, in milliseconds; nil for too few hits in them.
  package var gapSpread: Double?
  /// By how many percent the player was slower than the click in silent bars; nil for fewer than three gaps.
  package var gapSlower: Double?
  /// The take's audio; nil if it was not recorded.
  package var recording: Recorded?

  /// The place of a take's audio.
  package struct Recorded: Equatable, Sendable {
    /// The path of the file.
    package var file: String
    /// The time of the first hit, in seconds from the file's start.
    package var seconds: Double
    /// How much of the take is silent or missing in the file because it could not be written, in seconds.
    package var lost: Double

    package init(file: String, seconds: Double, lost: Double = 0) {
      (self.file, self.seconds, self.lost) = (file, seconds, lost)
    }
  }

  package init(
    began: Int64, seconds: Double, music: Music, section: String, tempo: TempoRange?, sampleRate: Int,
    isCalibrated: Bool, target: Double = 0, window: Double = 20, hits: Int, missed: Int = 0, extra: Int = 0,
    inWindow: Double = 0, mean: Double, spread: Estimate? = nil, drift: Estimate? = nil,
    gapSpread: Double? = nil, gapSlower: Double? = nil, recording: Recorded? = nil
  ) {
    self.recording = recording
    (self.began, self.seconds, self.music, self.section) = (began, seconds, music, section)
    (self.tempo, self.sampleRate, self.isCalibrated) = (tempo, sampleRate, isCalibrated)
    (self.target, self.window, self.inWindow) = (target, window, inWindow)
    (self.hits, self.missed, self.extra, self.mean) = (hits, missed, extra, mean)
    (self.spread, self.drift, self.gapSpread, self.gapSlower) = (spread, drift, gapSpread, gapSlower)
  }

  /// - Parameter now: the time of the report, in milliseconds since the Unix epoch.
  package init(_ report: TakeReport, now: Int64) {
    let (take, summary) = (report.take, report.summary)
    self.init(
      began: now - Int64((report.age * 1_000).rounded()), seconds: take.seconds, music: take.music,
      section: report.section, tempo: take.tempos, sampleRate: take.sampleRate,
      isCalibrated: summary.isCalibrated && !summary.hearsClick && !summary.isBeside,
      target: take.policy.target, window: take.policy.window,
      hits: summary.hits,
      missed: summary.missed, extra: summary.extra, inWindow: summary.inWindow, mean: summary.mean,
      spread: summary.scatter?.spread, drift: summary.scatter?.drift, gapSpread: summary.gaps?.spread,
      gapSlower: summary.gaps?.slower?.value)
  }

  /// The song's title, or `metronome`, and the section.
  package var name: String {
    let title = music.title.isEmpty ? "metronome" : music.title
    return section.isEmpty ? title : "\(title): \(section)"
  }
}

/// A hit of a take in the practice log.
package struct LoggedHit: Equatable, Sendable {
  /// Frames after the take's first hit.
  package var frame: Int64
  /// The asynchrony; negative is early.
  package var milliseconds: Double
  /// From 1.
  package var bar: Int
  package var place: Place
  /// Whether its click was silent.
  package var isSilent: Bool
  /// Whether it is the first hit on its onset.
  package var isFirst: Bool
  /// The click's tempo in beats per minute; nil if it is not known.
  package var tempo: Double?
  /// The short name of the JACK port.
  package var port: String
  /// The name of the drum; nil if it is not known.
  package var drum: String?
  /// The peak of the audio, where full scale is 1, or the note's velocity, 0…1.
  package var strength: Double

  package init(
    frame: Int64, milliseconds: Double, bar: Int, place: Place, isSilent: Bool = false,
    isFirst: Bool = true, tempo: Double? = nil, port: String = "hits", drum: String? = nil,
    strength: Double = 1
  ) {
    (self.frame, self.milliseconds, self.bar, self.place) = (frame, milliseconds, bar, place)
    (self.isSilent, self.isFirst, self.tempo, self.port) = (isSilent, isFirst, tempo, port)
    (self.drum, self.strength) = (drum, strength)
  }

  /// The hits of a take.
  /// - Parameter setup: gives the names of the ports.
  package static func hits(of take: Take, _ setup: ListeningSetup) -> [LoggedHit] {
    let first = take.entries.first?.frame ?? 0
    return take.entries.map {
      LoggedHit(
        frame: $0.frame - first, milliseconds: $0.milliseconds, bar: $0.bar, place: $0.place,
        isSilent: $0.isSilent, isFirst: $0.isFirst, tempo: $0.tempo, port: setup.port(of: $0.source),
        drum: $0.drum?.rawValue, strength: Double($0.strength))
    }
  }
}
