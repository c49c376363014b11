import TimeCheck

/// A take as the practice log keeps it: what was played, and how it went. Its hits are `LoggedHit`s.
package struct LoggedTake: Equatable, Sendable {
  /// From 1, never used again; 0 before the take is kept.
  package var number: Int64 = 0
  /// When the first hit was played, in milliseconds since the Unix epoch.
  package var began: Int64
  /// From the first hit to the last.
  package var seconds: Double
  package var music: Music
  /// The section's name; empty for the metronome.
  package var section: String
  /// nil where no tempo was known.
  package var tempo: TempoRange?
  package var sampleRate: Int
  package var isCalibrated: Bool
  /// In milliseconds: where the player wanted to be, and how far from that a hit is in the window.
  package var target: Double
  package var window: Double
  package var hits: Int
  package var missed: Int
  package var extra: Int
  /// The part of the hits in the window, 0…1.
  package var inWindow: Double
  /// In milliseconds; positive is late.
  package var mean: Double
  /// nil for fewer hits than `Scatter.fewest`. The drift is in milliseconds in ten seconds.
  package var spread: Estimate?
  package var drift: Estimate?
  /// Of the silent bars, in milliseconds and per cent: as `TimingSummary.Gaps`.
  package var gapSpread: Double?
  package var gapSlower: Double?
  /// Its audio; nil if that was not recorded.
  package var recording: Recorded?

  /// Where the audio of a take is.
  package struct Recorded: Equatable, Sendable {
    /// The path of the file.
    package var file: String
    /// Of the first hit, in seconds from the file's beginning.
    package var seconds: Double
    /// How much of the take is silent in the file because it could not be written in time, in seconds.
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

  /// - Parameter now: milliseconds since the Unix epoch, when the report came.
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

  /// What was played, in a few words.
  package var name: String {
    let title = music.title.isEmpty ? "metronome" : music.title
    return section.isEmpty ? title : "\(title): \(section)"
  }
}

/// A hit of a take as the practice log keeps it.
package struct LoggedHit: Equatable, Sendable {
  /// Frames after the take's first hit.
  package var frame: Int64
  /// How late it is; negative is early.
  package var milliseconds: Double
  package var bar: Int
  package var place: Place
  package var isSilent: Bool
  /// Whether it is the first at its onset.
  package var isFirst: Bool
  /// Beats a minute of the click; nil if that was not known.
  package var tempo: Double?
  /// The JACK port, without the client's name.
  package var port: String
  package var drum: String?
  /// 0…1.
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
  /// - Parameter setup: names the ports.
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
