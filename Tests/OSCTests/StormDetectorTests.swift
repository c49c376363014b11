import Testing

@testable import OSC

@Suite struct StormDetectorTests {
  private let millisecond: UInt64 = 1_000_000

  @Test func manyDatagramsInQuickSuccessionMakeAStorm() {
    var storm = StormDetector()
    for index in 0..<15 { storm.note(1, at: UInt64(index) * millisecond) }
    #expect(!storm.isUnderWay)
    storm.note(1, at: 15 * millisecond)
    #expect(storm.isUnderWay)
    // The round that found nothing within the gap does not end it; a longer silence does.
    storm.note(0, at: 18 * millisecond)
    #expect(storm.isUnderWay)
    storm.note(0, at: 20 * millisecond)
    #expect(!storm.isUnderWay)
  }

  @Test func datagramsThatComeNowAndThenMakeNone() {
    var storm = StormDetector()
    for index in 0..<1_000 { storm.note(1, at: UInt64(index) * 5 * millisecond) }
    #expect(!storm.isUnderWay)
  }

  @Test func whoWaitsForAnAnswerBeforeItSendsMakesNone() {
    var storm = StormDetector()
    for index in 0..<1_000 {
      storm.note(1, at: UInt64(index) * millisecond / 10)
      storm.noteAnswers(1)
      #expect(!storm.isUnderWay)
    }
  }
}
