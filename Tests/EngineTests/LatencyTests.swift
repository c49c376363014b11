import Engine
import MIDI
import MusicTime
import TestNumbers
import Testing

/// Outputs with a playback latency, whose clicks must be heard at the transport's time.
@Suite("Latency")
struct LatencyTests {
  private static let spacing = 60 * 48_000 / 133.7

  private func led(_ latency: Int, at frame: UInt32 = 0) throws -> (Rig, LedTransport) {
    let rig = Rig(try Score.make(Pattern(thousandths: 133_700), role: .lead))
    rig.latencies.out = latency
    return (rig, LedTransport(rig, frame: frame))
  }

  /// The frame of the transport that passes when a click is heard, which began at clock frame `begin` from frame 0.
  private func heard(_ beats: [Event.Beat], _ latency: Int, from begin: ClockFrame) -> [Double] {
    beats.map { Double($0.frame - begin + Int64(latency)) }
  }

  @Test(
    "If Tactus leads, each click is heard on the transport's frame, the first one as early as possible",
    arguments: [64, 256, 1_024], [0, 511, 2_047, 9_000])
  func leading(period: Int, latency: Int) throws {
    let (rig, initial) = try led(latency)
    var transport = initial
    let begin = rig.clock
    while rig.clock < 600_000 { _ = transport.render(period) }
    let frames = heard(rig.beats, latency, from: begin)
    #expect(frames.count == 600_000 * 1_337 / 600 / 48_000 + 1 + (latency == 9_000 ? 1 : 0))
    #expect(frames[0] == Double(latency))
    for (index, frame) in frames.enumerated().dropFirst() {
      #expect(abs(frame - Double(index) * LatencyTests.spacing) <= 0.5)
    }
  }

  @Test(
    "If Tactus follows, each beat is heard on the leader's beat", arguments: [64, 256, 1_024], [511, 2_047])
  func following(period: Int, latency: Int) throws {
    var following = try Following(SimulatedLeader(meter: (4, 4), beatsPerMinute: 133.7))
    following.rig.latencies.out = latency
    try following.render(seconds: 59.7, period: period)
    let clicks = following.rig.beats
    for (index, click) in clicks.enumerated() {
      let time = Double(index) * LatencyTests.spacing
      #expect(click.bar == index / 4 + 1 && click.beat == index % 4 + 1)
      let off = Double(click.frame.number) + Double(latency) - time
      // The first one comes late: the leader began just then.
      #expect(abs(off) <= (index == 0 ? Double(latency) : 0.5 + 1e-6))
    }
    #expect(clicks.count >= following.truth.count)
  }

  @Test("Without compensation clicks begin on the transport's frame, and an offset moves them")
  func settings() throws {
    for (compensates, offset) in [(false, 0), (false, 240), (true, 240), (true, -240), (false, -240)] {
      var policy = LatencyPolicy()
      (policy.compensates, policy.clickOffset) = (compensates, offset)
      let rig = Rig(try Score.make(Pattern(thousandths: 133_700), role: .lead, latency: policy))
      rig.latencies.out = 1_000
      var transport = LedTransport(rig)
      let begin = rig.clock
      for _ in 0..<2_000 { _ = transport.render(256) }
      let advance = (compensates ? 1_000 : 0) - offset
      for (index, click) in rig.beats.enumerated().dropFirst() {
        let frame = Double(click.frame - begin + Int64(advance))
        #expect(abs(frame - Double(index) * LatencyTests.spacing) <= 0.5)
      }
      #expect(rig.beats.count > 20)
    }
  }

