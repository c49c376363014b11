import MusicTime

/// Delays of the audio ports in frames, so that all are heard together: each port's delay is the difference between the
/// longest latency to the speakers and its own.
package struct PortDelays: BitwiseCopyable, Sendable {
  /// The number of ports: the mix, the roles in the order of `ClickRole`, and the layers.
  package static var count: Int { @_noLocks get { 13 } }
  @usableFromInline var frames = SIMD16<Int32>()
  /// Whether any port is delayed.
  package private(set) var isAny = false

  @_noLocks
  @inlinable
  package init() {}

  /// - Parameter port: from 0: the mix, accent, beat, subdivision, cue, then the layers.
  /// - Thread: any, audio
  package subscript(port: Int) -> Int {
    @_noLocks get { Int(frames[port]) }
    @_noLocks set {
      frames[port] = Int32(min(max(newValue, 0), DelayLine.capacity))
      if newValue > 0 { isAny = true }
    }
  }
}

/// Delays the audio ports.
struct DelayLines: ~Copyable {
  private let lines: UnsafeMutablePointer<DelayLine>
  /// Whether any port is delayed, or still has a delay from before.
  private(set) var isActive = false
  /// Frames until all delayed sound has been output.
  private(set) var longest = 0

  init() {
    lines = .allocate(capacity: PortDelays.count)
    for port in 0..<PortDelays.count { (lines + port).initialize(to: DelayLine()) }
  }

  deinit {
    for port in 0..<PortDelays.count { lines[port].free() }
    lines.deallocate()
  }

  /// Delays the audio of a period.
  /// - Thread: audio
  @_noLocks
  @inline(never)
  mutating func apply(_ delays: PortDelays, to outputs: Outputs, frames: Int) {
    (isActive, longest) = (delays.isAny, 0)
    apply(delays, 0, to: outputs.out, frames)
    apply(delays, 1, to: outputs.buses.accent, frames)
    apply(delays, 2, to: outputs.buses.beat, frames)
    apply(delays, 3, to: outputs.buses.subdivision, frames)
    apply(delays, 4, to: outputs.buses.cue, frames)
    for layer in 0..<outputs.layers.count { apply(delays, 5 + layer, to: outputs.layers[layer], frames) }
  }

  @_noLocks
  private mutating func apply(
    _ delays: PortDelays, _ port: Int, to buffer: UnsafeMutablePointer<Float>, _ frames: Int
  ) {
    lines[port].apply(delays[port], to: buffer, frames: frames)
    if lines[port].delay > 0 { isActive = true }
    longest = max(longest, lines[port].held)
  }
}

/// Delays one port. The delay changes only while the port is silent, so that no clip is cut.
struct DelayLine: BitwiseCopyable {
  /// Frames; more than any device's latency.
  static let capacity = 1 << 16

  private let ring: UnsafeMutablePointer<Float>
  private var place = 0
  /// The current delay in frames.
  private(set) var delay = 0
  /// Frames for which it still carries sound.
  private(set) var held = 0

  init() {
    // Untouched memory costs nothing, so the used part is cleared only when a delay begins.
    ring = .allocate(capacity: DelayLine.capacity)
  }

  func free() { ring.deallocate() }

  /// - Parameter wanted: the requested delay in frames.
  /// - Thread: audio
  @_noLocks
  mutating func apply(_ wanted: Int, to buffer: UnsafeMutablePointer<Float>, frames: Int) {
    guard wanted > 0 || delay > 0 else { return }
    let last = lastSound(buffer, frames)
    if wanted != delay, last < 0, held == 0 {
      (delay, place) = (wanted, 0)
      clear(ring, count: wanted)
    }
    guard delay > 0 else { return }
    held = last >= 0 ? delay - (frames - 1 - last) : held - frames
    if held < 0 { held = 0 }
    for index in 0..<frames {
      let sample = ring[place]
      ring[place] = buffer[index]
      buffer[index] = sample
      place += 1
      if place == delay { place = 0 }
    }
  }

  /// The last frame that is not silent; −1 if all are.
  @_noLocks
  private func lastSound(_ buffer: UnsafeMutablePointer<Float>, _ frames: Int) -> Int {
    var index = frames - 1
    while index >= 0, buffer[index] == 0 { index -= 1 }
    return index
  }
}
