import Validation

/// One bar, compiled: its onsets at exact offsets in whole notes from the bar's start.
package struct BarLayout: Hashable, Sendable {
  /// The start of one clip.
  package struct Onset: Hashable, Sendable {
    /// Whole notes from the bar's start.
    package let offset: Rational
    /// The beat that contains the onset, from 0.
    package let beat: Int
    /// The role whose clip sounds.
    package let role: ClickRole
    /// Gain of the clip, 0…1. A silent beat is an onset with gain 0.
    package let strength: Float
  }

  /// The largest number of beats in a bar: 99 whole notes counted in 99ths.
  package static let maximumBeats = 9_801

  package let meter: Meter
  /// The note that the tempo counts.
  package let beatUnit: BeatUnit
  /// In order of offset. The first is the downbeat.
  package let onsets: [Onset]
  /// Beats in each group; one group if none are given.
  package let groups: [Int]
  /// How its binary subdivisions are delayed.
  package let swing: Swing

  /// The number of beats in a bar. The last one may be short: 7/8 in quarters has four.
  package static func beats(in meter: Meter, unit: BeatUnit) -> Int {
    (meter.barLength / unit.length).roundedUp
  }

  /// - Throws: `InvalidValue` if accents or groups don't have the bar's number of beats.
  package static func check(accents: AccentPattern?, groups: Groups?, beats: Int) throws(InvalidValue) {
    if let accents, accents.accents.count != beats {
      throw InvalidValue(
        "accents", quoted(accents.description), allowed: "\(beats) long, one for each beat of the bar")
    }
    if let groups, groups.beats != beats {
      throw InvalidValue("groups", groups.description, allowed: "a sum of \(beats), the beats of the bar")
    }
  }

  /// Compiles a bar. If onsets of two subdivisions coincide, one onset remains, with the larger volume.
  ///
  /// - Parameters:
  ///   - beatUnit: the note that the tempo counts; the meter's own note if nil.
  ///   - subdivisions: volume (0…1) of each subdivision; volume 0 turns one off.
  ///   - accents: one for each beat. If nil, the first beat of each of `groups` is accented, or the downbeat without groups.
  /// - Throws: `InvalidValue` if accents or groups don't have the bar's number of beats.
  package init(
    meter: Meter, beatUnit: BeatUnit? = nil, subdivisions: [Subdivision: Float] = [:],
    accents: AccentPattern? = nil, groups: Groups? = nil, swing: Swing = .straight
  ) throws(InvalidValue) {
    let unit = beatUnit ?? meter.note
    let beats = BarLayout.beats(in: meter, unit: unit)
    try BarLayout.check(accents: accents, groups: groups, beats: beats)
    let pattern = accents ?? AccentPattern(groups: groups?.sizes ?? [beats])
    let parts = BarLayout.parts(of: subdivisions, swing: swing)

    var onsets: [Onset] = []
    for (beat, accent) in pattern.accents.enumerated() {
      let start = Rational(beat) * unit.length
      onsets.append(Onset(offset: start, beat: beat, role: accent.role, strength: accent.strength))
      for part in parts {
        let offset = start + part.offset * unit.length
        guard offset < meter.barLength else { break }
        onsets.append(Onset(offset: offset, beat: beat, role: .subdivision, strength: part.volume))
      }
    }
    self.meter = meter
    self.beatUnit = unit
    self.onsets = onsets
    self.groups = groups?.sizes ?? [beats]
    self.swing = swing
  }

  /// The subdivision onsets within a beat, in order, each offset once with its largest volume.
  private static func parts(
    of subdivisions: [Subdivision: Float], swing: Swing
  ) -> [(offset: Rational, volume: Float)] {
    var loudest: [Rational: Float] = [:]
    for (subdivision, volume) in subdivisions where volume > 0 {
      for offset in subdivision.offsets(swing: swing) {
        loudest[offset] = max(loudest[offset] ?? 0, volume)
      }
    }
    return loudest.map { (offset: $0.key, volume: $0.value) }.sorted { $0.offset < $1.offset }
  }
}
