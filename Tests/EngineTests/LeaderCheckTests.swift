import Engine
import MusicTime
import TestNumbers
import Testing

/// Leaders that declare another meter or tempo than the one in which they count.
@Suite("Contradictory leaders")
struct LeaderCheckTests {
  /// What a leader declares, and how it counts.
  private struct Habit {
    var declared = (count: 4, unit: 4, tempo: 120.0)
    /// The counted beats in a bar, and a minute.
    var counted = (beats: 4, tempo: 120.0)
    var ticksPerBeat = 1_920.0
    /// The part of the declared ticks after which the next beat comes.
    var beatEnd = 1.0
  }

  /// A follower behind a leader whose habit may change at a bar line.
  private struct Room {
    let rig: Rig
    var habit: Habit
    var isRolling = true
    private(set) var truth: [Double] = []
    private(set) var meters: [String] = []
    private var bar = 1
    private var beats = 0.0
    private var frame: UInt32 = 0

    init(_ habit: Habit) throws {
      self.habit = habit
      rig = Rig(try Score.make(Pattern(), role: .follow))
    }

    mutating func play(seconds: Double, period: Int = 256) throws {
      let end = rig.clock + Int64(seconds * 48_000)
      while rig.clock < end { try play(period) }
    }

    private mutating func play(_ frames: Int) throws {
      var transport = Cycle.Transport()
      (transport.isRolling, transport.frame) = (isRolling, frame)
      let tick = (beats - beats.rounded(.down)) * habit.ticksPerBeat * habit.beatEnd
      transport.leader = Cycle.Leader(
        bar: bar, beat: Int(beats) + 1, tick: tick.rounded(.down), isTickExact: false,
        ticksPerBeat: habit.ticksPerBeat, offset: 0, beatsPerMinute: habit.declared.tempo,
        beatsPerBar: Double(habit.declared.count), beatType: Double(habit.declared.unit))
      for case .leader(let leader) in rig.render(frames, transport) {
        meters.append("\(leader.count)/\(leader.unit)\(leader.isCounted ? " counted" : "")")
        rig.publish(try Score.make(Pattern(meter: (leader.count, leader.unit)), role: .follow))
      }
      guard isRolling else { return }
      let pace = habit.counted.tempo / 60 / 48_000
      var next = beats.rounded(.up)
      while next < beats + pace * Double(frames) {
        truth.append(Double(rig.clock.number - Int64(frames)) + (next - beats) / pace)
        next += 1
      }
      beats += pace * Double(frames)
      if beats >= Double(habit.counted.beats) {
        beats -= Double(habit.counted.beats)
        bar += 1
      }
      frame &+= UInt32(frames)
    }

    /// The largest error of a click since a frame, in frames; nil if the number of clicks is wrong.
    func error(from begin: ClockFrame, perBeat: Double) -> Double? {
      let clicks = rig.beats.map { Double($0.frame.number) }.filter { $0 >= Double(begin.number) }
      guard let first = clicks.first, let beat = truth.min(by: { abs($0 - first) < abs($1 - first) }) else {
        return nil
      }
      let steps = clicks.map { ($0 - beat) / perBeat }
      for (step, next) in zip(steps, steps.dropFirst()) where next.rounded() - step.rounded() != 1 {
        return nil
      }
      return steps.map { abs($0 - $0.rounded()) * perBeat }.max()
    }

    /// The longest time without a click, in seconds.
    func longestGap(from begin: ClockFrame) -> Double {
      let clicks = rig.beats.map(\.frame).filter { $0 >= begin } + [rig.clock]
      return zip(clicks, clicks.dropFirst()).map { Double($1 - $0) / 48_000 }.max() ?? .infinity
    }
  }

