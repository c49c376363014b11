import Testing

@testable import PracticeLog

@Suite struct LocalTimeTests {
  @Test func daysAndTimesAreThoseOfTheCalendar() {
    #expect("\(Day(0, in: .utc))" == "1970-01-01")
    #expect("\(Day(1_795_442_523_456, in: .utc))" == "2026-11-23")
    #expect(Clock(1_795_442_523_456, in: .utc).withSeconds == "14:02:03")
    #expect(Day(1_795_442_523_456, in: .utc).named == "Mon 23 Nov")
    for wrong in [Int64.min, .max, -1] { #expect("\(Day(wrong, in: .utc))" == "1970-01-01") }
  }

  @Test func datesAreReadAsTheyAreWritten() {
    for text in ["2026-11-23", "2024-02-29", "1970-01-01", "9999-12-31"] {
      #expect(Day(text)?.description == text)
    }
    for text in [
      "", "2026-11-31", "2025-02-29", "2026-1-1", "23.11.2026", "2026-11-23 ", "+026-11-23", "٢٠٢٦-١١-٢٣",
    ] {
      #expect(Day(text) == nil, "\(text)")
    }
  }

  @Test func weeksBeginOnMonday() throws {
    let sunday = try #require(Day("2026-11-29"))
    #expect("\(sunday.monday)" == "2026-11-23")
    #expect("\(sunday.adding(1).monday)" == "2026-11-30")
    #expect("\(try #require(Day("2027-01-01")).monday)" == "2026-12-28")
  }

  @Test func theLastDaysBeginAtMidnight() throws {
    let now: Int64 = 1_795_442_523_456
    let today = LogFilter.days(1, until: now, in: .utc).since
    #expect(today == Zone.utc.start(of: try #require(Day("2026-11-23"))))
    #expect(
      LogFilter.days(7, until: now, in: .utc).since == Zone.utc.start(of: try #require(Day("2026-11-17"))))
  }
}
