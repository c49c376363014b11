import Glibc

/// The time zone in which days begin.
package enum Zone: Sendable {
  /// The machine's time zone.
  case local
  case utc

  /// The calendar fields of a time.
  /// - Parameter milliseconds: since the Unix epoch.
  /// - Returns: nil for a year before 1970 or after 9999.
  fileprivate func split(_ milliseconds: Int64) -> tm? {
    var seconds = time_t(milliseconds >= 0 ? milliseconds / 1_000 : (milliseconds / 1_000) - 1)
    var parts = tm()
    let found = self == .local ? localtime_r(&seconds, &parts) : gmtime_r(&seconds, &parts)
    return found == nil || !(70...8_099 ~= parts.tm_year) ? nil : parts
  }

  /// The first millisecond of a day, since the Unix epoch.
  package func start(of day: Day) -> Int64 {
    var parts = tm()
    (parts.tm_year, parts.tm_mon) = (Int32(day.year - 1_900), Int32(day.month - 1))
    (parts.tm_mday, parts.tm_isdst) = (Int32(day.day), -1)
    return Int64(self == .local ? mktime(&parts) : timegm(&parts)) * 1_000
  }
}

/// A day of the calendar.
package struct Day: Hashable, Comparable, Sendable, CustomStringConvertible {
  package let year: Int
  /// From 1.
  package let month: Int
  /// From 1.
  package let day: Int

  /// The day of a time in milliseconds since the Unix epoch; 1970-01-01 for a year before 1970 or after 9999.
  package init(_ milliseconds: Int64, in zone: Zone) {
    let parts = zone.split(milliseconds)
    year = parts.map { Int($0.tm_year) + 1_900 } ?? 1_970
    month = parts.map { Int($0.tm_mon) + 1 } ?? 1
    day = parts.map { Int($0.tm_mday) } ?? 1
  }

  private init(_ year: Int, _ month: Int, _ day: Int) {
    (self.year, self.month, self.day) = (year, month, day)
  }

  /// Reads a date such as `2026-11-23`. Returns nil for anything else, and for years before 1970.
  package init?(_ text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 3, zip(parts, [4, 2, 2]).allSatisfy({ $0.utf8.count == $1 }),
      parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
      let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2]), 1_970...9_999 ~= year
    else { return nil }
    self.init(year, month, day)
    // Refuses days such as 30 February.
    guard adding(0) == self else { return nil }
  }

  package static func < (one: Day, other: Day) -> Bool {
    (one.year, one.month, one.day) < (other.year, other.month, other.day)
  }

  /// The day that is a number of days later, or earlier if it is negative.
  package func adding(_ days: Int) -> Day {
    var parts = tm()
    (parts.tm_year, parts.tm_mon, parts.tm_mday) = (Int32(year - 1_900), Int32(month - 1), Int32(day + days))
    timegm(&parts)
    return Day(Int(parts.tm_year) + 1_900, Int(parts.tm_mon) + 1, Int(parts.tm_mday))
  }

  /// From 0 (Monday) to 6.
  package var weekday: Int {
    var parts = tm()
    (parts.tm_year, parts.tm_mon, parts.tm_mday) = (Int32(year - 1_900), Int32(month - 1), Int32(day))
    timegm(&parts)
    return (Int(parts.tm_wday) + 6) % 7
  }

  /// The Monday of its week.
  package var monday: Day { adding(-weekday) }

  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]
  private static let weekdays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]

  /// For example `23 Nov`.
  package var short: String { "\(day) \(Day.months[min(max(month, 1), 12) - 1])" }

  /// For example `Mon 23 Nov`.
  package var named: String { "\(Day.weekdays[weekday]) \(short)" }

  /// For example `2026-11-23`.
  package var description: String { "\(year)-\(Day.two(month))-\(Day.two(day))" }

  fileprivate static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

/// A time of day.
package struct Clock: Sendable, CustomStringConvertible {
  private let hour: Int
  private let minute: Int
  private let second: Int

  /// The time of day of a time in milliseconds since the Unix epoch; 0:00 for a year before 1970 or after 9999.
  package init(_ milliseconds: Int64, in zone: Zone) {
    let parts = zone.split(milliseconds)
    hour = parts.map { Int($0.tm_hour) } ?? 0
    minute = parts.map { Int($0.tm_min) } ?? 0
    second = parts.map { Int($0.tm_sec) } ?? 0
  }

  /// For example `14:02`.
  package var description: String { "\(Day.two(hour)):\(Day.two(minute))" }

  /// For example `14:02:03`.
  package var withSeconds: String { "\(self):\(Day.two(second))" }
}
