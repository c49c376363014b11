import MusicTime

/// A gain that changes linearly to a new value, so that a fader causes no click.
///
/// The gain of a frame depends on the frame alone, not on the boundaries of periods.
struct GainRamp: BitwiseCopyable {
  /// Seconds of a change.
  static let duration = 0.01

  private var from: Float
  private(set) var target: Float
  /// The clock frame at which the change began.
  private var start: ClockFrame = 0
  private var length: Int64 = 0

  @_noLocks
  init(_ gain: Float) {
    from = gain
    target = gain
  }

  /// The gain at a clock frame, which must not be before the ramp's start.
  /// - Thread: audio
  @_noLocks
  func gain(at frame: ClockFrame) -> Float {
    let elapsed = frame - start
    return elapsed >= length ? target : from + (target - from) * (Float(elapsed) / Float(length))
  }

  /// Whether the gain has reached its target at a clock frame.
  /// - Thread: audio
  @_noLocks
  func isSteady(at frame: ClockFrame) -> Bool { frame - start >= length }

  /// The remaining part of the change, from 1 at its start to 0 at its end.
  /// - Thread: audio
  @_noLocks
  func remainder(at frame: ClockFrame) -> Float {
    length > 0 ? max(0, 1 - Float(frame - start) / Float(length)) : 0
  }

  /// Starts a change to a new gain at a clock frame.
  /// - Parameter length: frames of the change.
  /// - Thread: audio
  @_noLocks
  mutating func move(to gain: Float, at frame: ClockFrame, length: Int64) {
    guard gain != target else { return }
    from = self.gain(at: frame)
    target = gain
    start = frame
    self.length = length
  }

  /// samples *= gain, from a clock frame on.
  /// - Thread: audio
  @_noLocks
  func apply(to samples: UnsafeMutablePointer<Float>, count: Int, at frame: ClockFrame) {
    if target == 1, isSteady(at: frame) { return }
    let moving = movingFrames(at: frame, of: count)
    for index in 0..<moving { samples[index] *= gain(at: frame + Int64(index)) }
    if target != 1 { scale(samples + moving, by: target, count: count - moving) }
  }

  /// samples *= gain, from a clock frame on; destination += samples.
  /// - Thread: audio
  @_noLocks
  func apply(
    to samples: UnsafeMutablePointer<Float>, addingTo destination: UnsafeMutablePointer<Float>, count: Int,
    at frame: ClockFrame
  ) {
    if isSteady(at: frame) { return scale(samples, by: target, addingTo: destination, count: count) }
    let moving = movingFrames(at: frame, of: count)
    for index in 0..<moving {
      samples[index] *= gain(at: frame + Int64(index))
      destination[index] += samples[index]
    }
    scale(samples + moving, by: target, addingTo: destination + moving, count: count - moving)
  }

  /// destination += source · (level · gain), from a clock frame on.
  /// - Thread: audio
  @_noLocks
  func add(
    _ source: UnsafePointer<Float>, times level: Float, to destination: UnsafeMutablePointer<Float>,
    count: Int,
    at frame: ClockFrame
  ) {
    let moving = movingFrames(at: frame, of: count)
    for index in 0..<moving { destination[index] += source[index] * (level * gain(at: frame + Int64(index))) }
    Engine.add(source + moving, times: level * target, to: destination + moving, count: count - moving)
  }

  /// How many of the next frames have a changing gain.
  @_noLocks
  private func movingFrames(at frame: ClockFrame, of count: Int) -> Int {
    Int(max(0, min(Int64(count), start + length - frame)))
  }
}
