import Engine
import MusicTime
import TestNumbers
import Testing

@Suite("Locating")
struct LocateFuzzTests {
  /// 200 sections with ramps, lists and odd meters.
  private func plans(_ numbers: inout Generator) throws -> [SectionPlan] {
    try (0..<200).map { _ in
      let layout = try BarLayout(
        meter: Meter(numbers.number(1...13), [2, 3, 4, 8, 16].randomElement(using: &numbers)!),
        subdivisions: numbers.oneIn(3) ? [Subdivision(numbers.number(2...9)): 1] : [:])
      func tempo() throws -> Tempo { try Tempo(thousandths: numbers.number(40_000...300_000)) }
      let curve: TempoCurve =
        switch numbers.number(0...3) {
        case 0: .ramp(from: try tempo(), to: try tempo())
        case 1: .beats(try (0..<numbers.number(1...9)).map { _ in try tempo() })
        default: .constant(try tempo())
        }
      let length: SectionLength =
        switch numbers.number(0...2) {
        case 0: .beats(numbers.number(1...30))
        case 1: .milliseconds(numbers.number(500...9_000))
        default: .bars(numbers.number(1...8))
        }
      return SectionPlan(length: length, layout: layout, tempo: curve)
    }
  }

  @Test("For 100 000 random frames in 200 sections, frame to position and back gives the frame")
  func inverse() throws {
    var numbers = Generator(seed: 1)
    let score = Score.make(try plans(&numbers), sampleRate: 48_000, clips: .shortest, generation: 1)
    defer { Score.free(score) }
    let end = Int(try #require(score.pointee.endFrame))
    var wrong = 0
    for _ in 0..<100_000 {
      let frame = Int64(numbers.number(0...end - 1))
      let position = score.pointee.position(ofFrame: frame)
      if score.pointee.frame(of: position) != frame { wrong += 1 }
    }
    #expect(wrong == 0)
  }

  @Test("After each of 100 000 locates the output equals that of playing through")
  func sound() throws {
    var numbers = Generator(seed: 2)
    let plans = try plans(&numbers)
    func make() -> UnsafePointer<Score> {
      Score.make(plans, sampleRate: 48_000, clips: .shortest, generation: 1, role: .lead)
    }
    func rolling(_ frame: ClockFrame) -> Cycle.Transport {
      var transport = Cycle.Transport()
      transport.isRolling = true
      transport.frame = UInt32(frame.number)
      return transport
    }
    let through = Rig(make())
    let score = make()
    defer { Score.free(score) }
    let end = try #require(score.pointee.endFrame)
    while through.clock.number < end { through.render(65_536, rolling(through.clock)) }
    let all = through.beats
    let located = Rig(make())
    var wrong: [ClockFrame] = []
    for _ in 0..<100_000 {
      let frame = ClockFrame(Int64(numbers.number(0...Int(end) - 1)))
      let clock = located.clock
      let heard = located.render(4_000, rolling(frame)).compactMap { event -> String? in
        guard case .beat(let beat) = event else { return nil }
        return "\(beat.frame - clock) \(beat.bar) \(beat.beat) \(beat.section) \(beat.role) \(beat.strength)"
      }
      let expected = all[index(of: frame, in: all)..<index(of: frame + 4_000, in: all)].map { beat in
        "\(beat.frame - frame) \(beat.bar) \(beat.beat) \(beat.section) \(beat.role) \(beat.strength)"
      }
      if heard != expected { wrong.append(frame) }
      located.forgetEvents()
    }
    #expect(wrong == [])
  }

  /// The first beat on a frame or after it.
  private func index(of frame: ClockFrame, in beats: [Event.Beat]) -> Int {
    var (low, high) = (0, beats.count)
    while low < high {
      let middle = (low + high) / 2
      if beats[middle].frame < frame { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
