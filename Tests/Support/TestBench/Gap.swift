/// Frames that a recorder did not record, from `start` to before `end`.
public struct Gap: Sendable, Equatable, BitwiseCopyable {
  public var start: Int64
  public var end: Int64

  public init(start: Int64, end: Int64) {
    self.start = start
    self.end = end
  }

  public var frameCount: Int64 { end - start }

  public func contains(_ frame: Int64) -> Bool { start <= frame && frame < end }

  /// Whether a sound whose exact place rounds to `frame` may begin in the gap. The rounding may be one frame off.
  public func mayHide(_ frame: Int64) -> Bool { start - 1 <= frame && frame <= end }
}

extension Sequence<Gap> {
  public func cover(_ frame: Int64) -> Bool { contains { $0.contains(frame) } }

  public func mayHide(_ frame: Int64) -> Bool { contains { $0.mayHide(frame) } }
}
