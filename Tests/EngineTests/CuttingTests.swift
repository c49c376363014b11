import Engine
import MusicTime
import TestNumbers
import Testing

@Suite("Cutting")
struct CuttingTests {
  private static let end: ClockFrame = 480_000
  private static let sets = (0..<6).map { ClipSet.coded($0, lengths: 300...4_000) }

  private func score(_ index: Int) throws -> UnsafePointer<Score> {
    var numbers = Generator(seed: UInt64(index))
    let pattern = Pattern(
      thousandths: numbers.number(40_000...999_999),
      meter: (numbers.number(1...9), [4, 8, 16, 3, 7][index % 5]),
      beatUnit: (1, 4), subdivisions: index % 2 == 0 ? Pattern.allSubdivisions : [3: 0.7],
      swing: numbers.number(0...1_000))
    var gains = Gains()
    for role in ClickRole.allCases { gains.buses[role] = Float(numbers.number(0...100)) / 100 }
    gains.master = Float(numbers.number(50...100)) / 100
    return try Score.make(
      pattern, clips: Self.sets[index % 6], generation: index + 1, gains: gains)
  }

  /// Ten seconds in which tempo, meter, volumes and sounds change and the music starts, stops and moves, all at fixed
  /// frames; `next` says how long each period is, at most 4 096.
  private func play(_ next: (inout Generator) -> Int) throws -> Rig {
    var numbers = Generator(seed: 99)
    let rig = Rig(try score(0))
    rig.isRecording = true
    rig.command(.start, at: 1_000)
    for frame in stride(from: Int64(50_000), to: Self.end.number, by: 70_000) {
      rig.command(
        .locate(Position(bar: numbers.number(1...9), beat: 2, fraction: 0.37)), at: ClockFrame(frame + 137))
      rig.command(.stop, at: ClockFrame(frame + 20_003))
      rig.command(.start, at: ClockFrame(frame + 33_333))
    }
    // Each score arrives after the previous one has taken effect and before its own time.
    var (last, due): (ClockFrame, ClockFrame) = (-1, 5_000)
    var cuts = Generator(seed: 5)
    while rig.clock < Self.end {
      if rig.clock > last {
        rig.publish(try score(rig.published), at: due)
        (last, due) = (due, due + Int64(numbers.number(4_200...15_000)))
      }
      rig.render(min(next(&cuts), Int(Self.end - rig.clock)))
    }
    return rig
  }

  @Test("All five outputs and all events are identical, bit for bit, for any division of time into periods")
  func identical() throws {
    let reference = try play { _ in 1 }
    let events = reference.events.map { "\($0)" }
    #expect(reference.beats.count > 1_000)
    #expect(reference.published > 40)
    #expect(reference.recording.roles[2].contains { $0 != 0 })
    for size in [7, 64, 441, 1_024, 4_096] {
      let rig = try play { _ in size }
      #expect(rig.recording == reference.recording, "\(size)")
      #expect(rig.events.map { "\($0)" } == events, "\(size)")
    }
    for most in [3, 100, 4_096] {
      let rig = try play { $0.number(1...most) }
      #expect(rig.recording == reference.recording, "up to \(most)")
      #expect(rig.events.map { "\($0)" } == events, "up to \(most)")
    }
  }
}