  @Test(
    "A leader that declares 4/4 at 120 and counts seven beats at 240 is followed as it counts",
    arguments: [64, 256, 1_024])
  func eighths(period: Int) throws {
    var room = try Room(Habit())
    try room.play(seconds: 8, period: period)
    room.habit.counted = (7, 240)
    let turn = room.rig.clock
    try room.play(seconds: 20, period: period)
    #expect(room.meters.first == "4/4")
    #expect(room.meters.last == "7/4 counted")
    #expect(room.longestGap(from: turn) < 1.1)
    #expect(try #require(room.error(from: turn + 5 * 48_000, perBeat: 12_000)) <= 8)
    let late = room.rig.beats.filter { $0.frame > turn + 5 * 48_000 }
    #expect(late.allSatisfy { ($0.beat == 1) == ($0.role == .accent) && $0.beat <= 7 })
    #expect(late.count { $0.beat == 1 } >= 7)
  }

  @Test(
    "A leader whose eighths have half the ticks that it declares is followed through meters and tempos",
    arguments: [64, 256, 1_024])
  func halvedTicks(period: Int) throws {
    // Ardour, which always declares its first tempo and meter. The bars of 3/4 at 90 last as long as those of 4/4 at 120.
    var room = try Room(Habit())
    try room.play(seconds: 4, period: period)
    room.habit.counted = (3, 90)
    let turn = room.rig.clock
    try room.play(seconds: 12, period: period)
    #expect(room.meters.last == "3/4 counted")
    #expect(try #require(room.error(from: turn + 6 * 48_000, perBeat: 32_000)) <= 12)
    (room.habit.counted, room.habit.beatEnd) = ((7, 300), 0.5)
    let second = room.rig.clock
    try room.play(seconds: 14, period: period)
    #expect(room.meters.last == "7/8 counted")
    #expect(room.longestGap(from: turn) < 1.1)
    #expect(try #require(room.error(from: second + 6 * 48_000, perBeat: 9_600)) <= 12)
    (room.habit.counted, room.habit.beatEnd) = ((4, 120), 1)
    let third = room.rig.clock
    try room.play(seconds: 14, period: period)
    #expect(room.longestGap(from: third) < 1.1)
    #expect(try #require(room.error(from: third + 6 * 48_000, perBeat: 24_000)) <= 12)
  }

  /// Ardour, which always declares its first meter and tempo. After a start or jump it publishes a position two cycles ahead, which
  /// stands still until the transport has reached it.
  private struct Ardour {
    /// Where a tempo begins, beats in a minute and in a bar, and the part of the declared ticks after which the next beat comes.
    private let music: [(frame: Int64, tempo: Double, beats: Int, beatEnd: Double)]

    let rig: Rig
    /// The clock frames at which beats are heard; frames since the last start or jump; and whether the beat is the first one at whose
    /// beginning ticks other than the declared ones are seen.
    private(set) var meters: [String] = []
    private(set) var truth: [(clock: ClockFrame, rolled: Int64, tellsTicks: Bool)] = []
    private let period: Int
    private var frame: Int64 = 0
    private var start: Int64 = 0

    /// - Parameter tempos: quarters a minute, of two bars of 3/4 after two of 4/4 at 120, and then of 7/8.
    init(period: Int, latency: Int, tempos: (Double, Double)) throws {
      self.period = period
      let second = 4 * 48_000 + Int64(6 * 60 * 48_000 / tempos.0)
      music = [
        (0, 120, 4, 1), (4 * 48_000, tempos.0, 3, 1), (second, 2 * tempos.1, 7, 0.5), (.max, 0, 0, 0),
      ]
      rig = Rig(try Score.make(Pattern(), role: .follow))
      rig.latencies.out = latency
    }

    mutating func locate(_ frame: Int64) { (self.frame, start) = (frame, frame) }

    mutating func play(seconds: Double) throws {
      let end = rig.clock + Int64(seconds * 48_000)
      while rig.clock < end {
        noteBeats()
        var transport = Cycle.Transport()
        (transport.isRolling, transport.frame) = (true, UInt32(frame))
        transport.leader = reported()
        for case .leader(let leader) in rig.render(period, transport) {
          meters.append("\(leader.count)/\(leader.unit)")
          rig.publish(try Score.make(Pattern(meter: (leader.count, leader.unit)), role: .follow))
        }
        frame += Int64(period)
      }
    }

