/// What the world knows of a moment.
extension Witness {
  struct Scene {
    let now: UInt64
    let server: SimulatedServer
    /// Nanoseconds of a bar of the other leader; 0 without one.
    let leaderBar: UInt64
    /// Nanoseconds from the nearest beat of whoever gives the time, for a clock frame; nil where nobody does, or it is not known.
    let distance:
      (_ frame: Int64, _ role: String, _ beat: TimeGivers.BeatNote) -> (off: Double, limit: Double)?
    let document: Document?
  }
}
