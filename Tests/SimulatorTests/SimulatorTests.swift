import Testing

@testable import OSC
@testable import OSCControl
@testable import Simulator

/// The fixed minute of simulation that each run of the tests does: the same seeds each time, and so the same work.
private enum FixedMinute {
  static let seeds: ClosedRange<UInt64> = 27...34
  /// Simulated minutes of each seed.
  static let minutes = 30
}

@Suite("Simulator")
struct SimulatorTests {
  private func run(_ seed: UInt64, flaw: Flaw? = nil) throws -> Outcome {
    try Simulation(
      History(seed: seed, minutes: FixedMinute.minutes), flaw: flaw
    ).run()
  }

  @Test("The whole program keeps its promises through hours of faults", arguments: FixedMinute.seeds)
  func fixedMinute(seed: UInt64) throws {
    let history = History(seed: seed, minutes: FixedMinute.minutes)
    let outcome = try Simulation(history).run()
    if outcome.fault != nil {
      Issue.record("\(try Shrinker(flaw: nil).report(history, outcome))")
    }
    // It has looked at something.
    #expect(outcome.time > UInt64(FixedMinute.minutes - 1) * 60_000_000_000)
    #expect(outcome.beats > 100 && outcome.clips > 50)
  }

  @Test(
    "Connections outlive servers, devices and the program, and stay as the user has made them",
    arguments: 1...4 as ClosedRange<UInt64>)
  func connections(seed: UInt64) throws {
    let history = History(seed: seed, minutes: 20, subject: .connections)
    let outcome = try Simulation(history).run()
    if outcome.fault != nil {
      Issue.record("\(try Shrinker(flaw: nil).report(history, outcome))")
    }
    #expect(outcome.connections > 1_000 && outcome.lives > 3)
  }

  @Test(
    "Starts have their pre-roll, and moves have none, also together with another role or tempo and beside a slow client",
    arguments: 1...4 as ClosedRange<UInt64>, [false, true])
  func transport(seed: UInt64, isPipeWire: Bool) throws {
    let history = History(seed: seed, minutes: 20, subject: .transport, isPipeWire: isPipeWire)
    let outcome = try Simulation(history).run()
    if outcome.fault != nil {
      Issue.record("\(try Shrinker(flaw: nil).report(history, outcome))")
    }
    #expect(outcome.countedStarts >= 3 && outcome.moved > 50)
  }

  @Test(
    "Count-ins are played to their end, and loops and jumps are exact, however a player moves through documents"
  )
  func sessions() throws {
    var (countIns, looped, holds) = (0, 0, 0)
    for seed in 1...4 as ClosedRange<UInt64> {
      let history = History(seed: seed, minutes: 20, subject: .sessions)
      let outcome = try Simulation(history).run()
      if outcome.fault != nil {
        Issue.record("\(try Shrinker(flaw: nil).report(history, outcome))")
      }
      countIns += outcome.countIns
      looped += outcome.looped
      holds += outcome.holds
    }
    #expect(countIns > 100 && looped > 1_000 && holds > 1_000, "\(countIns), \(looped), \(holds)")
  }

  @Test(
    "On PipeWire, which changes its rate and period while it runs, all promises hold too",
    arguments: 1...2 as ClosedRange<UInt64>)
  func pipeWire(seed: UInt64) throws {
    let history = History(seed: seed, minutes: 15, isPipeWire: true)
    let outcome = try Simulation(history).run()
    #expect(outcome.fault == nil, "\(String(describing: outcome.fault))")
    #expect(outcome.judged > 300)
  }

  @Test("A device that is back before the server has reported it is connected again")
  func quickReturn() throws {
    var history = History(seed: 1, minutes: 1)
    (history.rate, history.period) = (22_050, 8_192)
    // In some of these the port is back between the two notices of the server.
    for milliseconds in stride(from: 440, through: 460, by: 1) {
      history.happenings = [
        Happening(time: 20_126_000_000, deed: .unplugs(.machine, milliseconds: milliseconds))
      ]
      let outcome = try Simulation(history).run()
      #expect(outcome.fault == nil, "\(milliseconds): \(outcome.fault?.what ?? "")")
    }
  }

  @Test("The same seed leads to the same end, to the last bit")
  func deterministic() throws {
    let (first, second, other) = (try run(3), try run(3), try run(4))
    #expect(first.digest == second.digest)
    #expect((first.steps, first.beats, first.clips) == (second.steps, second.beats, second.clips))
    #expect(first.digest != other.digest)
  }

