import MIDI
import MusicTime
import Testing

@testable import Engine

@Suite("A song that begins on the frame on which another ends")
struct SuccessorTests {
  /// 2 bars at 160.413: the end lies between frames, at 143 629.3.
  private static let end = ClockFrame(143_629)

  private func score(_ thousandths: Int, bars: Int, piece: Int) throws -> UnsafePointer<Score> {
    Score.make(
      [try Pattern(thousandths: thousandths).plan(bars: bars)], sampleRate: 48_000, clips: .shortest,
      generation: 1, piece: piece, timing: piece)
  }

  /// Publishes the current song again, with another behind it.
  private func publish(
    _ rig: Rig, then thousandths: Int = 97_310, bars: Int = 4, successions: Int = 0
  ) throws {
    rig.publish(
      ScoreUpdate.make(
        change: try score(160_413, bars: 2, piece: 1), serial: 1,
        successor: try score(thousandths, bars: bars, piece: 2), successions: successions))
  }

  private func rig() throws -> Rig { Rig(try score(160_413, bars: 2, piece: 1)) }

  private func frames(_ rig: Rig) -> [Int64] { rig.beats.map(\.frame.number) }

  /// The nearest frames of beats.
  private func beats(_ count: Int, thousandths: Int, from start: Int64) -> [Int64] {
    (0..<count).map { start + Int64((Double($0) * 48_000 * 60_000 / Double(thousandths)).rounded()) }
  }

  private var both: [Int64] {
    beats(8, thousandths: 160_413, from: 0)
      + beats(16, thousandths: 97_310, from: SuccessorTests.end.number)
  }

  private func ends(_ rig: Rig) -> [String] {
    rig.events.compactMap {
      switch $0 {
      case .started, .stopped, .finished, .succeeded, .stoppedAtBar: "\($0)"
      default: nil
      }
    }
  }

  @Test("No beat is missing, and each is on its frame", arguments: [1, 64, 256, 1_000, 8_192])
  func exact(period: Int) throws {
    let rig = try rig()
    rig.command(.start)
    try publish(rig)
    rig.render(until: 700_000, period: period)
    #expect(frames(rig) == both)
    #expect(rig.beats.map(\.bar) == [1, 1, 1, 1, 2, 2, 2, 2] + (1...4).flatMap { [$0, $0, $0, $0] })
    let end = SuccessorTests.end.number
    let last = end + Int64((16 * 48_000 * 60_000 / 97_310.0).rounded())
    #expect(
      ends(rig) == [
        "started(0)", "succeeded(\(end))", "stopped(\(end))", "started(\(end))", "finished(\(last))",
        "stopped(\(last))",
      ])
  }

  @Test("Machines that follow the sent clock begin it from its start")
  func clock() throws {
    let rig = try rig()
    rig.recordMIDI()
    rig.command(.start)
    try publish(rig)
    rig.render(until: 300_000, period: 256)
    let messages = rig.pulses.filter { $0.message != .clock }
    #expect(messages.map(\.message) == [.start, .stop, .start])
    #expect(messages.dropFirst().allSatisfy { $0.frame == SuccessorTests.end })
    let next = rig.pulses.filter { $0.message == .clock && $0.frame >= SuccessorTests.end }
    let pulse = 48_000 * 60_000 / 97_310.0 / 24
    #expect(
      next.map(\.frame.number)
        == next.indices.map { SuccessorTests.end.number + Int64((Double($0) * pulse).rounded()) })
    #expect(rig.pulses.count { $0.message == .clock && $0.frame < SuccessorTests.end } == 8 * 24)
  }

  @Test("If the end lies in missed cycles, the beats after them are where they would have been")
  func missed() throws {
    let rig = try rig()
    rig.command(.start)
    try publish(rig)
    rig.render(until: 140_032, period: 256)
    rig.miss(256 * 160)
    let begin = rig.clock.number
    rig.render(until: 700_000, period: 256)
    #expect(frames(rig) == both.filter { $0 < 140_032 || $0 >= begin })
  }

  @Test("If both songs end in missed cycles, the music ends")
  func missedBoth() throws {
    let rig = try rig()
    rig.command(.start)
    try publish(rig)
    rig.render(until: 10_240, period: 256)
    rig.miss(48_000 * 600)
    rig.render(until: rig.clock + 96_000, period: 256)
    #expect(frames(rig) == [0])
    #expect(
      ends(rig).map { $0.prefix(8) } == [
        "started(", "succeede", "stopped(", "started(", "finished", "stopped(",
      ])
  }

  @Test("A held section, a jump back and a pause only delay it")
  func delayed() throws {
    let rig = try rig()
    rig.command(.start)
    try publish(rig)
    rig.command(.repeats(.section))
    rig.render(until: 300_000, period: 256)
    #expect(ends(rig).count == 1)
    rig.command(.repeats(.none))
    rig.command(.jump(BarRange.Bar(section: 0), .now))
    let jump = rig.clock.number
    rig.render(until: ClockFrame(jump + 40_960), period: 256)
    rig.command(.pause)
    rig.render(until: rig.clock + 10_240, period: 256)
    rig.command(.start)
    rig.render(until: rig.clock + 400_000, period: 256)
    let first = try #require(
      rig.events.compactMap { if case .succeeded(let frame) = $0 { frame } else { nil } }.first)
    #expect(first == ClockFrame(jump + 10_240) + SuccessorTests.end.number)
    #expect(rig.beats.first { $0.frame == first }.map { $0.bar == 1 && $0.beat == 1 } == true)
  }

  @Test("If a stop waits for the bar line at the end, the music stops there", arguments: [false, true])
  func stopped(pauses: Bool) throws {
    let rig = try rig()
    rig.command(.start)
    try publish(rig)
    rig.render(until: 140_032, period: 256)
    rig.command(.stopAtBar(pauses: pauses))
    rig.render(until: 300_000, period: 256)
    #expect(frames(rig) == beats(8, thousandths: 160_413, from: 0))
    #expect(
      ends(rig).suffix(2) == [
        "finished(\(SuccessorTests.end.number))", "stopped(\(SuccessorTests.end.number))",
      ])
  }

  @Test("An update of the song before does not bring it back, and all updates are returned")
  func outdated() throws {
    let rig = try rig()
    rig.command(.start)
    try publish(rig)
    rig.render(until: SuccessorTests.end + 256, period: 256)
    // The conductor does not know yet that the next song plays.
    try publish(rig, then: 200_000)
    rig.render(until: SuccessorTests.end + 10_240, period: 256)
    #expect(rig.freed == 2)
    // Now it does.
    rig.publish(
      ScoreUpdate.make(change: try score(97_310, bars: 4, piece: 2), serial: 2, successions: 1))
    rig.render(until: 700_000, period: 256)
    #expect(frames(rig) == both)
    #expect(rig.changes == 2 && rig.freed == 3)
  }

  @Test("One without a successor ends as before, and a successor begins once")
  func once() throws {
    let rig = try rig()
    rig.command(.start)
    try publish(rig, then: 240_000, bars: 1)
    rig.render(until: 700_000, period: 256)
    rig.command(.start)
    rig.render(until: 1_400_000, period: 256)
    #expect(ends(rig).count { $0.hasPrefix("succeeded") } == 1)
    #expect(ends(rig).count { $0.hasPrefix("finished") } == 2)
  }
}
