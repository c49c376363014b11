import MusicTime
import Realtime

/// The volumes of the layers, which have no buffers unless they have ports.
struct LayerLevels: ~Copyable {
  private var ramps = InlineArray<8, GainRamp>(repeating: GainRamp(1))
  private var targets: SIMD8<Float>
  private let pin = Pin()

  init(_ gains: SIMD8<Float>) {
    targets = gains
    for index in 0..<8 { ramps[index] = GainRamp(gains[index]) }
  }

  subscript(layer: Int) -> GainRamp { @_noLocks get { ramps[layer] } }

  /// Starts a change to new volumes.
  /// - Parameter length: frames of the change.
  /// - Thread: audio
  @_noLocks
  mutating func move(to gains: SIMD8<Float>, at clock: ClockFrame, length: Int64) {
    guard gains != targets else { return }
    targets = gains
    for index in 0..<8 { ramps[index].move(to: gains[index], at: clock, length: length) }
  }

  /// Adds a layer's voice at its volume to the mix, and to its own buffer.
  /// - Parameter offset: the first frame in the buffers.
  /// - Thread: audio
  @_noLocks
  func add(_ voice: Voice, to outputs: Outputs, from offset: Int, count: Int, at clock: ClockFrame) {
    let index = Int(voice.layer)
    ramps[index].add(voice.samples, times: voice.gain, to: outputs.out + offset, count: count, at: clock)
    guard index < outputs.layers.count else { return }
    ramps[index].add(
      voice.samples, times: voice.gain, to: outputs.layers[index] + offset, count: count, at: clock)
  }
}
