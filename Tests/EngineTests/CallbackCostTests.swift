import Glibc
import MIDI
import MusicTime
import Testing

@testable import Engine

/// Situations in which many hours lie between two callbacks, or between the music's end and now. Each once made a callback walk
/// through all bars of that time, or never return.
@Suite("The cost of a callback after a long time", .timeLimit(.minutes(5)))
struct CallbackCostTests {
  /// Frames in ten hours.
  private static let hours: Int64 = 48_000 * 3_600 * 10

  /// Milliseconds of processor time. Other programs on the machine do not count.
  private static func time(_ body: () -> Void) -> Double {
    func now() -> Double {
      var time = timespec()
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
      return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
    }
    let begin = now()
    body()
    return now() - begin
  }

  /// Expects that one period is rendered in a few milliseconds at most, in the best of five runs.
  /// - Parameter prepare: makes a rig in the situation, and returns it with the transport of the period.
  private func expectShort(
    _ name: String, frames: Int = 256, _ prepare: () throws -> (Rig, Cycle.Transport)
  ) throws {
    var best = Double.infinity
    for _ in 0..<5 where best > 3 {
      let (rig, transport) = try prepare()
      best = min(best, Self.time { rig.cycle(frames, transport) })
    }
    #expect(best < 3, "\(name): \(best) ms")
  }

  private func plan(_ bars: Int?, subdivisions: [Int: Float] = [4: 0.5]) throws -> SectionPlan {
    try Pattern(thousandths: 999_999, meter: (1, 4), subdivisions: subdivisions).plan(bars: bars)
  }

  private func ramp(layers: [String]) throws -> SectionPlan {
    var plan = try LayerScore(layers: layers).plan(bars: 1)
    plan.tempo = .ramp(from: try Tempo(60.0), to: try Tempo(240.0))
    return plan
  }

  private func score(
    _ plans: [SectionPlan], _ role: SyncMode, loop: Int? = nil, timing: Int = 1, quantise: Quantise = .now
  ) -> UnsafePointer<Score> {
    Score.make(plans, role: role, quantise: quantise, loop: loop, piece: 1, timing: timing)
  }

  private func transport(
    _ frame: Int64, rolls: Bool = true, starts: Bool = false, leader beatsPerMinute: Double? = nil
  ) -> Cycle.Transport {
    var transport = Cycle.Transport()
    transport.frame = UInt32(truncatingIfNeeded: frame)
    (transport.isRolling, transport.isStarting) = (rolls, starts)
    if let beatsPerMinute {
      let beats = Double(frame) * beatsPerMinute / 60 / 48_000
      let bar = Int(beats / 4)
      let place = beats - Double(4 * bar)
      transport.leader = Cycle.Leader(
        bar: bar + 1, beat: Int(place) + 1, tick: (place - place.rounded(.down)) * 1_920, isTickExact: true,
        ticksPerBeat: 1_920, offset: 0, beatsPerMinute: beatsPerMinute, beatsPerBar: 4, beatType: 4)
    }
    return transport
  }

  @Test("A layer in a ramp that ended long ago has no pulses", arguments: ["locate", "volume", "missed"])
  func rampIsOver(how: String) throws {
    let plans = [try plan(4), try ramp(layers: ["5 over bar"])]
    try expectShort(how) {
      let rig = Rig(score(plans, how == "missed" ? .free : .lead))
      rig.command(.start)
      rig.render(1_024, transport(0))
      rig.render(1_024, transport(1_024))
      switch how {
      case "missed": rig.miss(Int(Self.hours))
      case "volume":
        var frame: Int64 = 2_048
        while frame < 48_000 * 120 {
          rig.render(8_192, transport(frame))
          frame += 8_192
        }
        rig.publish(score(plans, .lead))
        return (rig, transport(frame))
      default: break
      }
      return (rig, transport(Self.hours))
    }
  }

  @Test("A song that is over in a transport is over once, whatever volumes change after it")
  func finishedOnce() throws {
    let rig = Rig(score([try plan(2)], .lead))
    for cycle in 0..<400 as Range<Int64> {
      if cycle > 200, cycle % 50 == 0 { rig.publish(score([try plan(2)], .lead)) }
      rig.render(1_024, transport(cycle * 1_024))
    }
    #expect(rig.events.filter { if case .finished = $0 { true } else { false } }.count == 1)
  }

  @Test("Music that is over uses the sections of the score that has taken over: the old one is freed")
  func sectionsOfTheNext() throws {
    let (old, next) = (score([try plan(2)], .lead), score([try plan(2)], .lead))
    var playhead = Playhead(old)
    playhead.deactivate()
    playhead.adopt(next, at: 1_000_000)
    #expect(playhead.nextFrame == .never)
    #expect(playhead.buffer.onsets.baseAddress == next.pointee.sections[0].buffer.onsets.baseAddress)
    for score in [old, next] { ScoreUpdate.free(ScoreUpdate.make(change: score)) }
  }

