import MusicTime

/// A point on the axis of the engine's clock with a resolution of 2⁻⁶⁴ frames, as `FrameTime` is one on the timeline.
struct ClockTime: BitwiseCopyable {
  /// 2⁻⁶⁴ frames.
  let raw: Int128

  /// - Thread: any, audio
  @_noLocks
  init(raw: Int128) { self.raw = raw }

  /// The exact start of a frame.
  /// - Thread: any, audio
  @_noLocks
  init(frame: ClockFrame) { raw = Int128(frame.number) << 64 }

  /// The nearest frame; a tie goes to the later one.
  /// - Thread: any, audio
  var nearestFrame: ClockFrame { @_noLocks get { ClockFrame(Int64((raw + (1 << 63)) >> 64)) } }

  /// The first frame that is not earlier.
  /// - Thread: any, audio
  var frameRoundedUp: ClockFrame { @_noLocks get { ClockFrame(FrameDuration(raw: raw).framesRoundedUp) } }

  @_noLocks
  static func + (time: ClockTime, duration: FrameDuration) -> ClockTime {
    ClockTime(raw: time.raw + duration.raw)
  }

  @_noLocks
  static func - (time: ClockTime, duration: FrameDuration) -> ClockTime {
    ClockTime(raw: time.raw - duration.raw)
  }

  /// The duration from `b` to `a`.
  @_noLocks
  static func - (a: ClockTime, b: ClockTime) -> FrameDuration { FrameDuration(raw: a.raw - b.raw) }
}
