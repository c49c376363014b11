/// A point of the pattern against which hits are judged.
package struct Onset: Equatable, Sendable {
  /// The clock frame at which its click leaves the speakers.
  package var frame: Int64
  /// From 1; the bars of a count-in are 0, -1, …
  package var bar: Int
  package var place: Place
  /// What sounds there, or would.
  package var role: Role
  /// Whether the click is silent there, as in a gap.
  package var isSilent: Bool
  /// Whether a click is planned there, so that a stroke is missed; false for places between clicks.
  package var isExpected: Bool
  /// The section's name; empty for the metronome.
  package var section: String
  package var music: Music
  /// Beats a minute; nil until that is known, as at the first beat of a tempo that changes.
  package var tempo: Double?
  /// Where it is in its beat, 0..<1; nil where that is not known.
  package var phase: Double?

  package init(
    frame: Int64, bar: Int, place: Place, role: Role = .beat, isSilent: Bool = false,
    isExpected: Bool = true, section: String = "", music: Music = Music()
  ) {
    (self.frame, self.bar, self.place, self.role) = (frame, bar, place, role)
    (self.section, self.music) = (section, music)
    (self.isSilent, self.isExpected) = (isSilent, isExpected)
  }

  /// Whether a click is heard there.
  package var sounds: Bool { isExpected && !isSilent }

  /// Becomes the same point as another one: the beat before other places of the bar, and these before layers; what sounds
  /// before what does not. A place that was filled in between beats keeps its number.
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

  /// What is at an onset.
  package enum Role: String, Sendable {
    case accent, beat, subdivision, layer
    /// A place between clicks, which was filled in.
    case grid
  }
}

/// A place in the bar.
package struct Place: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// From 1.
  package var beat: Int
  /// The count of the part after the beat; 0 is the beat itself.
  package var part: Int
  /// The number of the layer; 0 for the beats and their parts.
  package var layer: Int

  package init(beat: Int, part: Int = 0, layer: Int = 0) {
    (self.beat, self.part, self.layer) = (beat, part, layer)
  }

  /// Whether it is a beat of the bar.
  package var isBeat: Bool { part == 0 && layer == 0 }

  package static func < (one: Place, other: Place) -> Bool {
    (one.layer, one.beat, one.part) < (other.layer, other.beat, other.part)
  }

  /// `2` is a beat, `2+1` its first part after the beat.
  package var description: String {
    let place = part == 0 ? "\(beat)" : "\(beat)+\(part)"
    return layer == 0 ? place : "\(place) of layer \(layer)"
  }
}

/// A hit, and the onset for which it was meant.
package struct JudgedHit: Equatable, Sendable {
  package var hit: Hit
  package var onset: Onset
  /// How late it is; negative is early.
  package var milliseconds: Double
  /// Whether it is the first at its onset. Others of the same moment, as the kick under the snare, count for their drums alone.
  package var isFirst: Bool
  /// Whether it takes the place of the last hit of the same drum: the main stroke of a flam.
  package var isCorrection: Bool
  /// The number of its onset, counted from the judge's first.
  package var number: Int
  /// The tempo of the last hits, beats a minute; nil where that is not known.
  package var playedTempo: Double?
}