  @Test(
    "A held section is found again at once", arguments: ["locate", "reload", "missed", "changed", "retimed"])
  func held(how: String) throws {
    try expectShort(how) {
      let rig = Rig(score([try plan(how == "reload" ? 1_000_000 : 8)], .free))
      rig.command(.start)
      rig.render(1_024)
      rig.command(.repeats(.section))
      if how == "reload" { rig.command(.locate(Position(bar: 900_000, beat: 1))) }
      for _ in 0..<20 { rig.render(1_024) }
      switch how {
      case "locate": rig.command(.locate(Position(bar: 900_000, beat: 1)))
      case "reload": rig.publish(score([try plan(8)], .free, timing: 2))
      default:
        rig.miss(Int(Self.hours))
        if how == "changed" { rig.publish(score([try plan(8)], .free)) }
        if how == "retimed" { rig.publish(score([try plan(8, subdivisions: [3: 0.5])], .free, timing: 2)) }
      }
      return (rig, Cycle.Transport())
    }
  }

  @Test(
    "A section that is held through missed cycles and a change is still held", arguments: [1, 2], [0, 1])
  func stillHeld(timing: Int, held: Int) throws {
    let rig = Rig(score([try plan(8), try plan(8), try plan(8)], .free, loop: 0))
    rig.command(.start)
    if held == 1 { rig.render(until: ClockFrame(30_000)) }
    rig.render(1_024)
    rig.command(.repeats(.section))
    for _ in 0..<20 { rig.render(1_024) }
    rig.miss(300_000)
    rig.forgetEvents()
    rig.publish(score([try plan(8), try plan(8), try plan(8)], .free, loop: 0, timing: timing))
    rig.render(until: rig.clock + 300_000)
    #expect(rig.beats.count > 200 && rig.beats.allSatisfy { $0.section == held })
  }

  @Test("A transport that is far away is followed at once", arguments: ["start", "role", "jump", "missed"])
  func following(how: String) throws {
    try expectShort(how) {
      let plans = [try plan(how == "jump" || how == "missed" ? 4 : nil)]
      let rig = Rig(
        score(plans, how == "role" ? .free : .follow, loop: how == "jump" || how == "missed" ? 0 : nil))
      rig.latencies.out = 2_048
      let leader = 600.0
      switch how {
      case "role":
        for _ in 0..<10 { rig.render(1_024) }
        rig.publish(score(plans, .follow))
      case "jump", "missed":
        for cycle in 0..<20 as Range<Int64> { rig.render(1_024, transport(cycle * 1_024, leader: leader)) }
        if how == "missed" {
          rig.miss(Int(Self.hours))
          return (rig, transport(20 * 1_024 + Self.hours, leader: leader))
        }
        return (rig, transport(Self.hours, rolls: false, starts: true, leader: leader))
      default: break
      }
      return (rig, transport(Self.hours, leader: leader))
    }
  }

  @Test("A MIDI clock that was not heard for hours is followed at once")
  func midiClock() throws {
    try expectShort("missed") {
      let rig = Rig(score([try plan(4)], .midiClock, loop: 0))
      var machine = ClockMachine()
      machine.send(.start)
      machine.play(24 * 4, beatsPerMinute: 600)
      rig.clockIn = machine.events
      rig.render(until: ClockFrame(Int64(machine.time)))
      rig.miss(Int(Self.hours))
      return (rig, Cycle.Transport())
    }
  }

  @Test("A change that waits for a line, when the leader has passed the end, begins now")
  func waitingBehindTheEnd() throws {
    try expectShort("closed") {
      let rig = Rig(score([try plan(4)], .link))
      func render(_ beat: Double) {
        rig.link = Cycle.Link(beat: beat, beatsPerMinute: 999, isPlaying: true, start: 0)
        rig.render(256)
      }
      render(0)
      for cycle in 0..<400 { render(Double(cycle) * 256 * 999 / 60 / 48_000) }
      let beat = Double(Self.hours) * 999 / 60 / 48_000
      render(beat)
      render(beat + 256 * 999.0 / 60 / 48_000)
      rig.publish(score([try plan(4)], .link, quantise: .bar))
      render(beat + 512 * 999.0 / 60 / 48_000)
      rig.publish(Score.make([try plan(nil)], role: .link, quantise: .bar))
      return (rig, Cycle.Transport())
    }
  }

  @Test("A jump that waits for a line in a song that becomes shorter begins now")
  func waitingJump() throws {
    try expectShort("jump") {
      let rig = Rig(score([try plan(1_000_000)], .free))
      rig.command(.start)
      rig.command(.locate(Position(bar: 900_000, beat: 1)))
      rig.render(1_000)
      rig.command(.jump(BarRange.Bar(section: 0, bar: 1), .bar))
      rig.publish(score([try plan(4)], .free, timing: 2))
      return (rig, Cycle.Transport())
    }
  }

  @Test("Layers play in a score whose memory is that of an earlier one")
  func reusedMemory() throws {
    let with = try LayerScore(layers: ["4 over bar"]).plan(bars: nil)
    let without = try LayerScore(layers: []).plan(bars: nil)
    let rig = Rig(score([without], .free))
    rig.command(.start)
    for round in 0..<50 {
      // The first has layers, but not where the music is.
      for plans in [[without, with], [without]] {
        rig.publish(score(plans, .free))
        rig.render(1_024)
        rig.render(1_024)
      }
      rig.forgetEvents()
      rig.publish(score([with], .free))
      rig.render(until: rig.clock + 48_000)
      #expect(rig.pulses(1).count == 2, "round \(round)")
    }
  }
}
