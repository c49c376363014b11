/// What the world knows of a moment.
extension Witness {
  struct Scene {
    let now: UInt64
    let server: SimulatedServer
    /// Nanoseconds of a bar of the other leader; 0 without one.
    let leaderBar: UInt64
    /// How far a click at a clock frame is from the nearest beat of whoever gives the time; nil where nobody does, or it is not
    /// known.
    let distance: (_ frame: Int64, _ role: String, _ beat: TimeGivers.BeatNote) -> TimeGivers.Distance?
    let document: Document?
  }
}