  @Test(
    "A start with a date is heard on its frame, however long latency and period are",
    arguments: [64, 1_024, 4_096, 8_192])
  func datedStart(period: Int) throws {
    var history = History(seed: 1, minutes: 1)
    (history.rate, history.period) = (44_100, period)
    let start = Deed.Message(address: "/tactus/start", arguments: [])
    history.happenings = [
      Happening(time: 5_000_000_000, deed: .osc("/tactus/stop", [])),
      Happening(time: 8_000_000_000, deed: .dated([start], ahead: 1_000)),
    ]
    let outcome = try Simulation(history).run()
    #expect(outcome.fault == nil, "\(outcome.fault?.what ?? "")")
    #expect(outcome.starts == 1)
  }

  @Test("A change whose time comes while the server hangs is heard when that goes on")
  func datedChangeInAHang() throws {
    var history = History(seed: 1, minutes: 1)
    (history.rate, history.period) = (48_000, 1_024)
    let change = Deed.Message(address: "/tactus/tempo", arguments: [.float(240)])
    history.happenings = [
      Happening(time: 10_000_000_000, deed: .serverHangs(milliseconds: 9_000)),
      Happening(time: 10_500_000_000, deed: .dated([change], ahead: 300)),
    ]
    let outcome = try Simulation(history).run()
    #expect(outcome.fault == nil, "\(outcome.fault?.what ?? "")")
    #expect(outcome.ordered > 100)
  }

  @Test("A start with a date within a hang of the server comes when the server goes on")
  func datedStartInAHang() throws {
    var history = History(seed: 1, minutes: 1)
    (history.rate, history.period) = (48_000, 1_024)
    let start = Deed.Message(address: "/tactus/start", arguments: [])
    history.happenings = [
      Happening(time: 8_000_000_000, deed: .osc("/tactus/stop", [])),
      Happening(time: 10_000_000_000, deed: .serverHangs(milliseconds: 4_000)),
      Happening(time: 10_500_000_000, deed: .dated([start], ahead: 550)),
    ]
    let outcome = try Simulation(history).run()
    #expect(outcome.fault == nil, "\(outcome.fault?.what ?? "")")
    #expect(outcome.starts == 1)
  }

  @Test("A leader that comes and goes before it is noticed does not keep the program from leading")
  func leaderForAMoment() throws {
    var history = History(seed: 1, minutes: 1)
    (history.rate, history.period) = (48_000, 8_192)
    history.happenings = [
      Happening(time: 5_000_000_000, deed: .osc("/tactus/role", [.text("lead")])),
      Happening(time: 6_000_000_000, deed: .osc("/tactus/start", [])),
      Happening(
        time: 8_000_000_000, deed: .leaderComes(thousandths: 120_000, notes: 4, unit: 4, milliseconds: 2_000)),
    ]
    let outcome = try Simulation(history).run()
    #expect(outcome.fault == nil, "\(outcome.fault?.what ?? "")")
    #expect(outcome.judged > 20)
  }

  @Test("A beat on the first frame after missed cycles is heard, and is no fault")
  func beatWhereAGapEnds() throws {
    var history = History(seed: 1, minutes: 1)
    (history.rate, history.period) = (48_000, 2_048)
    history.happenings = [
      Happening(time: 200_000_000, deed: .osc("/tactus/volume/cue", [.float(0.239)])),
      Happening(time: 48_123_000_000, deed: .missesCycles(2)),
    ]
    let outcome = try Simulation(history).run()
    #expect(outcome.fault == nil, "\(outcome.fault?.what ?? "")")
    #expect(outcome.judged > 80)
  }

  @Test("Bars that repeat are on their exact frames, round after round, and what follows them too")
  func loopOfBars() throws {
    var history = History(seed: 1, minutes: 4)
    (history.rate, history.period) = (44_100, 1_024)
    let sections = [(4, 133_330, 4), (3, 170_000, 7), (200, 97_010, 3)].map {
      Document.Section(bars: $0.0, thousandths: $0.1, notes: $0.2, unit: 4, subdivision: 3)
    }
    history.happenings = [
      Happening(
        time: 5_000_000_000, deed: .opens(Document(number: 1, sections: sections, isMap: false))),
      Happening(time: 6_000_000_000, deed: .osc("/tactus/start", [])),
      // From the third bar of the first section to the second of the next one.
      Happening(
        time: 7_000_000_000, deed: .osc("/tactus/loop", [.int(1), .int(3), .int(2), .int(2)])),
      Happening(time: 150_000_000_000, deed: .missesCycles(8)),
      Happening(time: 180_000_000_000, deed: .osc("/tactus/loop", [.int(0)])),
    ]
    let outcome = try Simulation(history).run()
    #expect(outcome.fault == nil, "\(outcome.fault?.what ?? "")")
    #expect(outcome.looped > 800 && outcome.judged > outcome.looped + 200, "\(outcome.counts)")
  }

