import MusicTime

/// The moving gains of the four buses and the master.
struct KernelGains: BitwiseCopyable {
  private var accent: GainRamp
  private var beat: GainRamp
  private var subdivision: GainRamp
  private var cue: GainRamp
  private(set) var master: GainRamp

  @_noLocks
  init(_ gains: Gains) {
    accent = GainRamp(gains.accent)
    beat = GainRamp(gains.beat)
    subdivision = GainRamp(gains.subdivision)
    cue = GainRamp(gains.cue)
    master = GainRamp(gains.master)
  }

  /// - Thread: audio
  subscript(role: Role) -> GainRamp {
    @_noLocks get {
      switch role {
      case .accent: accent
      case .beat: beat
      case .subdivision: subdivision
      case .cue: cue
      }
    }
  }

  /// - Thread: audio
  @_noLocks
  mutating func move(to gains: Gains, at clock: Int64, length: Int64) {
    accent.move(to: gains.accent, at: clock, length: length)
    beat.move(to: gains.beat, at: clock, length: length)
    subdivision.move(to: gains.subdivision, at: clock, length: length)
    cue.move(to: gains.cue, at: clock, length: length)
    master.move(to: gains.master, at: clock, length: length)
  }
}
