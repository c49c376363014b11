/// Extends the server's 32-bit frame time, which wraps after 24.85 hours at 48 kHz, to 64 bits.
public struct FrameClock: Sendable {
  public private(set) var frame: Int64?

  public init() {}

  /// The frame time in 64 bits; calls must be less than 2³¹ frames apart. A server may set its frame time back.
  public mutating func extend(_ frameTime: UInt32) -> Int64 {
    let next = frame.map { $0 + Int64(Int32(bitPattern: frameTime &- UInt32(truncatingIfNeeded: $0))) }
    frame = next ?? Int64(frameTime)
    return next ?? Int64(frameTime)
  }
}
