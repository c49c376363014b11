import Realtime
import Testing

@testable import OSC

@Suite struct StormDetectorTests {
  private func at(_ time: Duration) -> Instant { Instant.distantPast + time }

  @Test func manyDatagramsInQuickSuccessionMakeAStorm() {
    var storm = StormDetector()
    for index in 0..<15 { storm.note(1, at: at(.milliseconds(index))) }
    #expect(!storm.isUnderWay)
    storm.note(1, at: at(.milliseconds(15)))
    #expect(storm.isUnderWay)
    // The round that found nothing within the gap does not end it; a longer silence does.
    storm.note(0, at: at(.milliseconds(18)))
    #expect(storm.isUnderWay)
    storm.note(0, at: at(.milliseconds(20)))
    #expect(!storm.isUnderWay)
  }

  @Test func datagramsThatComeNowAndThenMakeNone() {
    var storm = StormDetector()
    for index in 0..<1_000 { storm.note(1, at: at(.milliseconds(5 * index))) }
    #expect(!storm.isUnderWay)
  }

  @Test func whoWaitsForAnAnswerBeforeItSendsMakesNone() {
    var storm = StormDetector()
    for index in 0..<1_000 {
      storm.note(1, at: at(.microseconds(100 * index)))
      storm.noteAnswers(1)
      #expect(!storm.isUnderWay)
    }
  }
}