  @Test("Layers of a document that repeats bars are on their exact frames, each round as the one before")
  func layersInALoop() throws {
    var history = History(seed: 1, minutes: 5)
    (history.rate, history.period) = (44_100, 1_024)
    let texts = [
      ["5 over 3 bars, reset never", "every 3/16, pattern Xoo"],
      ["7 over 2 bars, pattern X.x.x, reset never", "3 over beat, reset group"], ["4 over bar, reset never"],
    ]
    let sections = zip([(4, 133_330, 4), (3, 170_000, 7), (200, 97_010, 3)], texts).map { section, layers in
      Document.Section(
        bars: section.0, thousandths: section.1, notes: section.2, unit: 4, subdivision: 3,
        layers: layers.compactMap { LayerPattern($0) })
    }
    history.happenings = [
      Happening(
        time: 5_000_000_000, deed: .opens(Document(number: 1, sections: sections, isMap: false))),
      Happening(time: 6_000_000_000, deed: .osc("/tactus/start", [])),
      // All of the first section, then from its third bar to the second of the next one, then the second.
      Happening(time: 8_000_000_000, deed: .osc("/tactus/loop", [.int(1), .int(1), .int(1), .int(4)])),
      Happening(time: 70_000_000_000, deed: .osc("/tactus/loop", [.int(1), .int(3), .int(2), .int(2)])),
      Happening(time: 150_000_000_000, deed: .missesCycles(8)),
      Happening(time: 180_000_000_000, deed: .osc("/tactus/loop", [.int(2), .int(1), .int(2), .int(3)])),
      Happening(time: 240_000_000_000, deed: .osc("/tactus/loop", [.int(0)])),
    ]
    let outcome = try Simulation(history).run()
    #expect(outcome.fault == nil, "\(outcome.fault?.what ?? "")")
    #expect(outcome.looped > 1_000 && outcome.layered > 800, "\(outcome.counts)")
  }

  @Test(
    "A layer is set, silenced and cleared while the music plays, and its pulses are on their exact frames")
  func layersOfTheMetronome() throws {
    var history = History(seed: 1, minutes: 3)
    (history.rate, history.period) = (48_000, 1_024)
    let texts: [(Int, String)] = [
      (1, "5 over bar, pattern X.x.x, sound sine"), (2, "7 over 2 bars, reset bar"),
      (3, "every 3/16, note 64"),
    ]
    history.happenings =
      [Happening(time: 5_000_000_000, deed: .osc("/tactus/sound", [.text("square")]))]
      + texts.map {
        Happening(time: 10_000_000_000, deed: .osc("/tactus/layer/\($0)", [.text($1)]))
      } + [
        Happening(time: 40_000_000_000, deed: .osc("/tactus/volume/layer-3", [.float(0)])),
        Happening(time: 50_000_000_000, deed: .osc("/tactus/tempo", [.float(133.71)])),
        Happening(time: 80_000_000_000, deed: .osc("/tactus/meter", [.int(7), .int(8)])),
        Happening(time: 110_000_000_000, deed: .osc("/tactus/polyrhythm", [.text("3:4")])),
        Happening(time: 140_000_000_000, deed: .osc("/tactus/layer/2", [.text("")])),
      ]
    let outcome = try Simulation(history).run()
    #expect(outcome.fault == nil, "\(outcome.fault?.what ?? "")")
    #expect(outcome.layered > 800, "\(outcome.counts)")
  }

  @Test("Each beat of a Link session is played once, however its time is measured, and after others are back")
  func linkedSession() throws {
    var history = History(seed: 1, minutes: 10)
    (history.rate, history.period) = (48_000, 1_024)
    history.happenings = [
      Happening(time: 5_000_000_000, deed: .linkPeers(2)),
      Happening(time: 6_000_000_000, deed: .osc("/tactus/role", [.text("link")])),
      Happening(time: 7_000_000_000, deed: .linkPlays(true)),
      Happening(time: 120_000_000_000, deed: .linkTempo(thousandths: 187_310)),
      Happening(time: 200_000_000_000, deed: .linkDropsOut(milliseconds: 30_000, ahead: 4_370)),
      Happening(time: 300_000_000_000, deed: .osc("/tactus/tempo", [.float(72.5)])),
      Happening(time: 400_000_000_000, deed: .missesCycles(8)),
      Happening(time: 450_000_000_000, deed: .linkDropsOut(milliseconds: 5_000, ahead: -250)),
    ]
    let outcome = try Simulation(history).run()
    #expect(outcome.fault == nil, "\(outcome.fault?.what ?? "")")
    #expect(outcome.linked > 1_000, "\(outcome.counts)")
  }

