import MIDI
import MusicTime
import TestNumbers
import Testing
import Timecode

@testable import Engine

@Suite("Timecode for lights, video and recorders")
struct TimecodeOutTests {
  private func output(_ rate: TimecodeRate, start: String = "01:00:00:00", offset: Double = 0) throws
    -> TimecodeOutput
  {
    var output = TimecodeOutput()
    (output.rate, output.offset) = (rate, offset)
    output.start = try Timecode(text: start).count(rate)
    return output
  }

  private func rig(
    _ output: TimecodeOutput, _ pattern: Pattern = Pattern(), sampleRate: Int = 48_000
  ) throws -> Rig {
    let rig = Rig(try Score.make(pattern, sampleRate: sampleRate, timecode: output), sampleRate: sampleRate)
    rig.recordTimecode()
    return rig
  }

  /// The timecode at a time, and the elapsed part of its frame, from the definition in 128-bit fractions.
  private func exact(_ samples: Int64, _ output: TimecodeOutput, _ sampleRate: Int) -> (
    time: String, rest: Double
  ) {
    let (frames, seconds): (Int128, Int128) =
      output.rate == .dropFrame ? (30_000, 1_001) : (Int128(output.rate.numbers), 1)
    let (above, below) = (Int128(samples) * frames, Int128(sampleRate) * seconds)
    let whole = above / below
    return (
      "\(Timecode(count: output.start + Int64(whole), rate: output.rate))",
      Double(above - whole * below) / Double(below)
    )
  }