    private func reported() -> Cycle.Leader {
      let period = Int64(period)
      let frame = min(max(frame, start + 3 * period), frame + 2 * period)
      var bar = 1
      var index = 0
      while music[index + 1].frame <= frame {
        let (now, next) = (music[index], music[index + 1])
        bar += Int((Double(next.frame - now.frame) / 48_000 * now.tempo / 60 / Double(now.beats)).rounded())
        index += 1
      }
      let now = music[index]
      let beats = Double(frame - now.frame) / 48_000 * now.tempo / 60
      let tick = ((beats - beats.rounded(.down)) * 1_920 * now.beatEnd).rounded()
      return Cycle.Leader(
        bar: bar + Int(beats) / now.beats, beat: Int(beats) % now.beats + 1, tick: tick, isTickExact: false,
        ticksPerBeat: 1_920, offset: 0, beatsPerMinute: 120, beatsPerBar: 4, beatType: 4)
    }

    private mutating func noteBeats() {
      for (now, next) in zip(music, music.dropFirst()) {
        let spacing = 48_000 * 60 / now.tempo
        var number = max((Double(frame - now.frame) / spacing).rounded(.down), 0)
        var beat = now.frame + Int64((number * spacing).rounded())
        if beat < frame {
          number += 1
          beat = now.frame + Int64((number * spacing).rounded())
        }
        while beat < min(frame + Int64(period), next.frame) {
          let tellsTicks = now.beatEnd != 1 && number == 1
          truth.append((rig.clock + beat - frame, beat - start, tellsTicks))
          number += 1
          beat = now.frame + Int64((number * spacing).rounded())
        }
      }
    }

    /// How late the click at each beat is, in frames; nil if it is missing.
    var errors: [Int64?] {
      let clicks = rig.beats.map { $0.frame + Int64(rig.latencies.out) }
      return truth.map { beat in
        clicks.map { $0 - beat.clock }.filter { abs($0) < 4_000 }.min { abs($0) < abs($1) }
      }
    }
  }

  @Test(
    "Behind Ardour each beat is heard, through meters, tempos and locates, however far ahead the clicks are",
    arguments: [(64, 0), (256, 2), (1_024, 0), (1_024, 2)],
    [(90.0, 150.0), (121, 119.5), (92.5, 146.2), (93.37, 150.615), (118.391, 171.837), (120, 120), (97, 60)])
  func ardour(room shape: (period: Int, periods: Int), tempos: (Double, Double)) throws {
    let (period, periods) = shape
    let latency = period * periods
    var room = try Ardour(period: period, latency: latency, tempos: tempos)
    try room.play(seconds: 13)
    room.locate(6 * 48_000)
    try room.play(seconds: 7)
    // After a start or jump it publishes a later position.
    let beats = zip(room.truth, room.errors).filter { $0.0.rolled > Int64(4 * period + latency) }
    #expect(beats.count > 35)
    for (beat, error) in beats {
      let late = try #require(error)
      // That a note is shorter shows only when the first one ends. From then on it is known.
      let isFirst = beat.tellsTicks && beat.clock.number < 13 * 48_000
      #expect(late >= -2 && late <= (isFirst ? Int64(latency + period) : 2), "\(beat)")
    }
    // Whole tempos are recognised at once; others are measured with increasing precision.
    if tempos.0 == tempos.0.rounded(), tempos.1 == tempos.1.rounded() {
      #expect(beats.allSatisfy { abs($0.1!) <= 1 || $0.0.tellsTicks })
    }
    #expect(beats.suffix(8).allSatisfy { abs($0.1!) <= 1 })
    #expect(room.meters.last == "7/8")
    let clicks = room.rig.beats.count { $0.frame + Int64(latency) < room.rig.clock }
    #expect(clicks <= room.truth.count)
  }

  @Test("A leader that counts a whole bar as one beat is followed in the meter that it declares")
  func wholeBars() throws {
    var habit = Habit()
    (habit.counted, habit.ticksPerBeat) = ((1, 30), 192)
    var room = try Room(habit)
    try room.play(seconds: 30)
    #expect(room.meters.last == "4/4 counted")
    #expect(try #require(room.error(from: ClockFrame(5 * 48_000), perBeat: 24_000)) <= 260)
    #expect(room.longestGap(from: ClockFrame(5 * 48_000)) < 0.6)
    #expect(Set(room.rig.beats.filter { $0.frame.number > 5 * 48_000 }.map(\.beat)) == [1, 2, 3, 4])
  }

