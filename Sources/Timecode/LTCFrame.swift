/// One frame of linear timecode (SMPTE 12M): 80 bits in biphase mark code. Each bit is a cell of two halves.
///
/// The level changes at the start of each bit, and in the middle of a one. Every frame has an even number of ones, so that
/// every frame begins at the same level.
package struct LTCFrame: BitwiseCopyable, Sendable {
  /// The number of half cells in a frame.
  package static var halves: Int64 { @_noLocks get { 160 } }

  /// The bits 0…63, with bit 0 as the lowest. The bits 64…79 are the same in all frames.
  private let bits: UInt64
  /// Bits 64…79: 0011 1111 1111 1101 in the order in which they are sent.
  private static var sync: UInt16 { @_noLocks get { 0b1011_1111_1111_1100 } }
  /// Whether the level is high, one bit for each half cell.
  private let low: UInt64
  private let middle: UInt64
  private let high: UInt32

  /// Encodes a timecode.
  /// - Thread: any, audio
  @_noLocks
  package init(_ time: Timecode, _ rate: TimecodeRate) {
    var bits: UInt64 = 0
    LTCFrame.put(time.frames, at: 0, &bits)
    LTCFrame.put(time.seconds, at: 16, &bits)
    LTCFrame.put(time.minutes, at: 32, &bits)
    LTCFrame.put(time.hours, at: 48, &bits)
    if rate == .dropFrame { bits |= 1 << 10 }
    // The polarity correction bit makes the number of ones even. Its position depends on the rate.
    let ones = bits.nonzeroBitCount + LTCFrame.sync.nonzeroBitCount
    if ones & 1 == 1 { bits |= 1 << (rate == .pal ? 59 : 27) }
    self.bits = bits
    var levels: (UInt64, UInt64, UInt32) = (0, 0, 0)
    var isHigh = false
    var half = 0
    while half < 160 {
      let bit = half >> 1
      let isOne = bit < 64 ? bits >> bit & 1 == 1 : LTCFrame.sync >> (bit - 64) & 1 == 1
      if half & 1 == 0 || isOne { isHigh.toggle() }
      if isHigh {
        switch half >> 6 {
        case 0: levels.0 |= 1 << half
        case 1: levels.1 |= 1 << (half - 64)
        default: levels.2 |= 1 << (half - 128)
        }
      }
      half += 1
    }
    (low, middle, high) = levels
  }

  /// Whether the level is high in a half cell.
  /// - Parameter half: 0..<160.
  /// - Thread: any, audio
  @_noLocks
  package func isHigh(_ half: Int) -> Bool {
    switch half >> 6 {
    case 0: low >> half & 1 == 1
    case 1: middle >> (half - 64) & 1 == 1
    default: high >> (half - 128) & 1 == 1
    }
  }

  /// Writes a number of two decimal digits: units in four bits, tens eight bits later.
  @_noLocks
  private static func put(_ number: UInt8, at bit: Int, _ bits: inout UInt64) {
    bits |= UInt64(number % 10) << bit | UInt64(number / 10) << (bit + 8)
  }
}
