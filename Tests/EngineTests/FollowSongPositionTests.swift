import Engine
import MIDI
import TestNumbers
import Testing

@Suite("Song position behind a leader")
struct FollowSongPositionTests {
  /// The messages without the pulses.
  private static func words(_ following: Following) -> [String] {
    following.rig.pulses.compactMap {
      switch $0.message {
      case .songPosition(let position): "\(position.sixteenths)"
      case .start: "start"
      case .continue: "continue"
      case .stop: "stop"
      default: nil
      }
    }
  }

  private static func following(_ leader: SimulatedLeader) throws -> Following {
    let following = try Following(leader)
    following.rig.recordMIDI()
    return following
  }

  /// Four bars of 4/4, and 7/8 from bar 5 on.
  private static func throughChange(_ leader: SimulatedLeader, period: Int) throws -> Following {
    var following = try following(leader)
    while following.leader.bar < 7 {
      following.leader.nextMeter = following.leader.bar < 4 ? (4, 4) : (7, 8)
      try following.render(period)
    }
    return following
  }

  /// The messages when the leader locates to its current bar, or to another one in 7/8.
  private static func words(
    _ following: inout Following, afterLocatingTo bar: Int, startTick: Double, period: Int
  ) throws -> [String] {
    following.rig.forgetMIDI()
    following.leader.locate(bar: bar, notes: 0, frame: 9_000_000, startTick: startTick)
    try following.render(seconds: 1, period: period)
    return words(following)
  }

  @Test("After a change of meter a song position counts the bars as they were", arguments: [64, 1_024])
  func afterChange(period: Int) throws {
    var following = try FollowSongPositionTests.throughChange(
      SimulatedLeader(meter: (4, 4), beatsPerMinute: 120), period: period)
    // No pulse is lost or doubled where the meter changes.
    #expect(FollowSongPositionTests.words(following) == ["start"])
    // Each of its beats has 1920 ticks, whatever the note.
    var words = try FollowSongPositionTests.words(
      &following, afterLocatingTo: 5, startTick: 16 * 1_920, period: period)
    #expect(words == ["stop", "64", "continue"])
    words = try FollowSongPositionTests.words(
      &following, afterLocatingTo: 9, startTick: (16 + 28) * 1_920, period: period)
    #expect(words == ["stop", "\(64 + 4 * 14)", "continue"])
  }

  @Test("For a leader found after a change from 4/4 the position is computed from its ticks")
  func found() throws {
    var leader = SimulatedLeader(meter: (7, 8), beatsPerMinute: 200)
    leader.locate(bar: 5, notes: 0, frame: 400_000, startTick: 16 * 1_920)
    var following = try FollowSongPositionTests.following(leader)
    try following.render(seconds: 2, period: 256)
    #expect(FollowSongPositionTests.words(following) == ["64", "continue"])
  }

  @Test("For a leader with equal ticks in all whole notes the position is computed from its ticks")
  func scaled() throws {
    var leader = SimulatedLeader(meter: (5, 8), beatsPerMinute: 200)
    leader.ticksPerBeat = 24
    // 4/4, 3/4, 5/4, 7/8.
    leader.locate(bar: 5, notes: 0, frame: 400_000, startTick: 12 * 48 + 7 * 24)
    var following = try FollowSongPositionTests.following(leader)
    try following.render(seconds: 2, period: 256)
    #expect(FollowSongPositionTests.words(following) == ["62", "continue"])
  }

