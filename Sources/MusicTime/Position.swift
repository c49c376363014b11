/// A place in the music: bar, beat, and how far into the beat.
public struct Position: BitwiseCopyable, Hashable, Sendable {
  /// The bars that one can ask for. However long they are, the frame of a later one still fits.
  public static let bars = 1...1_000_000

  /// From 1. Bars before the first are 0, -1, …
  public var bar: Int
  /// Beats since the bar's start, in 2⁻⁶⁴ beats.
  public var beats: UInt128

  @inlinable @_noLocks
  public init(bar: Int, beats: UInt128) {
    self.bar = bar
    self.beats = beats
  }

  /// - Parameters:
  ///   - bar: from 1.
  ///   - beat: from 1.
  ///   - fraction: how far into the beat, 0..<1.
  public init(bar: Int, beat: Int, fraction: Double = 0) {
    self.bar = bar
    beats = UInt128(beat - 1) << 64 + UInt128(fraction * 0x1p64)
  }

  /// The first downbeat.
  public static var start: Position { @_noLocks get { Position(bar: 1, beats: 0) } }

  /// The beat of the bar, from 1.
  public var beat: Int { @_noLocks get { Int(beats >> 64) + 1 } }

  /// How far into the beat, 0..<1.
  public var fraction: Double { @_noLocks get { Double(UInt64(truncatingIfNeeded: beats)) * 0x1p-64 } }
}
