import MusicTime

/// The moving gains of the four buses and the master.
struct KernelGains: BitwiseCopyable {
  private(set) var buses: PerRole<GainRamp>
  private(set) var master: GainRamp

  @_noLocks
  init(_ gains: Gains) {
    buses = gains.buses.map { GainRamp($0) }
    master = GainRamp(gains.master)
  }

  /// - Thread: audio
  @_noLocks
  mutating func move(to gains: Gains, at clock: Int64, length: Int64) {
    buses.accent.move(to: gains.buses.accent, at: clock, length: length)
    buses.beat.move(to: gains.buses.beat, at: clock, length: length)
    buses.subdivision.move(to: gains.buses.subdivision, at: clock, length: length)
    buses.cue.move(to: gains.buses.cue, at: clock, length: length)
    master.move(to: gains.master, at: clock, length: length)
  }
}
