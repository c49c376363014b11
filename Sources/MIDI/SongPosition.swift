/// A position in a song in MIDI's unit: sixteenths (six clock pulses each) since the start, in 14 bits.
public struct SongPosition: BitwiseCopyable, Hashable, Comparable, Sendable {
  /// 0…16383.
  public let sixteenths: UInt16

  /// Clock pulses (F8) in a quarter note, and in a sixteenth.
  public static var pulsesPerQuarter: Int64 { @_noLocks get { 24 } }
  public static var pulsesPerSixteenth: Int64 { @_noLocks get { 6 } }

  /// The largest value of `sixteenths`.
  public static var maximum: UInt16 { @_noLocks get { 16_383 } }

  /// - Returns: nil outside 0…16383: MIDI can't express a position beyond 4095 quarters.
  /// - Thread: any, audio
  @_noLocks
  public init?(sixteenths: Int64) {
    guard sixteenths >= 0, sixteenths <= Int64(SongPosition.maximum) else { return nil }
    self.sixteenths = UInt16(truncatingIfNeeded: sixteenths)
  }

  /// The first position that MIDI can express at or after a clock pulse. Pulses count from 0 at the song's start.
  /// - Returns: nil before the song's start and beyond the last position.
  /// - Thread: any, audio
  @_noLocks
  public init?(atOrAfterPulse pulse: Int64) {
    // Check the bound first, so that the sum can't overflow.
    guard pulse >= 0, pulse <= Int64(SongPosition.maximum) * SongPosition.pulsesPerSixteenth else {
      return nil
    }
    self.init(sixteenths: (pulse + SongPosition.pulsesPerSixteenth - 1) / SongPosition.pulsesPerSixteenth)
  }

  @_noLocks
  init(low: UInt8, high: UInt8) { sixteenths = UInt16(high & 0x7F) << 7 | UInt16(low & 0x7F) }

  var low: UInt8 { @_noLocks get { UInt8(truncatingIfNeeded: sixteenths & 0x7F) } }
  var high: UInt8 { @_noLocks get { UInt8(truncatingIfNeeded: sixteenths >> 7) } }

  /// The clock pulse at the position, from 0 at the song's start.
  /// - Thread: any, audio
  public var pulse: Int64 { @_noLocks get { Int64(sixteenths) * SongPosition.pulsesPerSixteenth } }

  /// Quarter notes since the song's start.
  /// - Thread: any, audio
  public var quarters: Double { @_noLocks get { Double(sixteenths) / 4 } }

  @_noLocks
  public static func < (a: SongPosition, b: SongPosition) -> Bool { a.sixteenths < b.sixteenths }
}
