import MusicTime

/// The parts of the metronome that users may set at present, with audible effect.
package struct Settable: Equatable, Sendable {
  package let tempo: Bool
  package let meter: Bool
  /// Accents, groups, subdivisions, swing and layers.
  package let pattern: Bool

  /// The names of the parts that may be set.
  package var names: [String] {
    [("tempo", tempo), ("meter", meter), ("pattern", pattern)].filter(\.1).map(\.0)
  }
}

extension Snapshot {
  /// A document sets everything. A leader sets the tempo and the meter; a MIDI clock has no meter. In an Ableton Link session
  /// the tempo is shared and may be set.
  package var settable: Settable {
    let isOwn = progress == nil
    let isLedInMeter = leader.map { (try? Meter($0.count, $0.unit)) != nil } ?? false
    return Settable(tempo: isOwn && leader == nil, meter: isOwn && !isLedInMeter, pattern: isOwn)
  }
}