  @Test(
    "Through any changes of meter no pulse is lost, and the position of each observed bar is known",
    arguments: [1, 2, 3])
  func heard(seed: UInt64) throws {
    var numbers = Generator(seed: seed)
    var following = try FollowSongPositionTests.following(SimulatedLeader(meter: (4, 4), beatsPerMinute: 240))
    var bars: [(meter: (count: Int, unit: Int), startTick: Double, sixteenths: Int)] = []
    var sixteenths = 0
    while following.leader.bar < 40 {
      let leader = following.leader
      if bars.count < leader.bar {
        bars.append((leader.meter, leader.startTick, sixteenths))
        sixteenths += leader.meter.count * 16 / leader.meter.unit
        following.leader.nextMeter =
          numbers.number(0...2) > 0
          ? leader.meter : (numbers.number(2...9), [4, 8][numbers.number(0...1)])
      }
      try following.render(256)
    }
    #expect(FollowSongPositionTests.words(following) == ["start"])
    for _ in 0..<30 {
      let bar = numbers.number(2...bars.count)
      let place = bars[bar - 1]
      following.leader.nextMeter = place.meter
      // The leader takes a meter at a bar line only.
      let meter = following.leader.meter
      while following.leader.meter != place.meter || following.leader.bar == bar { try following.render(256) }
      following.rig.forgetMIDI()
      following.leader.locate(
        bar: bar, notes: 0, frame: UInt32(numbers.number(0...90_000_000)), startTick: place.startTick)
      try following.render(seconds: 0.3, period: 256)
      #expect(
        FollowSongPositionTests.words(following).prefix(3) == ["stop", "\(place.sixteenths)", "continue"],
        "\(bar) after \(meter)")
    }
  }

  @Test("If a leader's ticks become useless, its bars are counted, and no pulse is lost")
  func lost() throws {
    var leader = SimulatedLeader(meter: (4, 4), beatsPerMinute: 120)
    leader.tellsStart = { $0.bar > 8 ? 0 : $0.startTick }
    var following = try FollowSongPositionTests.throughChange(leader, period: 256)
    try following.render(seconds: 20, period: 256)
    #expect(following.leader.bar > 10)
    #expect(FollowSongPositionTests.words(following) == ["start"])
  }

  @Test(
    "If a leader's ticks contradict its bars, its bars count",
    arguments: ["none", "in bar", "next bar", "garbage"])
  func untrue(habit: String) throws {
    var leader = SimulatedLeader(meter: (4, 4), beatsPerMinute: 120)
    leader.tellsStart = { leader in
      switch habit {
      case "none": 0
      case "in bar": leader.tickPhase * 100
      case "next bar": leader.startTick + Double(leader.meter.count) * leader.ticksPerBeat
      default: -.nan
      }
    }
    var following = try FollowSongPositionTests.throughChange(leader, period: 256)
    #expect(FollowSongPositionTests.words(following) == ["start"])
    let words = try FollowSongPositionTests.words(
      &following, afterLocatingTo: 5, startTick: 16 * 1_920, period: 256)
    #expect(words == ["stop", "56", "continue"])
  }

  @Test("Impossible bars and ticks do no harm", arguments: [1, 2, 3])
  func nonsense(seed: UInt64) throws {
    var numbers = Generator(seed: seed)
    let rig = Rig(try Score.make(Pattern(), role: .follow))
    for cycle in 0..<20_000 {
      var transport = Cycle.Transport()
      (transport.isRolling, transport.frame) = (true, UInt32(cycle * 256))
      let bar = [1, 2, numbers.number(1...50), Int(Int32.max), numbers.number(1...Int(Int32.max))][
        numbers.number(0...4)]
      let ticks = [1e-3, 1, 24, 1_920, 1e9][numbers.number(0...4)]
      let (count, unit) = ([1, 4, 99][numbers.number(0...2)], [1, 8, 99][numbers.number(0...2)])
      let start = Double(bar - 1) * Double(count) * ticks
      transport.leader = Cycle.Leader(
        bar: bar, beat: 1, tick: 0, isTickExact: true, ticksPerBeat: ticks, offset: 0, beatsPerMinute: 120,
        beatsPerBar: Double(count), beatType: Double(unit),
        barStartTick: [start, start * 99, start / 7, 1e12 - 1, .infinity][numbers.number(0...4)])
      _ = rig.render(256, transport)
    }
    #expect(rig.clock.number == 20_000 * 256)
  }
}
