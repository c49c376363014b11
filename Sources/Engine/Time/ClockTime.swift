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
  var frameRoundedUp: ClockFrame { @_noLocks get { ClockFrame(raw.framesRoundedUp) } }
}

extension Int128 {
  /// A duration in 2⁻⁶⁴ frames as whole frames, rounded up.
  var framesRoundedUp: Int64 {
    @_noLocks get { Int64(truncatingIfNeeded: (self + ((1 << 64) - 1)) >> 64) }
  }
}
