import Validation

/// A time of day in hours, minutes, seconds and frames, as SMPTE 12M counts them.
package struct Timecode: BitwiseCopyable, Hashable, Sendable {
  package let hours: UInt8
  package let minutes: UInt8
  package let seconds: UInt8
  package let frames: UInt8

  /// Drop-frame numbers in a minute that leaves two out, and in ten minutes.
  static var perMinute: Int64 { @_noLocks get { 30 * 60 - 2 } }
  static var perTenMinutes: Int64 { @_noLocks get { 10 * perMinute + 2 } }

  package static let zero = Timecode(0, 0, 0, 0)

  @_noLocks
  private init(_ hours: Int64, _ minutes: Int64, _ seconds: Int64, _ frames: Int64) {
    (self.hours, self.minutes) = (UInt8(truncatingIfNeeded: hours), UInt8(truncatingIfNeeded: minutes))
    (self.seconds, self.frames) = (UInt8(truncatingIfNeeded: seconds), UInt8(truncatingIfNeeded: frames))
  }

  /// The number of a frame.
  /// - Parameter count: frames since midnight; a day later or earlier it is the same.
  /// - Thread: any, audio
  @_noLocks
  package init(count: Int64, rate: TimecodeRate) {
    let rest = count % rate.perDay
    var number = rest < 0 ? rest + rate.perDay : rest
    if rate == .dropFrame {
      // Two numbers are left out at the start of each minute, but for every tenth.
      let (tens, within) = (number / Timecode.perTenMinutes, number % Timecode.perTenMinutes)
      number += 18 * tens + (within < 2 ? 0 : 2 * ((within - 2) / Timecode.perMinute))
    }
    let second = number / rate.numbers
    self.init(second / 3_600, second / 60 % 60, second % 60, number % rate.numbers)
  }

  /// Frames since midnight. A number that the rate doesn't have counts as the next one that it has.
  /// - Thread: any, audio
  @_noLocks
  package func count(_ rate: TimecodeRate) -> Int64 {
    let minute = Int64(hours) * 60 + Int64(minutes)
    let number = (minute * 60 + Int64(seconds)) * rate.numbers + min(Int64(frames), rate.numbers - 1)
    guard rate == .dropFrame else { return number }
    let isLeftOut = minute % 10 != 0 && seconds == 0 && frames < 2
    return number - 2 * (minute - minute / 10) + (isLeftOut ? 2 - Int64(frames) : 0)
  }

  package static let allowed = "hours:minutes:seconds:frames, as in 01:00:00:00"

  /// Reads `01:00:00:00`; before the frames there may be a semicolon, as in drop-frame timecode.
  /// - Throws: `InvalidValue` if the text has another form.
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