  @Test(
    "After a locate a beat that is too late is heard at once, and each other one on its frame, once",
    arguments: [1, 2, 3])
  func locates(seed: UInt64) throws {
    var numbers = Generator(seed: seed)
    let latency = 2_047
    let (rig, initial) = try led(latency)
    var transport = initial
    // The transport's frame of the last beat.
    var last = -1.0
    for _ in 0..<300 {
      let target = numbers.number(0...400) * 1_000
      let before = rig.beats.count
      transport.locate(UInt32(target))
      let begin = rig.clock
      while rig.clock < begin + Int64(numbers.number(50_000...100_000)) { _ = transport.render(256) }
      var frames = rig.beats.dropFirst(before).map { Double($0.frame - begin) + Double(target + latency) }
      let first = (Double(target) / LatencyTests.spacing).rounded(.up) * LatencyTests.spacing
      // A beat that has just been heard does not come late, nor one that was due when another began.
      let previous = rig.beats[..<before].last?.frame ?? ClockFrame(.min / 2)
      let isRecent = previous + Int64(latency) >= begin
      let delay = Double(previous - begin) - (first - Double(target + latency))
      let hasJustPlayed = isRecent && abs(last - first) < 480 || abs(delay) <= 480
      if first < Double(target + latency) - 0.5, !hasJustPlayed {
        #expect(frames.removeFirst() == Double(target + latency))
      }
      for (index, frame) in frames.enumerated() {
        let beat = (frame / LatencyTests.spacing).rounded()
        #expect(abs(frame - beat * LatencyTests.spacing) <= 0.5)
        if index > 0 { #expect(frame - frames[index - 1] > 20_000) }
      }
      last = frames.last ?? (rig.beats.count > before ? first : last)
    }
  }

  @Test(
    "A transport that jumps by whole beats while it rolls keeps the beat: none is lost, and none is doubled",
    arguments: [16, 64, 256, 1_024])
  func loops(period: Int) throws {
    var numbers = Generator(seed: UInt64(period))
    let rig = Rig(try Score.make(Pattern(thousandths: 120_000), role: .lead))
    rig.latencies.out = 2_048
    var transport = LedTransport(rig, frame: 960_000)
    for _ in 0..<200 {
      for _ in 0..<numbers.number(30_000...60_000) / period { _ = transport.render(period) }
      transport.locate(transport.frame &- 24_000 &* UInt32(numbers.number(1...2)))
    }
    #expect(rig.beats.count > 300)
    for (a, b) in zip(rig.beats.dropFirst(), rig.beats.dropFirst(2)) { #expect(b.frame - a.frame == 24_000) }
  }

  @Test(
    "At each jump of a rolling transport the machines are stopped, located and continued, with each pulse in order",
    arguments: [64, 256, 512, 1_024, 4_096])
  func machinesAreLocated(period: Int) throws {
    var numbers = Generator(seed: UInt64(period))
    let rig = Rig(try Score.make(Pattern(thousandths: 120_000), role: .lead))
    // The clock's machines are heard at once, so that its pulses wait.
    rig.latencies.out = 2_048
    rig.recordMIDI()
    var transport = LedTransport(rig)
    for _ in 0..<200 {
      for _ in 0..<numbers.number(40_000...60_000) / period { _ = transport.render(period) }
      let (before, frame) = (rig.pulses.count, rig.clock)
      transport.locate(UInt32(numbers.number(1...300) * 12_000))
      for _ in 0..<30_000 / period { _ = transport.render(period) }
      let sent = rig.pulses[before...]
      let words = sent.filter { if case .clock = $0.message { false } else { true } }
      let kinds = words.map { event in
        switch event.message {
        case .stop: "stop"
        case .songPosition: "position"
        case .continue: "continue"
        default: "other"
        }
      }
      #expect(kinds == ["stop", "position", "continue"], "\(kinds)")
      #expect(words.first?.frame == frame)
      // No pulse of the old position comes between, and all of the new one are 1 000 frames apart.
      let pulses = sent.filter { if case .clock = $0.message { true } else { false } }
      #expect(pulses.first.map { $0.frame >= words.last?.frame ?? .never } == true)
      for (a, b) in zip(pulses, pulses.dropFirst()) { #expect(abs(b.frame - a.frame - 1_000) <= 1) }
    }
  }

  @Test("The published position agrees with the sound, through changes and repeats")
  func positions() throws {
    var numbers = Generator(seed: 7)
    let latency = 2_047
    let rig = Rig(try Score.make(Pattern(), role: .lead))
    rig.latencies.out = latency
    var transport = LedTransport(rig)
    let begin = rig.clock
    var reports: [BarBeatTick] = []
    var changes: [Int] = []
    for period in 0..<40_000 {
      if numbers.oneIn(60) {
        rig.publish(
          try Score.make(
            Pattern(thousandths: numbers.number(40_000...400_000), meter: (numbers.number(2...9), 4)),
            role: .lead, quantise: Quantise.allCases[numbers.number(0...2)]))
        changes.append(period)
      }
      reports.append(transport.published)
      _ = transport.render(256)
    }
    // Each beat at the frame of the transport at which it is heard.
    var checked = 0
    for beat in rig.beats.dropFirst() {
      let frame = Int(beat.frame - begin) + latency
      let (index, rest) = (frame / 256, frame % 256)
      guard index + 1 < reports.count, reports[index].beatsPerMinute == reports[index + 1].beatsPerMinute,
        reports[index].beatsPerBar == reports[index + 1].beatsPerBar
      else { continue }
      let perNote = 60 * 48_000 / reports[index].beatsPerMinute
      let notes = Double(reports[index].beat - 1) + reports[index].exactTick / 1_920 + Double(rest) / perNote
      let off =
        notes - Double(beat.beat - 1) + Double(reports[index].bar - beat.bar) * reports[index].beatsPerBar
      #expect(abs(off * perNote) <= 0.51, "beat \(beat.bar).\(beat.beat) at \(frame)")
      checked += 1
    }
    #expect(checked > 500)
    #expect(changes.count > 500)
    #expect(rig.published - rig.freed <= 4)
  }

  @Test("In a loop the published position is the one that is heard")
  func loop() throws {
    let latency = 2_047
    let plans = [try Pattern(thousandths: 240_000).plan(bars: 2)]
    let rig = Rig(Score.make(plans, role: .lead, loop: 0))
    rig.latencies.out = latency
    var transport = LedTransport(rig)
    for _ in 0..<4_000 {
      _ = transport.render(256)
      let notes = Double(transport.frame) / 12_000
      let reports = transport.published
      let bars = Double(reports.bar - 1) * 4 + Double(reports.beat - 1) + reports.exactTick / 1_920
      #expect(abs(bars - notes) < 1e-6)
    }
  }

  @Test(
    "Notes are sent when their clicks are heard, or as soon as possible", arguments: [0, 300, 1_000, 1_500])
  func notes(latency: Int) throws {
    let rig = Rig(try Score.make(Pattern()))
    (rig.latencies.out, rig.latencies.notes) = (1_000, latency)
    rig.recordMIDI()
    rig.command(.start, at: 0)
    rig.render(until: 480_000, period: 256)
    let on = rig.notes.filter { if case .noteOn = $0.message { true } else { false } }.map(\.frame)
    #expect(on == rig.beats.map { $0.frame + Int64(max(1_000 - latency, 0)) }.filter { $0 < 480_000 })
  }

  @Test("The MIDI clock that Tactus sends while it leads is in time from the transport's first frame on")
  func clockStart() throws {
    let (rig, initial) = try led(2_047)
    var transport = initial
    rig.recordMIDI()
    let begin = rig.clock
    for _ in 0..<2_000 { _ = transport.render(256) }
    let pulses = rig.pulses.filter { $0.message == .clock }
    #expect(rig.pulses.first?.message == .start)
    #expect(rig.pulses.first?.frame == begin)
    for (index, pulse) in pulses.enumerated() {
      #expect(abs(Double(pulse.frame - begin) - Double(index) * LatencyTests.spacing / 24) <= 0.5 + 1e-6)
    }
    // After a locate the machines receive the position, and no pulse of the old one.
    rig.forgetMIDI()
    transport.locate(0)
    let again = rig.clock
    for _ in 0..<200 { _ = transport.render(256) }
    #expect(rig.pulses.prefix(3).map(\.message) == [.stop, .start, .clock])
    for (index, pulse) in rig.pulses.filter({ $0.message == .clock }).enumerated() {
      #expect(abs(Double(pulse.frame - again) - Double(index) * LatencyTests.spacing / 24) <= 0.5 + 1e-6)
    }
  }

  @Test("A latency that changes while the transport rolls doubles no click, and is compensated from then on")
  func changes() throws {
    var numbers = Generator(seed: 3)
    let (rig, initial) = try led(1_000)
    var transport = initial
    let begin = rig.clock
    for _ in 0..<400 {
      rig.latencies.out = numbers.number(0...4_000)
      for _ in 0..<numbers.number(1...300) { _ = transport.render(128) }
      let frame = transport.frame
      #expect(rig.channels.pointee.transportFrame.load(ordering: .relaxed) == Int64(frame))
    }
    let beats = rig.beats.map(\.frame)
    for (beat, next) in zip(beats, beats.dropFirst()) { #expect(next - beat > 21_540 - 4_100) }
    // Each beat once: the numbers are consecutive, except where the latency has grown beyond a coming beat.
    for (beat, next) in zip(rig.beats, rig.beats.dropFirst()) {
      #expect((next.bar * 4 + next.beat) - (beat.bar * 4 + beat.beat) <= 2)
    }
    #expect(Double(beats.last! - begin) > 100 * LatencyTests.spacing)
  }

  @Test("A latency that comes and goes loses no pulse and no note, and leaves them in order")
  func comingAndGoing() throws {
    let rig = Rig(try Score.make(Pattern(thousandths: 999_999)))
    rig.recordMIDI()
    rig.command(.start)
    for period in 0..<200 {
      rig.latencies.out = period % 3 == 0 ? 700 : 0
      rig.render(1_024)
    }
    // A beat lasts 2 880 frames, a pulse 120.
    #expect((1_698...1_708).contains(rig.pulses.filter { $0.message == .clock }.count))
    let isOn = { (event: MIDIEvent) in if case .noteOn = event.message { true } else { false } }
    #expect((71...72).contains(rig.notes.filter(isOn).count))
    #expect(rig.notes.filter { !isOn($0) }.count >= rig.notes.filter(isOn).count - 1)
    for events in [rig.notes, rig.pulses] {
      #expect(zip(events, events.dropFirst()).allSatisfy { $0.frame <= $1.frame })
    }
  }

  @Test("A clock that ticks while the music is stopped does not delay the end")
  func sounding() throws {
    var clock = MIDIClockOutput()
    clock.runsWhileStopped = true
    let rig = Rig(try Score.make(Pattern(), clock: clock))
    rig.latencies.out = 3_000
    rig.recordMIDI()
    rig.command(.start, at: 0)
    rig.render(until: 50_000, period: 256)
    rig.command(.stop)
    rig.render(until: 100_000, period: 256)
    #expect(rig.pulses.last!.frame > 98_000)
    #expect(rig.channels.pointee.sounding.load(ordering: .relaxed) == 0)
  }

  @Test("After a song's end a follower's MIDI clock ticks on")
  func endOfFollowing() throws {
    var clock = MIDIClockOutput()
    clock.runsWhileStopped = true
    let rig = Rig(Score.make([try Pattern().plan(bars: 1)], clock: clock, role: .follow))
    rig.latencies.out = 1_024
    rig.recordMIDI()
    var leader = SimulatedLeader(meter: (4, 4), beatsPerMinute: 120)
    for _ in 0..<1_000 {
      rig.render(256, leader.cycle)
      _ = leader.play(256, from: rig.clock - 256)
    }
    let late = rig.pulses.filter { $0.frame > 150_000 && $0.message == .clock }
    #expect(late.count > 90)
  }

  @Test("If the transport jumps by little, no pulse of the clock is lost")
  func smallJumps() throws {
    var numbers = Generator(seed: 11)
    let (rig, initial) = try led(1_500)
    var transport = initial
    rig.recordMIDI()
    for _ in 0..<300 {
      for _ in 0..<numbers.number(5...60) { _ = transport.render(256) }
      transport.locate(transport.frame &+ UInt32(numbers.number(1...900)))
    }
    for _ in 0..<400 { _ = transport.render(256) }
    // A song position or a start sets the machine's position; from there each sixteenth has six pulses.
    let words = rig.pulses.map(\.message)
    let last = try #require(words.lastIndex { $0 == .start || $0 == .continue })
    var sixteenths = 0
    if case .songPosition(let position)? = words[..<last].last(where: {
      if case .songPosition = $0 { true } else { false }
    }) {
      sixteenths = Int(position.sixteenths)
    }
    let pulses = rig.pulses[last...].filter { $0.message == .clock }
    let place = Double(transport.frame) / LatencyTests.spacing * 24
    #expect(abs(Double(sixteenths * 6 + pulses.count) - place) <= 1.5)
  }
}
