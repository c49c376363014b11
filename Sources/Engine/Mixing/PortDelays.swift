import MusicTime

/// Frames by which the audio ports hold back what the engine has made, so that all are heard together: by as much as the way to
/// the speakers is shorter than the longest one.
package struct PortDelays: BitwiseCopyable, Sendable {
  /// The mix, the roles in the order of `ClickRole`, and the layers.
  package static var count: Int { @_noLocks get { 13 } }
  private var frames = SIMD16<Int32>()
  /// Whether any port is held back.
  package private(set) var isAny = false

  @_noLocks
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

/// Holds back the audio ports.
struct DelayLines: ~Copyable {
  private let lines: UnsafeMutablePointer<DelayLine>
  /// Whether a port is held back, or holds something yet.
  private(set) var isActive = false
  /// Frames until all that is held back has left.
  private(set) var longest = 0

  init() {
    lines = .allocate(capacity: PortDelays.count)
    for port in 0..<PortDelays.count { (lines + port).initialize(to: DelayLine()) }
  }

  deinit {
    for port in 0..<PortDelays.count { lines[port].free() }
    lines.deallocate()
  }

  /// Holds a period back.
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

/// Holds one port back. Its delay changes while the port is silent, so that no clip is torn.
struct DelayLine: BitwiseCopyable {
  /// Frames; more than any device's latency.
  static let capacity = 1 << 16

  private let ring: UnsafeMutablePointer<Float>
  private var place = 0
  /// Frames by which it is held back.
  private(set) var delay = 0
  /// Frames for which it still carries sound.
  private(set) var held = 0

  init() {
    // Memory that is not touched takes none: what is used is cleared then.
    ring = .allocate(capacity: DelayLine.capacity)
  }

  func free() { ring.deallocate() }

  /// - Parameter wanted: frames by which it is to be held back.
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
