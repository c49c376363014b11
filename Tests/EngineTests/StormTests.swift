import Engine
import MusicTime
import TestNumbers
import Testing

@Suite("Storm")
struct StormTests {
  private static let sets = (0..<12).map { ClipSet.coded(1_000 + $0, lengths: 50...2_400) }

  /// A random score, and the facts about it that the monitor needs.
  private func change(
    _ numbers: inout Generator, generation: Int
  ) throws -> (UnsafePointer<Score>, Monitor.Change) {
    var pattern = Pattern()
    pattern.thousandths = numbers.oneIn(20) ? 1_000 : numbers.number(30_000...999_999)
    pattern.meter = (numbers.number(1...13), [1, 2, 3, 4, 5, 7, 8, 16, 99][numbers.number(0...8)])
    pattern.beatUnit = [nil, (1, 4), (3, 8), (7, 16), (1, 7)][numbers.number(0...4)]
    pattern.swing = numbers.number(0...1_000)
    for parts in 2...9 where numbers.oneIn(4) {
      pattern.subdivisions[parts] = Float(numbers.number(1...9)) / 10
    }
    let unit = try BeatUnit(pattern.unit.numerator, pattern.unit.denominator)
    let beats = BarLayout.beats(in: try Meter(pattern.meter.count, pattern.meter.unit), unit: unit)
    let accents = String((0..<beats).map { _ in ["X", "x", "o", "."][numbers.number(0...3)] as Character })
    var gains = Gains()
    for role in ClickRole.allCases where numbers.oneIn(2) {
      gains.buses[role] = Float(numbers.number(0...20)) / 10
    }
    if numbers.oneIn(3) { gains.master = Float(numbers.number(0...10)) / 10 }
    let clips = Self.sets[generation % Self.sets.count]
    let quantise = Quantise.allCases[numbers.number(0...2)]

    let straight = try pattern.layout()
    let layout = try BarLayout(
      meter: straight.meter, beatUnit: unit,
      subdivisions: Dictionary(
        uniqueKeysWithValues: pattern.subdivisions.map { (try Subdivision($0.key), $0.value) }),
      accents: AccentPattern(text: accents), swing: Swing(Double(pattern.swing) / 1_000))
    let tempo = try Tempo(thousandths: pattern.thousandths)
    let score = Score.make(
      [SectionPlan(layout: layout, tempo: tempo)], sampleRate: 48_000, clips: clips, generation: generation,
      gains: gains, quantise: quantise)
    let known = Monitor.Change(
      layout: Timekeeper.Layout(pattern, accents: accents, sampleRate: 48_000), clips: clips,
      generation: generation, gains: gains, quantise: quantise)
    return (score, known)
  }

  /// A change at once or on a line, and up to three that have a date.
  private func update(
    _ numbers: inout Generator, rig: Rig
  ) throws -> (UnsafePointer<ScoreUpdate>, Monitor.ScoreUpdate) {
    let generation = rig.published + 1
    let dates = numbers.oneIn(3) ? numbers.number(1...3) : 0
    let change =
      dates == 0 || numbers.oneIn(2) ? try self.change(&numbers, generation: generation) : nil
    let frames = (0..<dates).map { _ in rig.clock + Int64(numbers.number(-100...2_000)) }.sorted()
    let pairs = try frames.map { frame in
      let before = try self.change(&numbers, generation: generation)
      let after = try numbers.oneIn(2) ? before : self.change(&numbers, generation: generation)
      return (frame, before, after)
    }
    let update = ScoreUpdate.make(
      change: change?.0, scheduled: pairs.map { .init(frame: $0, before: $1.0, after: $2.0) },
      serial: rig.changes + (change == nil ? 0 : 1), basis: rig.changes)
    return (update, .init(change: change?.1, scheduled: pairs.map { ($0, $1.1, $2.1) }))
  }

  private func command(_ numbers: inout Generator, after clock: ClockFrame) -> Command {
    let frame = numbers.oneIn(2) ? nil : clock + Int64(numbers.number(-50...3_000))
    switch numbers.number(1...10) {
    case 1...5: return Command(.start, at: frame)
    case 6: return Command(.stop, at: frame)
    default:
      let position = Position(
        bar: numbers.number(-1...40), beat: numbers.number(1...9),
        fraction: numbers.oneIn(2) ? 0 : Double(numbers.number(0...63)) / 64)
      return Command(.locate(position), at: frame)
    }
  }

  @Test(
    "In 10 000 changes each onset occurs once, and every sample is the sum of clips and volume ramps",
    arguments: [1, 2, 3])
  func storm(seed: UInt64) throws {
    var numbers = Generator(seed: seed)
    let (first, known) = try change(&numbers, generation: 1)
    let rig = Rig(first)
    rig.isRecording = true
    var monitor = Monitor(known)
    var (changes, wrong, early) = (0, 0, 0)
    while rig.clock.number < 60 * 48_000 {
      let start = rig.clock
      var update: Monitor.ScoreUpdate?
      var commands: [Command] = []
      // Two updates in one cycle: the second replaces the first before the engine has seen it.
      for _ in 0..<numbers.number(0...2) {
        let (next, known) = try self.update(&numbers, rig: rig)
        rig.publish(next)
        update = known
        changes += 1 + known.scheduled.count
      }
      if numbers.oneIn(3) {
        commands.append(command(&numbers, after: start))
        rig.command(commands[0].action, at: commands[0].frame)
        changes += 1
      }
      let size = numbers.oneIn(10) ? numbers.number(1...2_048) : numbers.number(1...384)
      let events = rig.render(size)
      monitor.period(start..<rig.clock, update: update, commands: commands, events: events)
      wrong += monitor.compare(rig.recording, until: rig.clock)
      if rig.channels.pointee.oldestClips.load(ordering: .acquiring) > monitor.generation { early += 1 }
      rig.forgetRecording()
      rig.forgetEvents()
    }
    #expect(monitor.faults == [])
    #expect(wrong == 0)
    #expect(early == 0, "clips given up while they sound")
    #expect(changes >= 10_000)
    #expect(monitor.clicks > 3_000)
    // Only the update that plays is left.
    rig.publish(try self.change(&numbers, generation: rig.published + 1).0, at: 0)
    rig.render(until: rig.clock + 10_000)
    #expect(rig.freed == rig.published - 1)
    #expect(rig.channels.pointee.droppedEvents.load(ordering: .relaxed) == 0)
    #expect(rig.channels.pointee.droppedClips.load(ordering: .relaxed) == 0)
  }
}
