import MusicTime

/// Mixes the sounding clips: each role to its bus at its volume, all buses to the output at the master volume, reduced by a
/// fade-out.
struct Mixer: ~Copyable {
  private var voices = VoicePool()
  private var buses: PerRole<GainRamp>
  private var layers: LayerLevels
  private var master: GainRamp
  /// The factor by which a fade-out reduces the master volume; 1 without one. Volumes and mutes still apply meanwhile.
  private var fade = GainRamp(1)

  init(_ gains: Gains) {
    buses = gains.buses.map { GainRamp($0) }
    layers = LayerLevels(gains.layers)
    master = GainRamp(gains.master)
  }

  /// Starts a change to new volumes.
  /// - Parameters:
  ///   - length: frames of the change.
  ///   - fade: frames in which the mix fades out; 0 if it does not.
  /// - Thread: audio
  @_noLocks
  mutating func move(to gains: Gains, at clock: ClockFrame, length: Int64, fade: Int64) {
    buses.accent.move(to: gains.buses.accent, at: clock, length: length)
    buses.beat.move(to: gains.buses.beat, at: clock, length: length)
    buses.subdivision.move(to: gains.buses.subdivision, at: clock, length: length)
    buses.cue.move(to: gains.buses.cue, at: clock, length: length)
    layers.move(to: gains.layers, at: clock, length: length)
    master.move(to: gains.master, at: clock, length: length)
    // After a fade-out the next click must begin at its full volume.
    self.fade.move(to: fade > 0 ? 0 : 1, at: clock, length: fade > 0 ? fade : voices.count == 0 ? 0 : length)
  }

  /// Starts a clip, or returns false if too many sound.
  /// - Parameters:
  ///   - gain: the gain before the volumes.
  ///   - generation: the generation of the clip set, which must stay in memory while the clip sounds.
  /// - Thread: audio
  @_noLocks
  mutating func begin(_ samples: UnsafeBufferPointer<Float>, _ role: ClickRole, gain: Float, generation: Int)
    -> Bool
  {
    voices.begin(samples, role: role, gain: gain, generation: generation)
  }

  /// Starts a clip of a layer, or returns false if too many sound.
  /// - Parameter layer: from 0.
  /// - Thread: audio
  @_noLocks
  mutating func begin(
    _ samples: UnsafeBufferPointer<Float>, layer: Int, gain: Float, generation: Int
  ) -> Bool {
    voices.begin(samples, role: .subdivision, layer: layer, gain: gain, generation: generation)
  }

  /// The level of a role's clip on its own port; 0 while the mix is muted, and falling while it fades out.
  /// - Parameters:
  ///   - strength: the clip's gain, before the volumes.
  ///   - clock: the clock frame at which it begins.
  /// - Thread: audio
  @_noLocks
  func level(of role: ClickRole, strength: Float, at clock: ClockFrame) -> Float {
    shown(strength * buses[role].target, at: clock)
  }

  /// The level of a layer's clip on its own port; 0 while the mix is muted, and falling while it fades out.
  /// - Thread: audio
  @_noLocks
  func level(ofLayer layer: Int, strength: Float, at clock: ClockFrame) -> Float {
    shown(strength * layers[layer].target, at: clock)
  }

  @_noLocks
  private func shown(_ level: Float, at clock: ClockFrame) -> Float {
    guard master.target > 0 else { return 0 }
    return fade.target > 0 ? level : level * fade.remainder(at: clock)
  }

  /// Whether any clip sounds.
  /// - Thread: audio
  var isSounding: Bool { @_noLocks get { voices.count > 0 } }

  /// Frames until the last clip has ended.
  /// - Thread: any, audio
  var longest: Int { @_noLocks get { voices.longest } }

  /// The oldest clip set that still sounds; `newest` if none does.
  /// - Thread: audio
  @_noLocks
  func oldestGeneration(newest: Int) -> Int { voices.oldestGeneration(newest: newest) }

  /// Renders a part of a period.
  /// - Parameters:
  ///   - range: frames of the period.
  ///   - clock: the clock frame of the range's first frame.
  /// - Thread: audio
  @_noLocks
  @inline(__always)
  mutating func mix(into outputs: Outputs, _ range: Range<Int>, at clock: ClockFrame) {
    if isSounding { mixVoices(into: outputs, range, at: clock) }
  }

  @_noLocks
  @inline(never)
  private mutating func mixVoices(into outputs: Outputs, _ range: Range<Int>, at clock: ClockFrame) {
    // Almost always one click sounds alone, and no fader moves.
    if let role = voices.onlyRole, buses[role].isSteady(at: clock), master.isSteady(at: clock),
      fade.target == 1, fade.isSteady(at: clock)
    {
      return voices.mixOnly(
        into: outputs.buses[role] + range.lowerBound, at: buses[role].target,
        outputs.out + range.lowerBound, at: master.target, frames: range.count)
    }
    let roles = voices.mix(
      into: outputs, from: range.lowerBound, frames: range.count, layers, at: clock)
    if roles.contains(.accent) { sum(.accent, outputs, range, at: clock) }
    if roles.contains(.beat) { sum(.beat, outputs, range, at: clock) }
    if roles.contains(.subdivision) { sum(.subdivision, outputs, range, at: clock) }
    if roles.contains(.cue) { sum(.cue, outputs, range, at: clock) }
    master.apply(to: outputs.out + range.lowerBound, count: range.count, at: clock)
    fade.apply(to: outputs.out + range.lowerBound, count: range.count, at: clock)
  }

  /// Adds a role at its volume to the mix.
  @_noLocks
  private func sum(_ role: ClickRole, _ outputs: Outputs, _ range: Range<Int>, at clock: ClockFrame) {
    let bus = outputs.buses[role] + range.lowerBound
    buses[role].apply(to: bus, addingTo: outputs.out + range.lowerBound, count: range.count, at: clock)
  }
}

/// Linear gains of the roles' buses and of the master: 0 is silence, 1 leaves the clip unchanged.
package struct Gains: BitwiseCopyable, Hashable, Sendable {
  /// The gain of each role, in the mix and on its own port.
  package var buses = PerRole<Float>(repeating: 1)
  /// The gain of each layer, in the mix and on its own port.
  package var layers = SIMD8<Float>(repeating: 1)
  /// The gain of the mix.
  package var master: Float = 1

  package init() {}
}
