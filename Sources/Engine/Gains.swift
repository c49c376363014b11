import MusicTime

/// Linear gain of each role's bus and of the master, 0 is silence and 1 the clip as it is.
public struct Gains: BitwiseCopyable, Hashable, Sendable {
  public var buses = PerRole<Float>(repeating: 1)
  public var master: Float = 1

  public init() {}
}
