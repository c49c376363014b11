/// Assigns a client's cycles to the server's frame time, extended to 64 bits.
struct CycleClock {
  struct Cycle {
    let frame: Int64
    let frameCount: Int
    /// Frames that the client cannot place, if this cycle does not follow the previous one; else nil.
    ///
    /// They include the cycle itself: a late client may read the frame time of the next cycle while its buffers still contain
    /// this one.
    let gap: Gap?

    var end: Int64 { frame + Int64(frameCount) }
  }

  private var clock = FrameClock()
  private var end: Int64?

  /// The cycle that begins at `frameTime`, the server's frame time in 32 bits. Call it once in each process callback.
  mutating func begin(frameTime: UInt32, frameCount: Int) -> Cycle {
    let frame = clock.extend(frameTime)
    let next = frame + Int64(frameCount)
    defer { end = next }
    let gap = end.flatMap { $0 == frame ? nil : Gap(start: min($0, frame), end: max($0, next)) }
    return Cycle(frame: frame, frameCount: frameCount, gap: gap)
  }
}
