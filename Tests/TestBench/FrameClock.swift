/// Extends the server's 32-bit frame time, which wraps after 24.85 hours at 48 kHz, to 64 bits.
public struct FrameClock: Sendable {
  public private(set) var frame: Int64?

  public init() {}

  /// The frame time in 64 bits; calls must be less than 2^32 frames apart.
  public mutating func extend(_ frameTime: UInt32) -> Int64 {
    guard let last = frame else {
      frame = Int64(frameTime)
      return Int64(frameTime)
    }
    let next = last + Int64(frameTime &- UInt32(truncatingIfNeeded: last))
    frame = next
    return next
  }
}
