import Validation

/// A time of day in hours, minutes, seconds and frames, by SMPTE 12M.
package struct Timecode: BitwiseCopyable, Hashable, Sendable {
  /// 0…23.
  package let hours: UInt8
  /// 0…59.
  package let minutes: UInt8
  /// 0…59.
  package let seconds: UInt8
  /// From 0; below `TimecodeRate.numbers` if it was made from a count.
  package let frames: UInt8

  /// Drop-frame numbers in a minute that skips two.
  static var perMinute: Int64 { @_noLocks get { 30 * 60 - 2 } }
  /// Drop-frame numbers in ten minutes, the first of which skips none.
  static var perTenMinutes: Int64 { @_noLocks get { 10 * perMinute + 2 } }

  /// Midnight: 00:00:00:00.
  package static let zero = Timecode(0, 0, 0, 0)

  @_noLocks
  private init(_ hours: Int64, _ minutes: Int64, _ seconds: Int64, _ frames: Int64) {
    (self.hours, self.minutes) = (UInt8(truncatingIfNeeded: hours), UInt8(truncatingIfNeeded: minutes))
    (self.seconds, self.frames) = (UInt8(truncatingIfNeeded: seconds), UInt8(truncatingIfNeeded: frames))
  }

  /// The timecode of a frame.
  /// - Parameter count: frames since midnight, taken modulo a day; may be negative.
  /// - Thread: any, audio
  @_noLocks
  package init(count: Int64, rate: TimecodeRate) {
    let rest = count % rate.perDay
    var number = rest < 0 ? rest + rate.perDay : rest
    if rate == .dropFrame {
      // Two numbers are skipped at the start of each minute, except every tenth.
      let (tens, within) = (number / Timecode.perTenMinutes, number % Timecode.perTenMinutes)
      number += 18 * tens + (within < 2 ? 0 : 2 * ((within - 2) / Timecode.perMinute))
    }
    let second = number / rate.numbers
    self.init(second / 3_600, second / 60 % 60, second % 60, number % rate.numbers)
  }

  /// Frames since midnight. A timecode that does not exist at the rate counts as the nearest: a skipped one as the next, a too
  /// high frame number as the last of its second.
  /// - Thread: any, audio
  @_noLocks
  package func count(_ rate: TimecodeRate) -> Int64 {
    let minute = Int64(hours) * 60 + Int64(minutes)
    let number = (minute * 60 + Int64(seconds)) * rate.numbers + min(Int64(frames), rate.numbers - 1)
    guard rate == .dropFrame else { return number }
    let isLeftOut = minute % 10 != 0 && seconds == 0 && frames < 2
    return number - 2 * (minute - minute / 10) + (isLeftOut ? 2 - Int64(frames) : 0)
  }

  /// What `init(text:)` accepts, for errors and help.
  package static let allowed = "hours:minutes:seconds:frames, as in 01:00:00:00"

  /// Reads `01:00:00:00`. Semicolons may replace the colons, as in drop-frame timecode. Frames are 0…29, whatever the rate.
  /// - Throws: `InvalidValue` if the text has another form or a number is out of range.
  package init(text: String) throws(InvalidValue) {
    let parts = text.split(omittingEmptySubsequences: false) { $0 == ":" || $0 == ";" }
    let numbers = parts.compactMap { part in
      1...2 ~= part.utf8.count && part.utf8.allSatisfy { 0x30...0x39 ~= $0 } ? Int64(part) : nil
    }
    guard parts.count == 4, numbers.count == 4, numbers[0] < 24, numbers[1] < 60, numbers[2] < 60,
      numbers[3] < 30
    else {
      throw InvalidValue("timecode", quoted(text), allowed: Timecode.allowed)
    }
    self.init(numbers[0], numbers[1], numbers[2], numbers[3])
  }
}

extension Timecode: CustomStringConvertible {
  package var description: String {
    [hours, minutes, seconds, frames].map { ($0 < 10 ? "0" : "") + String($0) }.joined(separator: ":")
  }
}
