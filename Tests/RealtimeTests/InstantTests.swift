import Realtime
import Testing

@Suite struct InstantTests {
  private let instant = Instant(nanoseconds: 5_000_000_000)

  @Test func `Instants and durations add up to a nanosecond`() {
    #expect((instant + .nanoseconds(1)).nanoseconds == 5_000_000_001)
    #expect((instant - .milliseconds(1)).nanoseconds == 4_999_000_000)
    #expect(instant + .seconds(2) - instant == .seconds(2))
    #expect(instant - (instant + .seconds(2)) == .seconds(-2))
    #expect(instant - .seconds(-1) == instant + .seconds(1))
    #expect(
      Instant.never - .distantPast == .nanoseconds(Int64.max) + .nanoseconds(Int64.max) + .nanoseconds(1))
  }

  @Test func `Arithmetic saturates, whatever comes from outside`() {
    #expect(instant - .seconds(6) == .distantPast)
    #expect((instant + .seconds(Int64.max)).nanoseconds == 5_000_000_000 + UInt64(Int64.max))
    #expect(instant - .seconds(Int64.max) == .distantPast)
    #expect(Instant(nanoseconds: .max - 1) + .seconds(1) == .never)
    #expect(Instant.distantPast - .nanoseconds(1) == .distantPast)
  }

  @Test func `What never happens does not happen earlier either`() {
    #expect(Instant.never - .seconds(1) == .never)
    #expect(Instant.never + .seconds(1) == .never)
    #expect(instant < .never && .distantPast < instant)
  }

  @Test func `Durations tell nanoseconds and seconds`() {
    #expect(Duration.milliseconds(-1_500).nanoseconds == -1_500_000_000)
    #expect(Duration.milliseconds(-1_500).inSeconds == -1.5)
    #expect(Duration.seconds(Int64.max).nanoseconds == .max)
    #expect(Duration.seconds(Int64.min).nanoseconds == .min)
  }
}
