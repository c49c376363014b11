/// The world's state at a moment.
extension Witness {
  struct Scene {
    let now: UInt64
    let server: SimulatedServer
    /// Nanoseconds of the other leader's bar; 0 without one.
    let leaderBar: UInt64
    /// Nanoseconds of a whole note of the MIDI clock; nil if none is received steadily.
    let machineWhole: UInt64?
    let isLinkPlaying: Bool
    /// Returns the distance of a click at a clock frame from the nearest beat of the source of the time; nil if there is no
    /// source, or if it is not known.
    let distance: (_ frame: Int64, _ role: String, _ beat: TimeSources.BeatNote) -> TimeSources.Distance?
    let document: Document?
  }
}
