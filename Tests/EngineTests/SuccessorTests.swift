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
      case .succeeded(let next): "succeeded(\(next.frame))"
      case .started, .stopped, .finished, .stoppedAtBar: "\($0)"
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
        "started(0)", "stopped(\(end))", "succeeded(\(end))", "started(\(end))", "finished(\(last))",
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
        "started(", "stopped(", "succeede", "started(", "finished", "stopped(",
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
      rig.events.compactMap { if case .succeeded(let next) = $0 { next.frame } else { nil } }.first)
    #expect(first == ClockFrame(jump + 10_240) + SuccessorTests.end.number)
    #expect(rig.beats.first { $0.frame == first }.map { $0.bar == 1 && $0.beat == 1 } == true)
  }

  @Test(
    "An open section is ended on its next bar line, on which nothing of it sounds", arguments: [false, true])
  func endedAtBar(isFollowed: Bool) throws {
    var plan = try LayerScore(layers: ["7 over bar", "5 over bar"]).plan(bars: nil)
    plan.tempo = .constant(try Tempo(thousandths: 160_413))
    let bar =
      Double(plan.layout.meter.barLength.numerator) / Double(plan.layout.meter.barLength.denominator)
      * 4 * 48_000 * 60_000 / 160_413
    for place in stride(from: 0.05, to: 1, by: 0.1) {
      let rig = Rig(Score.make([plan], piece: 1, timing: 1))
      rig.command(.start)
      rig.render(until: ClockFrame(Int64(bar * (1 + place))), period: 256)
      if isFollowed {
        rig.publish(
          ScoreUpdate.make(
            change: Score.make([plan], piece: 1, timing: 1), serial: 1,
            successor: try score(97_310, bars: 4, piece: 2)))
      }
      rig.command(.endAtBar)
      let line = Int64((bar * 2).rounded())
      rig.render(until: ClockFrame(line + 400_000), period: 256)
      let after = frames(rig).filter { $0 >= line }
      #expect(after == (isFollowed ? beats(after.count, thousandths: 97_310, from: line) : []))
      #expect(!isFollowed || after.count > 12)
      #expect(frames(rig).contains { $0 < line && $0 > line - 48_000 })
      #expect(
        ends(rig).dropFirst().prefix(2)
          == (isFollowed
            ? ["stopped(\(line))", "succeeded(\(line))"] : ["finished(\(line))", "stopped(\(line))"]))
    }
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

  @Test("If the music is moved past the end, the next song begins at its start", arguments: [3, 5, 20])
  func movedPastTheEnd(bar: Int) throws {
    let rig = try rig()
    rig.command(.start)
    try publish(rig)
    rig.command(.locate(Position(bar: bar, beat: 1)), at: 48_128)
    rig.render(until: 400_000, period: 256)
    let after = frames(rig).filter { $0 >= 48_000 }
    #expect(after == beats(after.count, thousandths: 97_310, from: 48_128) && after.count > 8)
  }

  @Test("Commands of the song before do not move the next one")
  func commandsOfTheSongBefore() throws {
    let rig = try rig()
    rig.command(.start)
    try publish(rig)
    rig.render(until: SuccessorTests.end + 256, period: 256)
    for action in [
      Command.Action.jump(BarRange.Bar(section: 0), .now), .jump(BarRange.Bar(section: 0), .bar),
      .locate(Position(bar: 3, beat: 1)), .stopAtBar(pauses: true), .endAtBar, .repeats(.section),
    ] {
      _ = rig.channels.pointee.commands.push(Command(action, successions: 0))
    }
    rig.render(until: 700_000, period: 256)
    #expect(frames(rig) == both)
  }

  @Test("Volumes that have changed since the successor was published stay")
  func volumes() throws {
    let rig = try rig()
    rig.isRecording = true
    rig.command(.start)
    try publish(rig)
    rig.render(until: 96_000, period: 256)
    var silent = Gains()
    silent.master = 0
    let quiet = Score.make(
      [try Pattern(thousandths: 160_413).plan(bars: 2)], gains: silent, piece: 1, timing: 1)
    rig.publish(
      ScoreUpdate.make(
        change: nil, scheduled: [.init(frame: 100_096, before: quiet, after: quiet)], serial: 1, basis: 1,
        successor: try score(97_310, bars: 4, piece: 2)))
    rig.render(until: 300_000, period: 256)
    #expect(rig.recording.out[..<96_000].contains { $0 != 0 })
    #expect(rig.recording.out[110_000...].allSatisfy { $0 == 0 })
    #expect(frames(rig) == both.filter { $0 < 300_000 })
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
