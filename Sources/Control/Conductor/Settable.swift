import MusicTime

/// What of the metronome may be set, and is heard when it is.
package struct Settable: Equatable, Sendable {
  package let tempo: Bool
  package let meter: Bool
  /// Accents, groups, subdivisions, swing and layers.
  package let pattern: Bool

  /// The names of what may be set.
  package var names: [String] {
    [("tempo", tempo), ("meter", meter), ("pattern", pattern)].filter(\.1).map(\.0)
  }
}

extension Snapshot {
  /// A document sets all of it, a leader the tempo and the meter. A MIDI clock has no meter. With Ableton Link the tempo is
  /// everybody's.
  package var settable: Settable {
    let isOwn = progress == nil
    let isLedInMeter = leader.map { (try? Meter($0.count, $0.unit)) != nil } ?? false
    return Settable(tempo: isOwn && leader == nil, meter: isOwn && !isLedInMeter, pattern: isOwn)
  }
}