  @Test("A leader that counts more beats in a bar than it declares is followed in the longer bars")
  func longerBars() throws {
    var habit = Habit()
    habit.counted.beats = 7
    var room = try Room(habit)
    try room.play(seconds: 30)
    #expect(room.meters.last == "7/4 counted")
    #expect(room.longestGap(from: 0) < 1.1)
    #expect(room.rig.beats.filter { $0.frame.number > 15 * 48_000 }.map(\.beat).max() == 7)
  }

  @Test("A leader that is slower than it declares is followed at its own tempo")
  func slower() throws {
    var room = try Room(Habit())
    try room.play(seconds: 4)
    room.habit.counted.tempo = 97
    try room.play(seconds: 20)
    let spacing = 60 * 48_000.0 / 97
    #expect(try #require(room.error(from: ClockFrame(6 * 48_000), perBeat: spacing)) <= 20)
  }

  @Test(
    "A leader that counts as it declares is never corrected", arguments: [1.0, 4, 48, 960, 1_920],
    [24.7, 61.5, 133.7, 480])
  func truthful(ticks: Double, tempo: Double) throws {
    var habit = Habit()
    (habit.declared.tempo, habit.counted.tempo, habit.ticksPerBeat) = (tempo, tempo, ticks)
    var room = try Room(habit)
    try room.play(seconds: 40)
    for change in [(3, tempo * 1.5), (5, tempo * 0.7), (7, tempo)] {
      (room.habit.declared.count, room.habit.counted.beats) = (change.0, change.0)
      (room.habit.declared.tempo, room.habit.counted.tempo) = (change.1, change.1)
      try room.play(seconds: 20)
    }
    #expect(room.meters.allSatisfy { !$0.hasSuffix("counted") })
  }

  @Test(
    "If a leader's position stands still while the transport rolls, the music continues, and follows when it moves"
  )
  func stalls() throws {
    var room = try Room(Habit())
    try room.play(seconds: 10)
    room.habit.counted.tempo = 0
    let stand = room.rig.clock
    try room.play(seconds: 20)
    // After two beats the music continues by itself.
    #expect(room.longestGap(from: 0) < 1.7)
    #expect(room.longestGap(from: stand + 2 * 48_000) < 0.51)
    room.habit.counted.tempo = 120
    let turn = room.rig.clock
    try room.play(seconds: 20)
    #expect(room.longestGap(from: 0) < 1.7)
    #expect(try #require(room.error(from: turn + 5 * 48_000, perBeat: 24_000)) <= 260)
  }

  @Test("Impossible ticks and beats do no harm", arguments: [5e-300, 1e-9, 1_920, 3_840])
  func nonsense(tick: Double) throws {
    let rig = Rig(try Score.make(Pattern(), role: .follow))
    var frame: UInt32 = 0
    for beat in [1, 1, 1, 2, 2, 3, 99, 100, 1_000, 1] + Array(1...1_000) {
      for tick in [0, tick / 5, tick] {
        var transport = Cycle.Transport()
        (transport.isRolling, transport.frame) = (true, frame)
        transport.leader = Cycle.Leader(
          bar: 1, beat: beat, tick: tick, isTickExact: true, ticksPerBeat: 1_920, offset: 0,
          beatsPerMinute: 120,
          beatsPerBar: 4, beatType: 4)
        _ = rig.render(256, transport)
        frame += 256
      }
    }
    #expect(!rig.beats.isEmpty)
  }

  @Test("A leader that stops and starts is still corrected")
  func stops() throws {
    var room = try Room(Habit())
    room.habit.counted = (7, 240)
    try room.play(seconds: 10)
    let known = room.meters
    #expect(known.last == "7/8 counted")
    for _ in 0..<3 {
      room.isRolling = false
      try room.play(seconds: 2)
      room.isRolling = true
      try room.play(seconds: 2)
    }
    #expect(room.meters == known)
  }

