import Control
import Engine
import MusicTime
import Sessions
import Testing

/// A song's plans, as `length tempo`.
private func steps(_ yaml: String) throws -> [String] {
  try song(yaml).plan().plans.map { "\($0.length.text) \($0.tempo.text)" }
}

extension SectionLength {
  var text: String {
    switch self {
    case .bars(let count): "\(count) bars"
    case .beats(let count): "\(count) beats"
    case .milliseconds(let time): "\(time) ms"
    case .open: "open"
    }
  }
}

extension TempoCurve {
  var text: String {
    switch self {
    case .constant(let tempo): "\(tempo)"
    case .ramp(let from, let to): "\(from)-\(to)"
    case .beats(let tempos): tempos.map(\.description).joined(separator: ",")
    }
  }
}

@Suite struct SongPlanTests {
  private func ladder(_ length: String, _ then: String, every: Int = 2) throws -> [String] {
    try steps("sections: [{\(length), tempo: {from: 60, to: 80, by: 8, every: \(every), then: \(then)}}]")
  }

  @Test func aLadderStaysOnItsLastStep() throws {
    #expect(try ladder("bars: 12", "stay") == ["2 bars 60", "2 bars 68", "2 bars 76", "6 bars 80"])
    #expect(try ladder("bars: 5", "stay") == ["2 bars 60", "2 bars 68", "1 bars 76"])
    #expect(try ladder("until: next", "stay") == ["2 bars 60", "2 bars 68", "2 bars 76", "open 80"])
  }

  @Test func aLadderThatStopsEndsItsSection() throws {
    let whole = ["2 bars 60", "2 bars 68", "2 bars 76", "2 bars 80"]
    #expect(try ladder("bars: 100", "stop") == whole)
    #expect(try ladder("until: next", "stop") == whole)
    #expect(try ladder("bars: 3", "stop") == ["2 bars 60", "1 bars 68"])
  }

