import Engine
import MusicTime
import Testing

@Suite("Stopping on a bar line")
struct BarStopTests {
  private func plan(_ thousandths: Int, _ bars: Int?) throws -> SectionPlan {
    try Pattern(thousandths: thousandths).plan(bars: bars)
  }

  private func rig(_ plans: [SectionPlan], piece: Int = 0) -> Rig {
    Rig(Score.make(plans, sampleRate: 48_000, clips: .shortest, generation: 1, piece: piece))
  }

  private func stops(_ rig: Rig) -> [ClockFrame] {
    rig.events.compactMap { if case .stoppedAtBar(let frame) = $0 { frame } else { nil } }
  }

  @Test("Requested anywhere in a bar, the stop comes on the frame of the next downbeat, which does not sound")
  func everyPlaceInABar() throws {
    // 160.413: the bar lines lie between frames.
    let bar = 4 * 48_000.0 * 60_000 / 160_413
    for place in stride(from: 0.01, to: 1, by: 0.07) {
      let rig = rig([try plan(160_413, nil)])
      rig.command(.start)
      rig.render(until: ClockFrame(Int64((bar * (2 + place)).rounded())))
      rig.command(.stopAtBar(pauses: false))
      rig.render(until: ClockFrame(Int64(bar * 5)))
      #expect(stops(rig) == [ClockFrame(Int64((bar * 3).rounded()))])
      #expect(rig.beats.count == 12)
      #expect(rig.beats.allSatisfy { $0.bar <= 3 })
    }
  }

  @Test("After a stop the music begins at its start, after a pause with the downbeat that did not sound")
  func goingOn() throws {
    for pauses in [false, true] {
      let rig = rig([try plan(120_000, nil)])
      rig.command(.start)
      rig.render(until: 100_000)
      rig.command(.stopAtBar(pauses: pauses))
      rig.render(until: 300_000)
      rig.command(.start)
      let start = rig.clock
      rig.render(until: start + 10_000)
      #expect(stops(rig) == [192_000])
      let next = try #require(rig.beats.last)
      #expect(next.beat == 1 && next.frame == start)
      #expect(next.bar == (pauses ? 3 : 1))
    }
  }

  @Test("A start, a stop and a pause cancel it")
  func cancelled() throws {
    for action in [Command.Action.start, .stop, .pause] {
      let rig = rig([try plan(120_000, nil)])
      rig.command(.start)
      rig.render(until: 50_000)
      rig.command(.stopAtBar(pauses: true))
      rig.command(action)
      rig.command(.start)
      rig.render(until: 400_000)
      #expect(stops(rig).isEmpty)
      #expect(rig.beats.last.map { $0.frame > 350_000 } == true)
    }
  }

  @Test("If nothing plays, the stop has no effect later")
  func standing() throws {
    let rig = rig([try plan(120_000, nil)])
    rig.command(.stopAtBar(pauses: false))
    rig.command(.start)
    rig.render(until: 200_000)
    #expect(stops(rig).isEmpty && rig.beats.count == 9)
  }

  @Test("A change of tempo moves the bar line, and the stop with it")
  func tempo() throws {
    let rig = Rig(try Score.make(Pattern(thousandths: 120_000)))
    rig.command(.start)
    rig.render(until: 48_000)
    rig.command(.stopAtBar(pauses: false))
    rig.publish(try Score.make(Pattern(thousandths: 60_000)))
    let change = rig.clock
    rig.render(until: 400_000)
    #expect(stops(rig) == [change + 2 * (96_000 - change)])
  }

  @Test("If the bar line is the score's end, the end is reported")
  func end() throws {
    let rig = rig([try plan(120_000, 2)])
    rig.command(.start)
    rig.render(until: 150_000)
    rig.command(.stopAtBar(pauses: true))
    rig.render(until: 300_000)
    #expect(stops(rig).isEmpty)
    let ends = rig.events.compactMap { if case .finished(let frame) = $0 { frame } else { nil } }
    #expect(ends == [192_000])
    // The next start is not stopped by it.
    rig.command(.start)
    rig.render(until: 450_000)
    #expect(stops(rig).isEmpty && rig.beats.count > 9)
  }

  @Test("A jump on the same bar line comes first: the next start begins there")
  func jump() throws {
    let rig = rig([try plan(120_000, 4), try plan(90_000, 4)])
    rig.command(.start)
    rig.render(until: 30_000)
    rig.command(.jump(BarRange.Bar(section: 1), .bar))
    rig.command(.stopAtBar(pauses: true))
    rig.render(until: 200_000)
    #expect(stops(rig) == [96_000])
    rig.command(.start)
    rig.render(until: 210_000)
    #expect(rig.beats.last.map { $0.section == 1 && $0.sectionBar == 1 && $0.beat == 1 } == true)
  }
}
