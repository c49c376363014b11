import Engine
import MusicTime
import TestNumbers
import Testing

@Suite("Exactness of layers")
struct LayerExactnessTests {
  /// A layer, and the number of its pulses in a length in whole notes.
  private static let voices: [(text: String, pulses: Int128, wholes: (Int128, Int128))] = [
    ("5 over bar", 5, (7, 8)), ("7 over bar", 7, (7, 8)), ("4 over bar", 4, (7, 8)),
    ("3 over 2 bars", 3, (7, 4)), ("every 3/16, pattern Xoo", 1, (3, 16)), ("11 over 1/2", 11, (1, 2)),
    ("5 over 4 beats", 5, (1, 2)), ("13 over 3 bars, reset never", 13, (21, 8)),
  ]

  @Test(
    "Over a whole day in random periods each pulse occurs once, within half a frame of its time",
    arguments: [(133_700, 44_100), (999_999, 48_000), (120_000, 96_000)])
  func wholeDay(thousandths: Int, sampleRate: Int) throws {
    let voices = Self.voices
    let plan = try LayerScore(thousandths: thousandths, meter: (7, 8), layers: voices.map(\.text)).plan()
    let rig = Rig(Score.make([plan], sampleRate: sampleRate), sampleRate: sampleRate)
    rig.command(.start, at: 0)
    var numbers = Generator(seed: 7)
    let end = ClockFrame(Int64(sampleRate) * 86_400)
    var next = [Int128](repeating: 0, count: 8)
    var faults = 0
    while rig.clock < end {
      rig.cycle(min(numbers.number(1...8_192), Int(end - rig.clock)))
      while let event = rig.channels.pointee.events.pop() {
        guard case .beat(let beat) = event, beat.layer > 0 else { continue }
        let (index, voice) = (Int(beat.layer) - 1, voices[Int(beat.layer) - 1])
        // An eighth lasts 60 000 · rate / thousandths frames.
        let numerator = next[index] * voice.wholes.0 * 8 * 60_000 * Int128(sampleRate)
        let denominator = voice.wholes.1 * voice.pulses * Int128(thousandths)
        let off = 2 * (Int128(beat.frame.number) * denominator - numerator)
        if !(-denominator...denominator ~= off) { faults += 1 }
        next[index] += 1
      }
    }
    #expect(faults == 0)
    for (count, voice) in zip(next, voices) {
      let (numerator, denominator) = (
        voice.wholes.0 * 8 * 60_000 * Int128(sampleRate), voice.wholes.1 * voice.pulses
      )
      let all = Int128(end.number) * denominator * Int128(thousandths) / numerator
      #expect(abs(Int(count - all)) <= 1, "\(voice.text)")
    }
    #expect(rig.channels.pointee.droppedClips.load(ordering: .relaxed) == 0)
  }

  @Test(
    "After a thousand changes of tempo each pulse is where the integral of the tempo says, none lost or doubled"
  )
  func tempoChanges() throws {
    var numbers = Generator(seed: 8)
    var score = LayerScore(layers: ["5 over bar", "7 over 3 beats", "every 1/12, reset never"])
    let intervals = [4.0 / 5, 3.0 / 7, 1.0 / 3]
    let rig = Rig(try score.score())
    rig.command(.start)
    var counts = [0, 0, 0]
    var beats = 0.0
    for _ in 0..<1_000 {
      let frames = numbers.number(1...3_000)
      let length = 60_000 * 48_000 / Double(score.thousandths)
      let start = rig.clock
      rig.forgetEvents()
      rig.render(frames)
      for index in 0..<3 {
        for frame in rig.frames(index + 1) {
          let exact = Double(start.number) + (Double(counts[index]) * intervals[index] - beats) * length
          // A pulse whose time lies in the half frame before a change begins on it.
          #expect(abs(Double(frame.number) - exact) <= max(1, 0.5 + 0.5 * 24_000 / length) || frame == start)
          counts[index] += 1
        }
      }
      beats += Double(frames) / length
      score.thousandths = numbers.oneIn(3) ? numbers.number(1_000...20_000) : numbers.number(20_000...400_000)
      rig.publish(try score.score())
    }
    for index in 0..<3 {
      #expect(abs(Double(counts[index]) - beats / intervals[index]) <= 1, "layer \(index + 1)")
    }
  }

  @Test("In a ramp each pulse is where the tempo's integral says")
  func ramp() throws {
    var plan = try LayerScore(layers: ["5 over bar", "3 over 2 bars", "every 1/6"]).plan(bars: 16)
    plan.tempo = .ramp(from: try Tempo(thousandths: 60_000), to: try Tempo(thousandths: 180_000))
    let rig = Rig(Score.make([plan]))
    rig.command(.start, at: 0)
    rig.render(until: ClockFrame(48_000 * 60))
    // t(b) = 60·B/(t₂ − t₁) · ln(1 + (t₂ − t₁)·b/(B·t₁))
    let time = { (beat: Double) in 60.0 * 64 / 120 * logarithm(1 + 120 * beat / (64 * 60)) * 48_000 }
    for (number, interval, count) in [(1, 4.0 / 5, 80), (2, 8.0 / 3, 24), (3, 4.0 / 6, 96)] {
      let frames = rig.frames(number)
      #expect(frames.count == count)
      for (index, frame) in frames.enumerated() {
        #expect(abs(Double(frame.number) - time(Double(index) * interval)) <= 0.500_1)
      }
    }
  }

  @Test("Behind a leader each pulse of a layer occurs once and in time", arguments: [64, 1_024])
  func leader(period: Int) throws {
    let rig = Rig(try LayerScore(layers: ["5 over bar", "7 over 2 bars"]).score(role: .follow))
    var leader = SimulatedLeader(meter: (4, 4), beatsPerMinute: 133.7)
    while rig.clock.number < 48_000 * 60 {
      rig.render(period, leader.cycle)
      _ = leader.play(period, from: rig.clock - Int64(period))
    }
    let beat = 60 * 48_000 / 133.7
    for (number, interval) in [(1, 4.0 / 5), (2, 8.0 / 7)] {
      let frames = rig.frames(number)
      #expect(abs(Double(frames.count) - Double(rig.clock.number) / beat / interval) <= 1.5)
      for (index, frame) in frames.enumerated() {
        #expect(abs(Double(frame.number) - Double(index) * interval * beat) <= 1.5)
      }
    }
  }
}
