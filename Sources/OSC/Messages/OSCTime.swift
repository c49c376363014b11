/// A time in the format of OSC and NTP: seconds since 1900 and a fraction in units of 2⁻³² s.
///
/// The seconds wrap in 2036; as NTP recommends, a count below 2³¹ belongs to the era that begins there. Times from 1968-01-20
/// to 2104-02-26 can be represented.
package struct OSCTime: Hashable, Sendable {
  /// Whole seconds since 1900-01-01, or since 2036-02-07 06:28:16 when below 2³¹.
  package var seconds: UInt32
  /// The fraction of a second, in units of 2⁻³² s.
  package var fraction: UInt32

  package init(seconds: UInt32, fraction: UInt32) {
    self.seconds = seconds
    self.fraction = fraction
  }

  /// The timetag that means "at once".
  package static let immediate = OSCTime(seconds: 0, fraction: 1)

  /// Whether this means "at once": the immediate timetag, or the zero that some senders write for it.
  package var isImmediate: Bool { seconds == 0 && fraction <= 1 }

  /// The time `nanoseconds` after 1970-01-01 UTC (negative: before), to the nearest 2⁻³² s.
  ///
  /// A time that can't be represented becomes the nearest one that can. `unixNanoseconds` is the inverse, and returns every
  /// nanosecond exactly.
  package init(unixNanoseconds nanoseconds: Int64) {
    let (whole, rest) = Self.floorDivide(nanoseconds)
    let since1900 = whole + Self.from1900To1970
    if since1900 < Self.firstSecond {
      self.init(seconds: UInt32(Self.firstSecond), fraction: 0)
    } else if since1900 > Self.lastSecond {
      self.init(seconds: UInt32(truncatingIfNeeded: Self.lastSecond), fraction: .max)
    } else {
      let fraction = ((UInt64(rest) << 32) + Self.perSecond / 2) / Self.perSecond
      self.init(seconds: UInt32(truncatingIfNeeded: since1900), fraction: UInt32(fraction))
    }
  }

  /// Nanoseconds since 1970-01-01 UTC, to the nearest. Inverse of `init(unixNanoseconds:)` to within a nanosecond.
  package var unixNanoseconds: Int64 {
    let since1900 = Int64(seconds) + (seconds < UInt32(Self.firstSecond) ? 1 << 32 : 0)
    let rest = (UInt64(fraction) * Self.perSecond + 1 << 31) >> 32
    return (since1900 - Self.from1900To1970) * Int64(Self.perSecond) + Int64(rest)
  }

  private static let perSecond: UInt64 = 1_000_000_000
  private static let from1900To1970: Int64 = 2_208_988_800
  private static let firstSecond: Int64 = 1 << 31
  private static let lastSecond: Int64 = 3 << 31 - 1

  private static func floorDivide(_ nanoseconds: Int64) -> (seconds: Int64, rest: Int64) {
    let (quotient, remainder) = nanoseconds.quotientAndRemainder(dividingBy: Int64(perSecond))
    return remainder < 0 ? (quotient - 1, remainder + Int64(perSecond)) : (quotient, remainder)
  }
}