  @Test(
    "Every quarter frame and every edge lies on the nearest sample, also after a day",
    arguments: TimecodeRate.allCases, [44_100, 48_000, 96_000])
  func exactness(rate: TimecodeRate, sampleRate: Int) throws {
    let output = try output(rate)
    let rig = try rig(output, sampleRate: sampleRate)
    rig.command(.start, at: 777)
    var numbers = Generator(seed: 5)
    func check(from start: ClockFrame, to end: ClockFrame) {
      while rig.clock < end { rig.render(numbers.number(1...2_048)) }
      var reader = MTCReader()
      reader.read(rig.timecode)
      #expect(reader.faults == [])
      #expect(
        Double(reader.readings.count) > Double(end - start) / Double(sampleRate) * Double(rate.numbers) / 2
          - 3)
      for reading in reader.readings {
        // Two samples later it has certainly begun.
        let (time, _) = exact(reading.frame - 777 + 2, output, sampleRate)
        #expect(reading.time == time)
        let (_, rest) = exact(reading.frame - 777, output, sampleRate)
        let perFrame = Double(sampleRate) / Double(rate.fraction.frames) * Double(rate.fraction.seconds)
        #expect(min(rest, 1 - rest) * perFrame <= 0.500_001)
      }
      let ltc = LTCReader(perFrame: sampleRate / Int(rate.numbers), from: start.number)
      let frames = ltc.read(rig.linear)
      #expect(Double(frames.count) > Double(end - start) / Double(sampleRate) * Double(rate.numbers) - 6)
      // The decoder cannot place the first frames exactly: it does not know their speed yet.
      for frame in frames.dropFirst(4) {
        #expect(frame.time == exact((frame.start + frame.end) / 2 - 777, output, sampleRate).time)
        #expect(frame.isDropFrame == (rate == .dropFrame))
      }
    }
    check(from: 0, to: ClockFrame(Int64(4 * sampleRate)))
    // A day later, in which the cycles were missed.
    rig.clock = ClockFrame(86_400 * Int64(sampleRate) + 12_345)
    rig.forgetTimecode()
    check(from: rig.clock, to: rig.clock + Int64(4 * sampleRate))
  }

  @Test(
    "libltc's decoder and an MTC reader read every frame through 1 000 locates",
    arguments: TimecodeRate.allCases)
  func locates(rate: TimecodeRate) throws {
    let output = try output(rate, start: "00:59:50:00")
    let rig = try rig(output)
    rig.command(.start, at: 0)
    var numbers = Generator(seed: 11)
    let ltc = LTCReader(perFrame: 48_000 / Int(rate.numbers))
    var mtc = MTCReader()
    var (place, since) = (Int64(0), ClockFrame(0))
    var (frames, missing) = (0, 0)
    var known = 0
    for _ in 0..<1_000 {
      let end = rig.clock + Int64(numbers.number(20_000...40_000))
      while rig.clock < end { rig.render(Int(min(Int64(numbers.number(16...1_024)), end - rig.clock))) }
      mtc.read(rig.timecode)
      let read = ltc.read(rig.linear)
      rig.forgetTimecode()
      // Every timecode that was read is right.
      for reading in mtc.readings[known...] where reading.frame >= since {
        if reading.time != exact(reading.frame - since + place + 2, output, 48_000).time {
          Issue.record("\(reading) at \(place) since \(since)")
        }
      }
      known = mtc.readings.count
      for frame in read where frame.start >= since.number + 4_000 {
        frames += 1
        if frame.time != exact((frame.start + frame.end) / 2 - since.number + place, output, 48_000).time {
          Issue.record("\(frame) at \(place) since \(since)")
        }
      }
      // Whole frames after the jump. The decoder needs up to two to find its speed again.
      let length = (end - since) * Int64(rate.numbers) / 48_000
      missing += max(0, Int(length) - 4 - read.count { $0.start >= since.number })
      let bar = numbers.number(1...400)
      rig.command(.locate(Position(bar: bar, beat: 1)), at: end)
      (place, since) = (Int64(bar - 1) * 96_000, end)
    }
    #expect(missing == 0)
    #expect(frames > 8_000)
    #expect(mtc.faults == [])
    #expect(mtc.fullFrames.count == 1_000)
    #expect(mtc.readings.count > 4_000)
  }

  @Test func aLocateIsToldOnceAsAWhole() throws {
    let output = try output(.pal)
    let rig = try rig(output)
    rig.command(.start, at: 1_000)
    rig.render(until: 49_000)
    rig.command(.locate(Position(bar: 11, beat: 1)), at: 49_000)
    rig.render(until: 98_000)
    var reader = MTCReader()
    reader.read(rig.timecode)
    #expect(reader.fullFrames.map(\.frame) == [1_000, 49_000])
    #expect(reader.fullFrames.map(\.time) == ["01:00:00:00", "01:00:20:00"])
    #expect(reader.fullFrames.map(\.rate) == [1, 1])
    // The pieces begin with the first one.
    #expect(reader.pieces.first { $0.frame >= 49_000 }?.piece == 0)
  }

  @Test("At most ten locates a second are sent to converters")
  func bursts() throws {
    let rig = try rig(output(.thirty))
    rig.command(.start, at: 0)
    for bar in 1...200 {
      rig.command(.locate(Position(bar: bar, beat: 1)), at: rig.clock)
      rig.render(256)
    }
    var reader = MTCReader()
    reader.read(rig.timecode)
    #expect(reader.faults == [])
    #expect((2...12).contains(reader.fullFrames.count))
  }

  @Test("A change of tempo does not change timecode's speed; the next locate uses the new tempo")
  func tempo() throws {
    let output = try output(.thirty, start: "00:00:00:00")
    let rig = try rig(output)
    rig.command(.start, at: 0)
    var numbers = Generator(seed: 2)
    for _ in 0..<40 {
      rig.render(until: rig.clock + 9_000, period: 500)
      rig.publish(
        try Score.make(
          Pattern(thousandths: numbers.number(40_000...300_000)), timecode: output,
          quantise: Quantise.allCases[numbers.number(0...2)]))
    }
    rig.render(until: rig.clock + 20_000)
    var reader = MTCReader()
    reader.read(rig.timecode)
    #expect(reader.fullFrames.count == 1)
    #expect(reader.readings.allSatisfy { $0.time == exact($0.frame.number + 2, output, 48_000).time })
    let frames = LTCReader(perFrame: 1_600).read(rig.linear)
    #expect(zip(frames, frames.dropFirst()).allSatisfy { $1.start - $0.start <= 1_604 })
    // Half as fast: bar 3 is at eight seconds.
    rig.publish(try Score.make(Pattern(thousandths: 60_000), timecode: output))
    rig.forgetTimecode()
    rig.command(.locate(Position(bar: 3, beat: 1)), at: rig.clock)
    rig.render(until: rig.clock + 10_000)
    var after = MTCReader()
    after.read(rig.timecode)
    #expect(after.fullFrames.map(\.time) == ["00:00:08:00"])
  }

  @Test("A pause stops timecode, a start continues it with the music, and `ltc` is silent meanwhile")
  func pause() throws {
    let output = try output(.pal)
    let rig = try rig(output)
    rig.render(until: 1_000)
    rig.command(.start, at: 1_000)
    rig.command(.pause, at: 25_000)
    rig.command(.start, at: 60_000)
    rig.command(.stop, at: 90_000)
    rig.render(until: 120_000, period: 333)
    #expect(rig.linear[..<1_000].allSatisfy { $0 == 0 })
    #expect(rig.linear[25_000..<60_000].allSatisfy { $0 == 0 })
    #expect(rig.linear[90_000...].allSatisfy { $0 == 0 })
    #expect(rig.linear[1_000..<25_000].allSatisfy { abs($0) == 0.5 })
    #expect(
      rig.timecode.allSatisfy { (1_000..<25_000).contains($0.frame) || (60_000..<90_000).contains($0.frame) })
    var reader = MTCReader()
    reader.read(rig.timecode)
    // Half a second was played.
    #expect(reader.fullFrames.map(\.time) == ["01:00:00:00", "01:00:00:12"])
  }

  @Test("A loop moves timecode back with the music")
  func loop() throws {
    let output = try output(.pal)
    let plan = try Pattern().plan(bars: 2)
    let rig = Rig(Score.make([plan, plan], timecode: output, loop: 1))
    rig.recordTimecode()
    rig.command(.start, at: 0)
    rig.render(until: ClockFrame(5 * 192_000))
    var reader = MTCReader()
    reader.read(rig.timecode)
    // Two bars, then the same two again and again.
    #expect(reader.fullFrames.map(\.frame) == [0, 2, 3, 4].map { ClockFrame($0 * 192_000) })
    #expect(reader.fullFrames.map(\.time) == ["01:00:00:00", "01:00:04:00", "01:00:04:00", "01:00:04:00"])
  }

  @Test("Timecode arrives when the click is heard, on each port by its own latency")
  func latency() throws {
    for (offset, moved) in [(0.0, Int64(0)), (-5, -240), (10, 480)] {
      let rig = try rig(output(.pal, offset: offset))
      (rig.latencies.out, rig.latencies.timecode, rig.latencies.ltc) = (1_000, 300, 1_000)
      rig.command(.start, at: 5_000)
      rig.render(until: 60_000, period: 256)
      // Nothing can be sent before the start is known.
      #expect(rig.timecode.first.map(\.frame) == ClockFrame(5_000 + 700 + moved))
      let first = rig.linear.firstIndex { $0 != 0 }.map { Int64($0) }
      #expect(first == (moved < 0 ? 5_000 + moved + 1_920 : 5_000 + moved))
    }
  }

  @Test("In `lead` and `follow` timecode is the transport's time, also after jumps")
  func transport() throws {
    let output = try output(.thirty)
    let score = try Score.make(Pattern(), timecode: output, role: .lead)
    let rig = Rig(score)
    rig.recordTimecode()
    var transport = Cycle.Transport()
    transport.isRolling = true
    func roll(from frame: UInt32, cycles: Int) {
      transport.frame = frame
      for _ in 0..<cycles {
        rig.render(480, transport)
        transport.frame += 480
      }
    }
    roll(from: 96_000, cycles: 100)
    roll(from: 480_000, cycles: 100)
    transport.isRolling = false
    for _ in 0..<10 { rig.render(480, transport) }
    var reader = MTCReader()
    reader.read(rig.timecode)
    #expect(reader.fullFrames.map(\.time) == ["01:00:02:00", "01:00:10:00"])
    #expect(reader.readings.contains { $0.time == "01:00:10:10" })
    #expect(rig.linear.suffix(4_800).allSatisfy { $0 == 0 })
  }

  @Test("In `midi-clock` and `link` timecode counts from the start of the music, and none is sent before")
  func led() throws {
    func expectStart(_ rig: Rig, at start: ClockFrame) {
      var reader = MTCReader()
      reader.read(rig.timecode)
      #expect(reader.fullFrames.map(\.time) == ["01:00:00:00"])
      #expect(reader.fullFrames.allSatisfy { abs($0.frame - start) <= 1 })
      #expect(reader.readings.contains { $0.time == "01:00:01:00" && abs($0.frame - start - 48_000) <= 2 })
    }
    let output = try output(.thirty)
    var machine = ClockMachine(at: 480_000)
    machine.send(.start)
    machine.play(24 * 8, beatsPerMinute: 120)
    let following = Rig(try Score.make(Pattern(), timecode: output, role: .midiClock))
    following.recordTimecode()
    following.play(machine)
    expectStart(following, at: 480_000)
    let linked = Rig(try Score.make(Pattern(), timecode: output, role: .link))
    linked.recordTimecode()
    while linked.clock < 700_000 {
      // The start is asked for in beat 20; the next bar line is beat 24.
      let beat = Double(linked.clock.number) / 24_000
      linked.link = Cycle.Link(beat: beat, beatsPerMinute: 120, isPlaying: beat >= 20.3, start: 20.3)
      linked.render(700)
    }
    expectStart(linked, at: 576_000)
  }

  @Test("A locate of a stopped transport is sent once, and after a burst only the last position")
  func standing() throws {
    let rig = Rig(try Score.make(Pattern(), timecode: try output(.thirty), role: .follow))
    rig.recordTimecode()
    var transport = Cycle.Transport()
    func stand(at frame: UInt32, cycles: Int) -> [String] {
      transport.frame = frame
      let before = rig.clock
      for _ in 0..<cycles { rig.render(480, transport) }
      var reader = MTCReader()
      reader.read(rig.timecode)
      #expect(transport.isRolling || reader.pieces.isEmpty)
      return reader.fullFrames.filter { $0.frame >= before }.map(\.time)
    }
    #expect(stand(at: 0, cycles: 20) == [])
    #expect(stand(at: 480_000, cycles: 20) == ["01:00:10:00"])
    let reported = (1...20).flatMap { stand(at: UInt32($0) * 48_000, cycles: 1) }
    #expect(reported.count <= 3)
    #expect(stand(at: 20 * 48_000, cycles: 20).last == "01:00:20:00")
    // If the position was sent before, a start sends no full frame again.
    transport.isRolling = true
    #expect(stand(at: 20 * 48_000, cycles: 1) == ["01:00:20:00"])
  }

  @Test("After missed cycles timecode continues at the right time, with quarter frames in sequence")
  func missed() throws {
    let output = try output(.pal)
    let rig = try rig(output)
    rig.command(.start, at: 0)
    rig.render(until: 30_000)
    rig.miss(7_000)
    rig.render(until: 96_000)
    var reader = MTCReader()
    reader.read(rig.timecode)
    #expect(reader.readings.allSatisfy { $0.time == exact($0.frame.number + 2, output, 48_000).time })
    #expect(reader.readings.count > 18)
    for (a, b) in zip(reader.pieces, reader.pieces.dropFirst()) {
      #expect(b.piece == (a.piece + 1) & 7 || b.piece == 0)
    }
  }

  @Test("Without ports nothing is rendered, and clicks are the same")
  func without() throws {
    func recording(_ hasPorts: Bool) throws -> Rig.Recording {
      let rig = Rig(try Score.make(Pattern()))
      rig.isRecording = true
      if hasPorts { rig.recordTimecode() }
      rig.command(.start, at: 0)
      rig.render(until: 50_000)
      return rig.recording
    }
    #expect(try recording(true) == recording(false))
  }

  @Test(
    "In a storm of starts, locates, tempos and missed cycles both ports agree, in whole frames and sequences"
  )
  func storm() throws {
    var numbers = Generator(seed: 23)
    var output = try output(.thirty)
    let rig = try rig(output)
    let latencies = [(0, 0), (512, 100), (2_048, 0), (64, 700)]
    var (mtc, agreeing, frames) = (MTCReader(), 0, 0)
    for part in 0..<40 {
      // A change of the latency moves both ports alike.
      let (out, port) = latencies[numbers.number(0...3)]
      (rig.latencies.out, rig.latencies.timecode, rig.latencies.ltc) = (out, port, port)
      let (start, known) = (rig.clock, mtc.readings.count)
      rig.forgetTimecode()
      for _ in 0..<400 {
        switch numbers.number(1...40) {
        case 1: rig.command(.start, at: rig.clock + Int64(numbers.number(-10...900)))
        case 2: rig.command(.pause, at: rig.clock + Int64(numbers.number(-10...900)))
        case 3: rig.command(.locate(Position(bar: numbers.number(-2...90), beat: numbers.number(1...4))))
        case 4:
          output.rate = TimecodeRate.allCases[part / 10 % 4]
          rig.publish(
            try Score.make(
              Pattern(thousandths: numbers.number(30_000...400_000)), timecode: output,
              quantise: Quantise.allCases[numbers.number(0...2)]))
        case 5 where part % 4 == 0 && numbers.oneIn(4):
          let missed = numbers.number(1...5_000)
          rig.miss(missed)
        default: break
        }
        rig.render(numbers.number(1...1_024))
      }
      #expect(rig.linear.allSatisfy { $0 == 0 || abs($0) == output.level })
      mtc.read(rig.timecode)
      // Where no cycle was missed, samples are clock frames.
      guard rig.clock - start == rig.linear.count else { continue }
      let linear = LTCReader(perFrame: 1_600, from: start.number).read(rig.linear)
      frames += linear.count
      for reading in mtc.readings[known...] {
        guard let frame = linear.first(where: { abs($0.start - reading.frame.number) < 200 }) else {
          continue
        }
        if frame.time != reading.time { Issue.record("\(frame) but \(reading)") }
        agreeing += 1
      }
    }
    #expect(mtc.faults == [])
    #expect(frames > 1_000)
    #expect(agreeing > 300)
    for (a, b) in zip(mtc.pieces, mtc.pieces.dropFirst()) where b.piece != (a.piece + 1) & 7 && b.piece != 0 {
      Issue.record("piece \(b) after \(a)")
    }
  }
}