  @Test("A beat of a session that is lost or doubled is found; over missed cycles nobody can know")
  func sessionOrder() {
    func fault(_ numbers: [Int], _ gaps: Gaps = Gaps()) -> String? {
      var order = SessionOrder()
      for (index, number) in numbers.enumerated() {
        if let what = order.judge(number, frame: Int64(1_000 * index), gaps) { return what }
      }
      return nil
    }
    #expect(fault([-1, 0, 1, 2]) == nil)
    #expect(fault([4, 5, 5, 6]) != nil)
    #expect(fault([4, 5, 7, 8]) != nil)
    var gaps = Gaps()
    gaps.note(1_500..<1_600)
    #expect(fault([4, 5, 7, 8], gaps) == nil)
  }

  @Test("A count-in that is cut or repeated is found; over missed cycles nobody can know")
  func countIn() {
    func fault(_ beats: [(bar: Int, beat: Int)], counted: Int = 6, _ gaps: Gaps = Gaps()) -> String? {
      var judge = CountInJudge()
      for (index, place) in beats.enumerated() {
        let beat = Subscriber.Beat(
          time: 0, bar: place.bar, beat: place.beat, role: place.beat == 1 ? .accent : .beat, strength: 1,
          isCounted: index < counted)
        let what = judge.judge(beat, frame: Int64(1_000 * index), beats: 3, rendered: UInt64(index), gaps)
        if let what { return what }
      }
      return nil
    }
    let count = [(-1, 1), (-1, 2), (-1, 3), (0, 1), (0, 2), (0, 3)]
    #expect(fault(count + [(1, 1), (1, 2), (5, 2)]) == nil)
    #expect(fault(count + [(7, 1)]) == nil)
    // The bars of a count-in that is held would go on counting.
    #expect(fault(count + [(1, 1)], counted: 7) != nil)
    #expect(fault(count + [(1, 2)]) != nil)
    #expect(fault(count.dropLast() + [(7, 1)], counted: 5) != nil)
    #expect(fault([(0, 1), (0, 1)]) != nil)
    var gaps = Gaps()
    gaps.note(4_500..<4_600)
    #expect(fault(count.dropLast() + [(7, 1)], counted: 5, gaps) == nil)
  }

  @Test("A section that is left while it is held is found, if nobody has moved the music")
  func hold() {
    var judge = HoldJudge()
    func judged(_ section: Int?, _ now: UInt64) -> String? { judge.judge(section, at: now) }
    #expect(judged(nil, 1) == nil && judged(3, 2) == nil && judged(3, 3) == nil)
    #expect(judged(2, 4) != nil)
    #expect(judged(nil, 5) == nil && judged(3, 6) == nil)
    judge.unsettle(until: 8)
    #expect(judged(2, 7) == nil && judged(2, 8) == nil && judged(2, 9) == nil)
    #expect(judge.judged == 3)
  }

  @Test("What ranges of seeds led to adds up to what all of them led to, digests too")
  func rangesAddUp() throws {
    func totals(_ seeds: ClosedRange<UInt64>) throws -> Totals {
      var totals = Totals()
      for seed in seeds {
        let history = History(seed: seed, minutes: 2)
        totals.add(try Simulation(history).run(), of: history)
      }
      return totals
    }
    let (all, first, second) = (try totals(1...4), try totals(1...1), try totals(2...4))
    #expect(all.digest == first.digest &+ second.digest)
    #expect(all.sum.beats == first.sum.beats + second.sum.beats && all.sum.beats > 0)
    #expect(all.deeds == first.deeds.merging(second.deeds) { $0 + $1 })
    #expect("\(all)".contains("seeds 1…4") && "\(all)".contains("no fault"))
  }

  @Test("Each planted fault is found within the fixed minute", arguments: Flaw.allCases)
  func plantedFaultsAreFound(flaw: Flaw) throws {
    let found = try FixedMinute.seeds.contains { try run($0, flaw: flaw).fault != nil }
    #expect(found, "\(flaw.rawValue)")
  }

  @Test("A history that fails is shrunk to the few deeds that it takes, and told in plain words")
  func shrinks() throws {
    let history = History(seed: 2, minutes: FixedMinute.minutes)
    let outcome = try Simulation(history, flaw: .reportsRoundTempo).run()
    try #require(outcome.fault != nil)
    let shrinker = Shrinker(flaw: .reportsRoundTempo)
    let (shortest, result) = try shrinker.shrink(history, outcome)
    #expect(result.fault?.promise == outcome.fault?.promise)
    #expect(shortest.happenings.count <= 5)
    #expect(try shrinker.report(history, outcome).contains("/tactus/tempo"))
  }
}