  /// Renders a leader of 4/4 whose position at a frame is known in beats; returns whether it was ever corrected.
  private static func isCorrected(
    period: Int, ticks: Double, tempo: Double, seconds: Double, rate: Int = 48_000, beats: (Double) -> Double
  ) throws -> Bool {
    let rig = Rig(try Score.make(Pattern(), sampleRate: rate, role: .follow), sampleRate: rate)
    var frame = 0
    var isCorrected = false
    while Double(frame) < seconds * Double(rate) {
      let tick = Int(max(beats(Double(frame) * tempo / 60 / Double(rate)) * ticks, 0))
      let beat = tick / Int(ticks)
      var transport = Cycle.Transport()
      (transport.isRolling, transport.frame) = (true, UInt32(frame))
      transport.leader = Cycle.Leader(
        bar: beat / 4 + 1, beat: beat % 4 + 1, tick: Double(tick % Int(ticks)), isTickExact: false,
        ticksPerBeat: ticks, offset: 0, beatsPerMinute: tempo, beatsPerBar: 4, beatType: 4)
      for case .leader(let leader) in rig.render(period, transport) where leader.isCounted {
        isCorrected = true
      }
      frame += period
    }
    return isCorrected
  }

  @Test(
    "A leader whose position jitters by a tenth of a millisecond is never corrected",
    arguments: [64, 256, 1_024], [960.0, 1_920])
  func trembling(period: Int, ticks: Double) throws {
    var numbers = Generator(seed: 1)
    let isCorrected = try Self.isCorrected(period: period, ticks: ticks, tempo: 120, seconds: 60) {
      $0 + Double(numbers.number(-100...100)) * 2e-6
    }
    #expect(!isCorrected)
  }

  @Test(
    "A leader that moves by more than a beat in a period is never corrected",
    arguments: [625.6040519649688, 480])
  func longPeriods(tempo: Double) throws {
    let isCorrected = try Self.isCorrected(
      period: 4_096, ticks: 24, tempo: tempo, seconds: 60, rate: 22_050
    ) { $0 }
    #expect(!isCorrected)
  }

  @Test(
    "A multiple or fraction of the declared tempo is accepted as a tempo",
    arguments: [30.0, 40, 60, 240, 360])
  func multiples(tempo: Double) throws {
    var room = try Room(Habit())
    try room.play(seconds: 8)
    room.habit.counted.tempo = tempo
    let turn = room.rig.clock
    try room.play(seconds: 16 * 60 / tempo)
    #expect(try #require(room.error(from: turn + 4_000, perBeat: 60 * 48_000 / tempo)) <= 260)
    #expect(room.meters.allSatisfy { $0.hasPrefix("4/") })
  }

  @Test(
    "A measured tempo is used as long as it fits",
    arguments: [(134.0, 128.0), (148, 145), (60, 83)])
  func kept(declared: Double, counted: Double) throws {
    var habit = Habit()
    (habit.declared.tempo, habit.counted.tempo) = (declared, counted)
    var room = try Room(habit)
    room.rig.latencies.out = 4_096
    try room.play(seconds: 60, period: 2_048)
    let clicks = room.rig.beats.map { Double($0.frame.number) }.filter { $0 > 5 * 48_000 }
    for (click, next) in zip(clicks, clicks.dropFirst()) {
      #expect(abs(next - click - 60 * 48_000 / counted) < 20)
    }
  }

  @Test("No click is doubled at a bar line, whatever meter was assumed", arguments: [64, 256, 1_024])
  func bars(period: Int) throws {
    for tempo in stride(from: 60.0, to: 200, by: 7) {
      for beats in [2, 3, 5] {
        var habit = Habit()
        habit.declared.tempo = 67
        habit.counted = (4, 67)
        var room = try Room(habit)
        try room.play(seconds: 4 * 60 / 67, period: period)
        room.habit.counted = (beats, tempo)
        try room.play(seconds: Double(2 * beats) * 60 / tempo, period: period)
        room.habit.counted = (beats, 66)
        try room.play(seconds: 5, period: period)
        let clicks = room.rig.beats.map(\.frame)
        #expect(!zip(clicks, clicks.dropFirst()).contains { $1 - $0 < 4_000 }, "\(tempo) \(beats)")
      }
    }
  }
}
