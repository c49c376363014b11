import MusicTime

/// A time against which hits are judged.
package struct Onset: Equatable, Sendable {
  /// The clock frame at which its click leaves the speakers, or would if it were not silent.
  package var frame: ClockFrame
  /// From 1; the bars of a count-in are 0, -1, …
  package var bar: Int
  package var place: Place
  /// The role of its click.
  package var role: Role
  /// Whether the click is silent, as in a gap.
  package var isSilent: Bool
  /// Whether a click is planned there, so that the onset can be missed; false for grid places between clicks.
  package var isExpected: Bool
  /// The section's name; empty for the metronome.
  package var section: String
  package var music: Music
  /// In beats per minute; nil if it is not known, for example at the first beat of a tempo that changes.
  package var tempo: Double?
  /// Its place in its beat, 0..<1; nil if it is not known.
  package var phase: Double?

  package init(
    frame: ClockFrame, bar: Int, place: Place, role: Role = .beat, isSilent: Bool = false,
    isExpected: Bool = true, section: String = "", music: Music = Music()
  ) {
    (self.frame, self.bar, self.place, self.role) = (frame, bar, place, role)
    (self.section, self.music) = (section, music)
    (self.isSilent, self.isExpected) = (isSilent, isExpected)
  }

  /// Whether a click sounds there.
  package var sounds: Bool { isExpected && !isSilent }

  /// Merges another onset at the same time into this one. A beat takes precedence over other places of the bar, these over
  /// layers. The result sounds if one of them does. A grid place keeps its place and takes the role of the click.
  mutating func merge(_ other: Onset) {
    guard other.role != .grid else { return }
    let (isExpected, isSilent) = (isExpected || other.isExpected, isSilent && other.isSilent)
    if other.place.layer < place.layer || other.place.isBeat && !place.isBeat {
      self = other
    } else if role == .grid {
      (frame, role) = (other.frame, other.role)
    }
    (self.isExpected, self.isSilent) = (isExpected, isSilent)
  }

  /// The role of an onset's click.
  package enum Role: String, Sendable {
    case accent, beat, subdivision, layer
    /// A place between clicks, for the setting `listen/grid`.
    case grid
  }
}

/// A place in the bar.
package struct Place: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The number of the beat, from 1.
  package var beat: Int
  /// The number of the part after the beat, from 1; 0 is the beat itself.
  package var part: Int
  /// The number of the layer, from 1; 0 for the beats and their parts.
  package var layer: Int

  package init(beat: Int, part: Int = 0, layer: Int = 0) {
    (self.beat, self.part, self.layer) = (beat, part, layer)
  }

  /// Whether it is a beat of the bar.
  package var isBeat: Bool { part == 0 && layer == 0 }

  /// Orders places by layer, beat and part.
  package static func < (one: Place, other: Place) -> Bool {
    (one.layer, one.beat, one.part) < (other.layer, other.beat, other.part)
  }

  /// `2` is a beat, `2+1` its first part after the beat.
  package var description: String {
    let place = part == 0 ? "\(beat)" : "\(beat)+\(part)"
    return layer == 0 ? place : "\(place) of layer \(layer)"
  }
}

/// A hit and its onset.
package struct JudgedHit: Equatable, Sendable {
  package var hit: Hit
  package var onset: Onset
  /// The asynchrony: how late the hit is; negative is early.
  package var milliseconds: Double
  /// Whether it is the first hit on its onset. Further hits, such as the kick together with the snare, count only for their
  /// drums.
  package var isFirst: Bool
  /// Whether it replaces the last hit of the same drum: the main stroke of a flam replaces the grace note.
  package var isCorrection: Bool
  /// The number of its onset, in the order in which the judge received them.
  package var number: Int
  /// The tempo of the last hits, in beats per minute; nil if it is not known.
  package var playedTempo: Double?
}
