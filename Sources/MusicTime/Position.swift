/// A musical position: bar, beat, and fraction of the beat.
package struct Position: BitwiseCopyable, Hashable, Sendable {
  /// Bars that a request can name. The frame of the last one fits 63 bits, however long the bars are.
  package static let bars = 1...1_000_000

  /// Bar number; the first bar is 1, and the bars before it are 0, -1, …
  package var bar: Int
  /// Beats since the bar's start, in 2⁻⁶⁴ beats.
  package var beats: UInt128

  @inlinable @_noLocks
  /// - Parameters:
  ///   - bar: from 1.
  ///   - beats: since the bar's start, in 2⁻⁶⁴ beats.
  package init(bar: Int, beats: UInt128) {
    self.bar = bar
    self.beats = beats
  }

  /// - Parameters:
  ///   - bar: from 1.
  ///   - beat: from 1.
  ///   - fraction: part of the beat that has passed, 0..<1.
  package init(bar: Int, beat: Int, fraction: Double = 0) {
    self.bar = bar
    beats = UInt128(beat - 1) << 64 + UInt128(fraction * 0x1p64)
  }

  /// The first downbeat.
  package static var start: Position { @_noLocks get { Position(bar: 1, beats: 0) } }

  /// The beat of the bar, from 1.
  package var beat: Int { @_noLocks get { Int(beats >> 64) + 1 } }

  /// Part of the beat that has passed, 0..<1.
  package var fraction: Double { @_noLocks get { Double(UInt64(truncatingIfNeeded: beats)) * 0x1p-64 } }
}

/// The length of a section.
package enum SectionLength: Hashable, Sendable {
  /// Whole bars, at least one.
  case bars(Int)
  /// Beats of the section's beat unit, at least one; the last bar may be cut short.
  case beats(Int)
  /// Thousandths of a second, at least one; the last bar may be cut short.
  case milliseconds(Int)
  /// Until the user continues to the next section.
  case open
}