  @Test func aLadderThatStopsNeedsNoLength() throws {
    let ladder = "tempo: {from: 60, to: 80, by: 8, every: 2, then: stop}"
    #expect(
      try steps("sections: [{\(ladder)}, {bars: 1}]")
        == ["2 bars 60", "2 bars 68", "2 bars 76", "2 bars 80", "1 bars 120"])
    #expect(try song("sections: [{\(ladder)}]").plan().plans.allSatisfy { !$0.isOpen })
    #expect(
      try steps("defaults: {\(ladder)}\nsections: [{name: A}, {bars: 3}]").suffix(2) == [
        "2 bars 60", "1 bars 68",
      ])
    for then in ["stay", "reverse", "again"] {
      #expect(throws: (any Error).self) {
        try steps("sections: [{tempo: {from: 60, to: 80, by: 8, every: 2, then: \(then)}}]")
      }
    }
    #expect(throws: (any Error).self) {
      try steps("sections: [{tempo: {from: 1, to: 999, by: 1, every: 10000, then: stop}}]")
    }
  }

  @Test func randomTemposAreDrawnWithinTheirBounds() throws {
    let tempos = try steps(
      "sections: [{bars: 4000, tempo: {from: 130, to: 90, every: 4, random: true, by: 5, seed: 3}}]")
    #expect(tempos.count == 1_000)
    let drawn = tempos.compactMap { $0.split(separator: " ").last.flatMap { Double($0) } }
    #expect(Set(drawn) == Set(stride(from: 90.0, through: 130, by: 5)))
    #expect(tempos.allSatisfy { $0.hasPrefix("4 bars ") })
    #expect(zip(drawn, drawn.dropFirst()).allSatisfy { $0 != $1 })
    // As all that is drawn from a seed, it is the same every time, and comes again after 64.
    #expect(Array(drawn.prefix(8)) == Array(drawn[64..<72]))
    let again = try steps(
      "sections: [{bars: 4000, tempo: {from: 90, to: 130, every: 4, random: true, by: 5, seed: 3}}]")
    #expect(again == tempos)
    let other = try steps(
      "sections: [{bars: 4000, tempo: {from: 90, to: 130, every: 4, random: true, by: 5, seed: 4}}]")
    #expect(other != tempos)
  }

  @Test(arguments: [1, 2, 3, 40])
  func noRandomTempoFollowsItselfIfThereIsAnother(choices: Int) throws {
    for seed in 0..<20 {
      let text = "{from: 100, to: \(99 + choices), every: 1, random: true, seed: \(seed)}"
      let drawn = try steps("sections: [{bars: 200, tempo: \(text)}]")
      #expect(drawn.count == 200)
      if choices > 1 { #expect(zip(drawn, drawn.dropFirst()).allSatisfy { $0 != $1 }, "seed \(seed)") }
      #expect(Set(drawn).count <= choices)
    }
  }

  @Test func aRandomTempoThatIsOpenGoesRound() throws {
    let plan = try song(
      "sections: [{bars: 1}, {until: next, tempo: {from: 60, to: 90, every: 2, random: true}}]"
    )
    .plan()
    #expect(plan.plans.count == 65 && plan.loopStart == 1)
    #expect(plan.plans.dropFirst().allSatisfy { $0.isOpen && $0.length == .bars(2) })
    // It repeats without end, and what follows would never come.
    #expect(throws: (any Error).self) {
      try song("sections: [{until: next, tempo: {from: 60, to: 90, every: 2, random: true}}, {bars: 1}]")
        .plan()
    }
  }

  @Test func aLadderThatReversesPlaysItsTurningPointsOnce() throws {
    #expect(
      try ladder("bars: 17", "reverse").map { $0.split(separator: " ").last! } == [
        "60", "68", "76", "80", "76", "68", "60", "68", "76",
      ])
  }

  @Test func aLadderBeginsAgain() throws {
    #expect(
      try ladder("bars: 11", "again") == [
        "2 bars 60", "2 bars 68", "2 bars 76", "2 bars 80", "2 bars 60", "1 bars 68",
      ])
  }

  @Test func aLadderGoesDown() throws {
    let text = "sections: [{bars: 4, tempo: {from: 80, to: 60.5, by: 10, every: 1}}]"
    #expect(try steps(text) == ["1 bars 80", "1 bars 70", "2 bars 60.5"])
    #expect(
      try steps("sections: [{bars: 4, tempo: {from: 80, to: 80, by: 10, every: 1, then: again}}]") == [
        "4 bars 80"
      ])
  }

  @Test func anOpenLadderGoesRoundFromItsFirstStep() throws {
    let text =
      "sections: [{bars: 1}, {until: next, tempo: {from: 60, to: 80, by: 10, every: 1, then: reverse}}]"
    let plan = try song(text).plan()
    #expect(plan.plans.map(\.tempo.text) == ["120", "60", "70", "80", "70"])
    #expect(plan.loopStart == 1)
    #expect(plan.seconds == nil)
  }

  @Test func aLadderInBeatsOrTimeKeepsItsLength() throws {
    #expect(try ladder("beats: 13", "stay") == ["2 bars 60", "5 beats 68"])
    // 2 bars at 60 last 8 s, at 68 7.0588 s.
    #expect(try ladder("time: 20 s", "stay") == ["2 bars 60", "2 bars 68", "4941 ms 76"])
  }

  @Test func stepsOfALadderAreOneSection() throws {
    let text =
      "sections: [{bars: 6, label: a, cue: chime, tempo: {from: 60, to: 80, by: 10, every: 2}}, {bars: 1}]"
    let plans = try song(text).plan().plans
    #expect(plans.map(\.source) == [0, 0, 0, 1])
    #expect(plans.map(\.label) == ["a", nil, nil, nil])
    #expect(plans.map(\.cue) == [.chime, nil, nil, nil])
  }

  @Test func subdivisionsDropOutTheFinestFirst() throws {
    let text = "sections: [{bars: 10, subdivisions: [2, 3], drop-out: {what: subdivisions, every: 3}}]"
    let plans = try song(text).plan().plans
    #expect(plans.map(\.length) == [.bars(3), .bars(3), .bars(4)])
    #expect(plans.map { $0.layout.onsets.count } == [16, 8, 4])
  }

  @Test func accentsDropOutTheLastFirst() throws {
    let text = "sections: [{until: next, meter: 7/8, groups: 2+2+3, drop-out: {what: accents, every: 1}}]"
    let plans = try song(text).plan().plans
    let roles = plans.map { plan in String(plan.layout.onsets.map { $0.role == .accent ? "X" : "x" }) }
    #expect(roles == ["XxXxXxx", "XxXxxxx", "Xxxxxxx", "xxxxxxx"])
    #expect(plans.last?.length == .open)
  }

  @Test func aLadderAndADropOutStepIndependently() throws {
    let text = """
      sections:
        - bars: 7
          tempo: {from: 60, to: 80, by: 10, every: 2}
          subdivisions: [2]
          drop-out: {what: subdivisions, every: 3}
      """
    #expect(try steps(text) == ["2 bars 60", "1 bars 70", "1 bars 70", "3 bars 80"])
  }

  @Test func anOpenLadderGoesRoundOnceAllHasDroppedOut() throws {
    let text = """
      sections:
        - until: next
          tempo: {from: 60, to: 70, by: 10, every: 2, then: again}
          subdivisions: [2]
          drop-out: {what: subdivisions, every: 3}
      """
    let plan = try song(text).plan()
    #expect(plan.plans.map(\.length) == [.bars(2), .bars(1), .bars(1), .bars(2), .bars(2)])
    #expect(plan.loopStart == 3)
  }

  @Test func randomSilenceGoesOnRisingThroughTheSteps() throws {
    let text = """
      sections:
        - {bars: 6, tempo: {from: 60, to: 80, by: 10, every: 2}, random-silence: {percent: 10, rise: 4, seed: 5}}
      """
    let plans = try song(text).plan().plans
    let silences = plans.map { plan -> String in
      guard case .random(let percent, let rise, let seed) = plan.silence else { return "" }
      return "\(percent) \(rise) \(seed == 5)"
    }
    #expect(silences == ["10 4 true", "18 4 false", "26 4 false"])
  }

  @Test func groupsAndCyclesAreWrittenOut() throws {
    let text = """
      cycles: 2
      sections:
        - {name: a, bars: 1}
        - repeat: 2
          sections: [{name: b, bars: 1}, {repeat: 2, sections: [{name: c, bars: 1}]}]
      """
    let plans = try song(text).plan().plans
    #expect(plans.map(\.name).joined() == "abccbccabccbcc")
    #expect(plans.map(\.source) == Array(0..<14))
  }

  @Test func forEverGoesRoundAfterTheCountIn() throws {
    let plan = try song("count-in: 2\ncycles: forever\nsections: [{bars: 1}, {bars: 2}]").plan()
    #expect(plan.loopStart == 1)
    #expect(plan.plans.map(\.isCountIn) == [true, false, false])
    #expect(plan.plans[0].length == .bars(2))
  }

  @Test func aCountInTakesTempoAndBarOfTheFirstSection() throws {
    let text =
      "count-in: {beats: 3}\nsections: [{bars: 1, meter: 7/8, sound: clave, tempo: {from: 90, to: 99}}]"
    let plan = try #require(try song(text).plan().plans.first)
    #expect(plan.length == .beats(3))
    #expect(plan.layout.meter == (try Meter(7, 8)))
    #expect(plan.tempo.text == "90")
    #expect(plan.sound == "clave")
    #expect(plan.source == 0)
  }

  @Test func aVoiceCountsBeatsOrSeconds() throws {
    func spoken(_ head: String) throws -> [String] {
      try song(head + "\nsections: [{bars: 1, meter: 7/8, beat-unit: 1/4}]").plan().plans.filter(\.isCountIn)
        .map { plan in
          guard case .speech(let text) = plan.cue else { return plan.length.text }
          return "\(text) \(plan.layout.meter)"
        }
    }
    #expect(try spoken("count-in: {bars: 1, spoken: true}") == ["1 1/4", "2 1/4", "3 1/4", "4 1/8"])
    #expect(try spoken("count-in: {beats: 5, spoken: yes}").map(\.first) == ["1", "2", "3", "4", "1"])
    #expect(try spoken("count-in: {time: 2.5, spoken: true}") == ["500 ms", "2 7/8", "1 7/8"])
  }

  @Test func aCountedBeatKnowsTheBarThatIsCounted() throws {
    func counted(_ head: String) throws -> [String] {
      try song(head + "\nsections: [{bars: 1, meter: 3/4}]").plan().plans.filter(\.isCountIn).map { plan in
        plan.counted.map { "\($0.bar)/\($0.bars) \($0.beat) \($0.layout.meter)" } ?? "none"
      }
    }
    #expect(
      try counted("count-in: {bars: 2, spoken: true}")
        == ["1/2 1 3/4", "1/2 2 3/4", "1/2 3 3/4", "2/2 1 3/4", "2/2 2 3/4", "2/2 3 3/4"])
    #expect(
      try counted("count-in: {beats: 4, spoken: true}")
        == ["1/2 1 3/4", "1/2 2 3/4", "1/2 3 3/4", "2/2 1 3/4"])
    #expect(try counted("count-in: {bars: 1}") == ["none"])
    #expect(try counted("count-in: {time: 2, spoken: true}") == ["none", "none"])
  }

  @Test func aListOfTemposIsItsOwnLength() throws {
    #expect(try steps("sections: [{tempo: [100, 99.5, 98]}]") == ["3 beats 100,99.5,98"])
    #expect(try steps("sections: [{tempo: [100, 90], bars: 2}]") == ["2 bars 100,90"])
  }

  @Test func defaultsHoldWhereASectionSaysNothingElse() throws {
    let text = """
      defaults: {tempo: 90, meter: 3/4, accents: XxX, volumes: {beat: 0.5, cue: 0.5}, colour: red, gap: {play: 1, rest: 1}}
      sections:
        - {bars: 1}
        - {bars: 1, meter: 4/4, volumes: {beat: 0.25}, silent: false}
        - {repeat: 1, defaults: {tempo: 60}, sections: [{bars: 1, groups: 1+2}]}
      """
    let plans = try song(text).plan().plans
    #expect(plans.map(\.tempo.text) == ["90", "90", "60"])
    #expect(plans.map { $0.layout.onsets.count { $0.role == .accent } } == [2, 1, 2])
    #expect(plans.map(\.gains.buses.beat) == [0.5, 0.25, 0.5])
    #expect(plans.map(\.gains.buses.cue) == [0.5, 0.5, 0.5])
    #expect(
      plans.map(\.silence) == [.gap(play: 1, rest: 1, growth: 0), .never, .gap(play: 1, rest: 1, growth: 0)])
    #expect(plans.map(\.colour) == ["red", "red", "red"])
  }

  @Test(
    "Times are read as people write them",
    arguments: [
      ("90", 90_000), ("20 s", 20_000), ("20s", 20_000), ("250 ms", 250), ("1.5 min", 90_000),
      ("1:30", 90_000),
      ("1:02:03", 3_723_000), ("0:00.5", 500), ("100 h", 360_000_000), ("0.0005", 1),
    ])
  func times(text: String, milliseconds: Int) throws {
    #expect(try song("sections: [{time: \(text)}]").plan().plans[0].length == .milliseconds(milliseconds))
  }

  @Test func theTotalTimeIsThatOfAllSections() throws {
    #expect(
      try song("sections: [{bars: 2, meter: 7/8, tempo: 210}, {time: 1:30}, {beats: 3, tempo: 60}]").plan()
        .seconds == 97)
    // The mean tempo of a ramp is (t2 − t1) / ln(t2/t1): 60 / ln 2 here.
    let ramp = try #require(try song("sections: [{beats: 120, tempo: {from: 60, to: 120}}]").plan().seconds)
    #expect(abs(ramp - 83.177_661_667_2) < 1e-9)
    let list = try #require(try song("sections: [{beats: 3, tempo: [60, 120]}]").plan().seconds)
    #expect(list == 2)
  }
}
