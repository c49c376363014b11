import ControlBench
import MusicTime
import Realtime
import Testing

@testable import Control
@testable import Engine

/// Bars of a session that repeat. A bar at 120 has 96 000 frames.
@Suite struct BarLoopTests {
  /// A count-in of one bar, A of 4 bars, B of 4 bars.
  private func rig() throws -> Rig {
    var plans = [try section("Count-in", .bars(1)), try section("A", .bars(4)), try section("B", .bars(4))]
    plans[0].isCountIn = true
    for index in plans.indices { plans[index].source = index }
    return try Rig(plans)
  }

  /// The bars that began, as section and bar, 0 for the count-in.
  private func bars(_ rig: Rig) -> [String] {
    rig.heard.filter { $0.beat == 1 }.map { "\($0.section).\($0.sectionBar)" }
  }

  private func bars(_ first: Int, _ last: Int, of sections: (Int?, Int?) = (nil, nil)) -> Update {
    .loop(
      .bars(
        SessionBars(.init(section: sections.0, bar: first), through: .init(section: sections.1, bar: last))))
  }

  @Test func `One pedal marks the first bar, then the last, and lets the music go on`() throws {
    let rig = try rig()
    rig.ask(.start)
    rig.play(until: ClockFrame(96_000 * 3 + 100))
    rig.ask(.loop(.mark))
    #expect(rig.look().progress?.loopMark == SessionBars.Bar(section: 2, bar: 3))
    rig.play(until: ClockFrame(96_000 * 5 + 90_000))
    rig.ask(.loop(.mark))
    #expect(
      rig.look().progress?.loop
        == SessionBars(.init(section: 2, bar: 3), through: .init(section: 3, bar: 1)))
    #expect(rig.look().progress?.loopMark == nil)
    rig.play(until: ClockFrame(96_000 * 10 + 100))
    rig.ask(.loop(.mark))
    #expect(rig.look().progress?.loop == nil)
    rig.play(until: ClockFrame(96_000 * 14 - 1_000))
    #expect(
      bars(rig) == [
        "0.1", "1.1", "1.2", "1.3", "1.4", "2.1", "1.3", "1.4", "2.1", "1.3", "1.4", "2.1", "2.2", "2.3",
      ])
    #expect(rig.heard.allSatisfy { $0.frame.number % 24_000 == 0 })
  }

  @Test func `A press that is decided in the next bar marks the bar in which the foot went down`() throws {
    let rig = try rig()
    func press(_ lateness: Duration, from app: Request.Origin? = nil) {
      rig.updates.push(Request(.update(.loop(.mark)), arrival: rig.time - lateness, origin: app))
    }
    rig.ask(.start)
    // 8 000 frames, a sixth of a second, after the line: a press 200 ms earlier was in the bar before it. The count-in has no bar
    // to mark, so a press in its last beat marks the first.
    rig.play(until: 96_000 + 8_000)
    press(.milliseconds(200))
    #expect(rig.look().progress?.loopMark == SessionBars.Bar(section: 2, bar: 1))
    for _ in 0..<2 { rig.ask(.loop(.mark)) }
    // The clock of another machine is not trusted.
    rig.play(until: ClockFrame(96_000 * 2 + 8_000))
    press(.milliseconds(200), from: Request.Origin(owner: "app", name: "/tactus/loop/mark"))
    #expect(rig.look().progress?.loopMark == SessionBars.Bar(section: 2, bar: 2))
    for _ in 0..<2 { rig.ask(.loop(.mark)) }
    rig.play(until: ClockFrame(96_000 * 3 + 8_000))
    press(.milliseconds(200))
    #expect(rig.look().progress?.loopMark == SessionBars.Bar(section: 2, bar: 2))
    rig.play(until: ClockFrame(96_000 * 4 + 8_000))
    press(.milliseconds(200))
    #expect(
      rig.look().progress?.loop
        == SessionBars(.init(section: 2, bar: 2), through: .init(section: 2, bar: 3)))
    // The fourth bar had begun.
    rig.play(until: ClockFrame(96_000 * 8 - 1_000))
    #expect(bars(rig) == ["0.1", "1.1", "1.2", "1.3", "1.4", "1.2", "1.3", "1.2"])
  }

  /// A count-in of two bars, or of eight spoken beats; A of 4 bars, B of 4 bars.
  private func countedRig(isSpoken: Bool) throws -> Rig {
    var plans = try (0..<(isSpoken ? 8 : 1)).map { index in
      var plan = try section("Count-in", .bars(isSpoken ? 1 : 2), meter: isSpoken ? (1, 4) : (4, 4))
      (plan.isCountIn, plan.source) = (true, 0)
      if isSpoken {
        plan.counted = CountedBeat(
          bar: index / 4 + 1, bars: 2, beat: index % 4 + 1, layout: try BarLayout(meter: Meter(4, 4)))
      }
      return plan
    }
    for (index, name) in ["A", "B"].enumerated() {
      plans.append(try section(name, .bars(4)))
      plans[plans.count - 1].source = index + 1
    }
    let song = SongPlan(title: "song", plans: plans)
    return try Rig(Setlist(title: "", songs: [.init(song: song)]))
  }

  /// The bars of the music that began, as section and bar, A being the first section.
  private func music(_ rig: Rig, countIn plans: Int) -> [String] {
    rig.heard.filter { $0.section >= plans && $0.beat == 1 }
      .map { "\($0.section - plans + 1).\($0.sectionBar)" }
  }

  @Test(arguments: [false, true], [-1, 10_000, 96_000 + 10_000, 96_000 + 80_000])
  func `A loop that is set in a count-in begins after it`(isSpoken: Bool, frame: Int) throws {
    // With the first bar after the count-in, with a later one, in another section.
    for (range, expected) in [
      (bars(1, 2), ["1.1", "1.2", "1.1"]), (bars(3, 4), ["1.3", "1.4", "1.3"]),
      (bars(2, 2, of: (3, 3)), ["2.2", "2.2", "2.2"]),
    ] {
      let rig = try countedRig(isSpoken: isSpoken)
      rig.ask(.start)
      if frame >= 0 { rig.play(until: ClockFrame(Int64(frame))) }
      rig.ask(range)
      rig.play(until: ClockFrame(96_000 * 5 - 1_000))
      #expect(music(rig, countIn: isSpoken ? 8 : 1) == expected)
      #expect(rig.heard.filter { $0.role != .subdivision && $0.frame.number < 192_000 }.count == 8)
    }
  }

  @Test(arguments: [false, true]) func `A section that is held in its count-in begins after it`(
    isSpoken: Bool
  )
    throws
  {
    let rig = try countedRig(isSpoken: isSpoken)
    rig.ask(.start)
    rig.play(until: 30_000)
    rig.ask(.hold(true))
    #expect(rig.look().progress?.isHeld == true)
    rig.play(until: ClockFrame(96_000 * 7 - 1_000))
    #expect(music(rig, countIn: isSpoken ? 8 : 1) == ["1.1", "1.2", "1.3", "1.4", "1.1"])
    // The beat in which it is asked for may be the last one of the count-in.
    let late = try countedRig(isSpoken: isSpoken)
    late.ask(.start)
    late.play(until: ClockFrame(96_000 * 2 - 10_000))
    late.ask(.hold(true))
    late.play(until: ClockFrame(96_000 * 7 - 1_000))
    #expect(music(late, countIn: isSpoken ? 8 : 1) == ["1.1", "1.2", "1.3", "1.4", "1.1"])
  }

  @Test(arguments: [false, true])
  func `A loop that is set in a pause of the count-in, or before it, begins after it`(isSpoken: Bool) throws {
    for range in [bars(1, 2), bars(3, 4)] {
      let first = range == bars(1, 2) ? "1.1" : "1.3"
      let paused = try countedRig(isSpoken: isSpoken)
      paused.ask(.start)
      paused.play(until: 30_000)
      paused.ask(.pause)
      paused.play(frames: 50_000)
      paused.ask(range)
      paused.ask(.start)
      paused.play(frames: 96_000 * 2)
      #expect(music(paused, countIn: isSpoken ? 8 : 1) == [first])
      #expect(paused.heard.count { $0.section < (isSpoken ? 8 : 1) } == 8)
      let standing = try countedRig(isSpoken: isSpoken)
      standing.ask(range)
      standing.ask(.start)
      standing.play(frames: 96_000 * 2 + 1_000)
      #expect(music(standing, countIn: isSpoken ? 8 : 1) == [first])
      #expect(standing.heard.count { $0.section < (isSpoken ? 8 : 1) } == 8)
    }
  }

  @Test func `A section that is asked for in the count-in is not left for the loop`() throws {
    for frame in [30_000, 96_000 + 30_000] as [Int64] {
      let rig = try countedRig(isSpoken: false)
      rig.ask(.set(.quantise(.bar)))
      rig.ask(.start)
      rig.play(until: ClockFrame(frame))
      rig.ask(bars(2, 2))
      rig.ask(.go(.named("B")))
      rig.play(frames: 96_000 * 4)
      #expect(music(rig, countIn: 1) == ["2.1", "2.2", "2.3", "2.4"])
    }
  }

  @Test(arguments: [Update.loop(.bars(nil)), .hold(true)])
  func `A loop that is taken back before it has begun is not gone to`(update: Update) throws {
    // In the last bar of the count-in.
    let rig = try countedRig(isSpoken: false)
    rig.ask(.start)
    rig.play(until: 30_000)
    rig.ask(bars(2, 2, of: (3, 3)))
    rig.play(until: ClockFrame(96_000 + 30_000))
    #expect(rig.look().progress?.isJumping == true)
    rig.ask(update)
    #expect(rig.look().progress?.isJumping == false)
    rig.play(until: ClockFrame(96_000 * 4 - 1_000))
    #expect(music(rig, countIn: 1) == ["1.1", "1.2"])
    // In the music.
    let other = try countedRig(isSpoken: false)
    other.ask(.start)
    other.play(until: ClockFrame(96_000 * 2 + 30_000))
    other.ask(bars(2, 2, of: (3, 3)))
    other.ask(update)
    other.play(until: ClockFrame(96_000 * 4 - 1_000))
    #expect(music(other, countIn: 1) == ["1.1", "1.2"])
  }

  @Test func `In a spoken count-in the next bar line is that of the bar that is counted`() throws {
    let rig = try countedRig(isSpoken: true)
    rig.ask(.set(.quantise(.bar)))
    rig.ask(.start)
    rig.play(until: 30_000)
    rig.ask(.go(.named("B")))
    rig.play(frames: 96_000)
    #expect(rig.heard.prefix(5).map(\.section) == [0, 1, 2, 3, 9])
    let stopped = try countedRig(isSpoken: true)
    stopped.ask(.start)
    stopped.play(until: 30_000)
    stopped.ask(.stopAtBar)
    stopped.play(frames: 96_000 * 2)
    #expect(stopped.heard.map(\.section) == [0, 1, 2, 3])
  }

  @Test func `Missed cycles just before the end of a round do not leave the repeated bars`() throws {
    for update in [Update.hold(true), bars(1, 4)] {
      let rig = try rig()
      rig.ask(.go(.named("B")))
      rig.ask(.start)
      rig.play(until: 1_000)
      rig.ask(update)
      rig.play(until: ClockFrame(96_000 * 4 - 10_000))
      rig.miss(.milliseconds(20))
      rig.play(until: ClockFrame(96_000 * 6 - 1_000))
      #expect(bars(rig) == ["2.1", "2.2", "2.3", "2.4", "2.1", "2.2"])
    }
  }

  @Test func `An open section counts as one bar, in each round`() throws {
    let rig = try Rig([try section("A", .open), try section("B", .bars(1))], loop: 0)
    rig.ask(.start)
    for _ in 0..<3 {
      rig.play(frames: 96_000)
      rig.ask(.go(.next))
      rig.play(frames: 96_000 * 2)
    }
    let shown = rig.heard.filter { $0.beat == 1 }.map(\.bar)
    #expect(shown.allSatisfy { 1...12 ~= $0 }, "\(shown)")
  }

  @Test
  func `A loop that another one replaces before the start, or in a pre-roll, begins at its own first bar`()
    throws
  {
    let plans = [try section("A", .bars(4)), try section("B", .bars(4))]
    let rig = try Rig(plans)
    rig.ask(.set(try Setting(Parameters.preRoll.parameter, .integer(1))))
    rig.ask(bars(3, 4))
    rig.ask(.start)
    rig.play(until: 10_000)
    rig.ask(bars(1, 2))
    rig.play(frames: 96_000 * 4)
    let music = rig.heard.filter { !$0.isPreRoll && $0.beat == 1 }.map(\.sectionBar)
    #expect(music.prefix(3) == [1, 2, 1])
    // Bars at which the music begins anyway do not restart the pre-roll.
    let other = try Rig(plans)
    other.ask(.set(try Setting(Parameters.preRoll.parameter, .integer(1))))
    other.ask(.start)
    other.play(until: 30_000)
    other.ask(bars(1, 2))
    other.play(until: 96_000 + 1_000)
    #expect(other.heard.map { $0.frame.number } == [0, 24_000, 48_000, 72_000, 96_000])
  }

  @Test
  func
    `After a jump that leaves a loop, missed cycles at the end of a round without end do not lead into the loop`()
    throws
  {
    let rig = try Rig(
      [try section("A", .bars(1)), try section("B", .bars(2)), try section("C", .bars(1))], loop: 0)
    rig.ask(.set(.quantise(.bar)))
    rig.ask(.start)
    rig.play(until: 1_000)
    rig.ask(bars(1, 2, of: (2, 2)))
    rig.play(until: ClockFrame(96_000 + 1_000))
    rig.ask(.go(.named("C")))
    rig.play(until: ClockFrame(96_000 * 3 - 10_000))
    rig.miss(.milliseconds(20))
    rig.play(until: ClockFrame(96_000 * 4 - 1_000))
    #expect(rig.heard.filter { $0.beat == 1 }.map(\.section) == [0, 1, 2, 0])
  }

  @Test func `A loop that replaces a jump in a count-in begins after it`() throws {
    let rig = try countedRig(isSpoken: false)
    rig.ask(.set(.quantise(.bar)))
    rig.ask(.start)
    rig.play(until: 30_000)
    rig.ask(.go(.named("B")))
    rig.ask(bars(1, 2, of: (2, 2)))
    rig.play(until: ClockFrame(96_000 * 5 - 1_000))
    #expect(bars(rig) == ["0.1", "0.2", "1.1", "1.2", "1.1"])
  }

  @Test func `A bar that a section of some seconds does not have is refused`() throws {
    let rig = try Rig([try section("A", .milliseconds(5_000)), try section("B", .bars(2))])
    #expect(rig.refusal(of: bars(1, 4)) == "loop: bar 4: must be 1…3, a bar of 'A'")
    #expect(rig.refusal(of: bars(2, 3)) == nil)
  }

  @Test func `A loop goes on after a count-in whose length is a time`() throws {
    var plans = [try section("Count-in", .milliseconds(3_000)), try section("A", .bars(4))]
    (plans[0].isCountIn, plans[1].source) = (true, 1)
    let rig = try Rig(plans)
    rig.ask(.start)
    rig.play(until: 30_000)
    rig.ask(bars(3, 4))
    rig.play(until: ClockFrame(144_000 + 96_000 * 4 - 1_000))
    // It is known that the count-in has ended only when bar 1 has begun.
    #expect(bars(rig).suffix(4) == ["1.1", "1.3", "1.4", "1.3"])
  }

  @Test func `A loop replaces one that has not begun`() throws {
    let rig = try rig()
    rig.ask(.start)
    rig.play(until: 96_000 + 100)
    rig.ask(bars(3, 4))
    rig.ask(bars(2, 3))
    rig.play(until: ClockFrame(96_000 * 4 - 1_000))
    #expect(bars(rig) == ["0.1", "1.1", "1.2", "1.3"])
    rig.ask(bars(1, 1))
    rig.ask(bars(3, 4))
    rig.play(until: ClockFrame(96_000 * 6 - 1_000))
    #expect(bars(rig).suffix(2) == ["1.4", "1.3"])
    // One that ends before it begins.
    rig.ask(bars(1, 1))
    rig.ask(.loop(.bars(nil)))
    rig.play(until: ClockFrame(96_000 * 8 - 1_000))
    #expect(bars(rig).suffix(2) == ["1.4", "2.1"])
  }

  @Test func `A loop replaces a jump to another section that waits for its line`() throws {
    let rig = try rig()
    rig.ask(.set(.quantise(.bar)))
    rig.ask(.start)
    rig.play(until: ClockFrame(96_000 * 4 - 1_000))
    rig.ask(.go(.next))
    #expect(rig.look().progress?.isJumping == true)
    rig.ask(bars(3, 3, of: (2, 2)))
    #expect(rig.look().progress?.isJumping == false)
    rig.play(until: ClockFrame(96_000 * 6 - 1_000))
    #expect(bars(rig).suffix(2) == ["1.3", "1.3"])
    rig.ask(.go(.next))
    rig.ask(bars(1, 2, of: (2, 2)))
    #expect(rig.look().progress?.isJumping == false)
    rig.play(until: ClockFrame(96_000 * 9 - 1_000))
    #expect(bars(rig).suffix(3) == ["1.1", "1.2", "1.1"])
    // In a pause, too.
    rig.ask(.go(.next))
    rig.ask(.pause)
    rig.play(frames: 50_000)
    rig.ask(bars(4, 4, of: (2, 2)))
    #expect(rig.look().progress?.isJumping == false)
    rig.ask(.start)
    rig.play(frames: 96_000 * 2 - 1_000)
    #expect(bars(rig).suffix(2) == ["1.4", "1.4"])
  }

  @Test func `A loop that begins with the next bar is entered once, also if cycles are missed at its line`()
    throws
  {
    let rig = try rig()
    rig.ask(.start)
    rig.play(until: 96_000 + 100)
    rig.ask(bars(2, 3))
    rig.play(until: ClockFrame(96_000 * 2 - 1_000))
    rig.miss(.milliseconds(200))
    rig.play(until: ClockFrame(96_000 * 6 - 1_000))
    // The first beat of bar 2 was missed.
    #expect(bars(rig) == ["0.1", "1.1", "1.3", "1.2", "1.3"])
  }

  @Test func `In a pause the next start begins with the loop, also if it begins with the next bar`() throws {
    let rig = try rig()
    rig.ask(.start)
    rig.play(until: 96_000 + 50_000)
    rig.ask(.pause)
    rig.play(frames: 100_000)
    rig.ask(bars(2, 3))
    rig.ask(.start)
    rig.play(frames: 96_000 * 3 - 1_000)
    #expect(bars(rig) == ["0.1", "1.1", "1.2", "1.3", "1.2"])
  }

  @Test func `Bars of this section, or of others: the music goes there on the next bar line`() throws {
    let rig = try rig()
    rig.ask(.start)
    rig.play(until: 96_000 + 100)
    rig.ask(bars(3, 4))
    rig.play(until: ClockFrame(96_000 * 6 - 1_000))
    #expect(bars(rig) == ["0.1", "1.1", "1.3", "1.4", "1.3", "1.4"])
    #expect(rig.look().progress?.section == "A" && rig.look().progress?.bar == 4)
    rig.ask(bars(2, 2, of: (3, 3)))
    rig.play(until: ClockFrame(96_000 * 8 - 1_000))
    #expect(bars(rig).suffix(2) == ["2.2", "2.2"])
    rig.ask(.loop(.bars(nil)))
    rig.play(until: ClockFrame(96_000 * 10 - 1_000))
    #expect(bars(rig).suffix(2) == ["2.3", "2.4"])
    // If they already play, they do not start again.
    let inside = try self.rig()
    inside.ask(.start)
    inside.play(until: ClockFrame(96_000 * 2 + 100))
    inside.ask(bars(1, 3))
    inside.play(until: ClockFrame(96_000 * 6 - 1_000))
    #expect(bars(inside) == ["0.1", "1.1", "1.2", "1.3", "1.1", "1.2"])
  }

  @Test
  func `Set while nothing plays, the next start begins there; a pause keeps the bars, a stop does not`()
    throws
  {
    let rig = try rig()
    rig.ask(bars(2, 3, of: (2, 2)))
    rig.ask(.start)
    rig.play(until: ClockFrame(96_000 * 2 + 50_000))
    rig.ask(.pause)
    rig.play(frames: 200_000)
    let before = bars(rig)
    #expect(before == ["0.1", "1.2", "1.3"])
    rig.ask(.start)
    rig.play(frames: 96_000 * 2)
    #expect(bars(rig).suffix(2) == ["1.2", "1.3"])
    rig.ask(.stop)
    #expect(rig.look().progress?.loop == nil)
    rig.ask(.start)
    rig.play(frames: 96_000 * 5)
    #expect(bars(rig).suffix(5) == ["0.1", "1.1", "1.2", "1.3", "1.4"])
  }

  @Test func `Holding a section and repeating bars replace each other`() throws {
    let rig = try rig()
    rig.ask(.go(.next))
    rig.ask(.start)
    rig.play(until: 1_000)
    rig.ask(bars(1, 2))
    rig.play(frames: 96_000)
    rig.ask(.hold(true))
    #expect(rig.look().progress?.isHeld == true && rig.look().progress?.loop == nil)
    rig.play(until: ClockFrame(96_000 * 6 - 1_000))
    #expect(bars(rig) == ["1.1", "1.2", "1.3", "1.4", "1.1", "1.2"])
    rig.ask(bars(1, 2))
    #expect(rig.look().progress?.isHeld == false && rig.look().progress?.loop != nil)
  }

  @Test func `Bars that cannot be repeated are refused with a reason, and nothing changes`() throws {
    let rig = try rig()
    #expect(
      rig.refusal(of: .loop(.mark))
        == "loop outside the song's bars: must be marked while one of them plays")
    rig.ask(.go(.next))
    #expect(rig.refusal(of: bars(1, 5)) == "loop: bar 5: must be 1…4, a bar of 'A'")
    #expect(rig.refusal(of: bars(3, 2)) == "loop to bar 2: must be to the first bar or a later one")
    #expect(rig.refusal(of: bars(1, 1, of: (4, 4))) == "loop: section 4: must be 1…3")
    #expect(rig.refusal(of: bars(1, 1, of: (1, 1))) == "loop in the count-in: must be of the music's bars")
    #expect(rig.look().progress?.loop == nil)
    let none = try Rig()
    #expect(none.refusal(of: .loop(.mark))?.contains("session") == true)
  }

  @Test(arguments: [Update.hold(true), .loop(.bars(SessionBars(.init(bar: 1), through: .init(bar: 1))))])
  func `Another song ends hold and loop`(update: Update) throws {
    let song = SongPlan(title: "song", plans: [try section("A", .bars(2)), try section("B", .bars(1))])
    let rig = try Rig(Setlist(title: "", songs: [.init(song: song), .init(song: song)]))
    rig.ask(update)
    rig.ask(.go(.nextSong))
    rig.ask(.start)
    let start = rig.clock
    rig.play(frames: 96_000 * 3 - 1_000)
    #expect(rig.look().progress?.loop == nil && rig.look().progress?.isHeld == false)
    #expect(bars(rig) == ["0.1", "0.2", "1.1"])
    #expect(rig.heard.first?.frame == start)
  }

  @Test func `The elapsed time is reported to the last frame of a round, and goes back with the music`()
    throws
  {
    let rig = try rig()
    rig.ask(.go(.next))
    rig.ask(bars(2, 3))
    rig.ask(.start)
    // From bar 2 on, two bars of two seconds a round.
    for step in 1..<40 {
      let progress = try #require(rig.play(until: ClockFrame(Int64(step) * 12_000 + 100)).progress)
      let passed = 2 + Double(step * 12_000 + 100).truncatingRemainder(dividingBy: 192_000) / 48_000
      #expect(progress.sectionElapsed == Int(passed), "\(step)")
      #expect(progress.sectionLeft == 8 - Int(passed), "\(step)")
    }
  }

  @Test func `A change of speed keeps the bars`() throws {
    let rig = try rig()
    rig.ask(bars(2, 3, of: (2, 2)))
    rig.ask(.start)
    rig.play(until: 96_000 + 30_000)
    rig.ask(.speed(percent: 200))
    rig.play(frames: 48_000 * 6)
    let expected = ["0.1", "1.2", "1.3", "1.2", "1.3", "1.2"]
    #expect(bars(rig).prefix(6) == expected[...])
    #expect(rig.look().progress?.loop != nil)
  }
}
