import Engine
import MusicTime
import TestNumbers
import Testing

@Suite("Timelines")
struct TimelineTests {
  @Test("Missed cycles do not move the grid, nothing begins late, and each gap is counted")
  func gaps() throws {
    var numbers = Generator(seed: 41)
    let pattern = Pattern(thousandths: 313_700, meter: (7, 8), subdivisions: [3: 1, 4: 1])
    let reference = Reference(pattern, sampleRate: 48_000)
    let rig = Rig(try Score.make(pattern))
    rig.command(.start)
    var played: [Range<ClockFrame>] = []
    for _ in 0..<500 {
      let start = rig.clock
      rig.render(numbers.number(1...3_000))
      played.append(start..<rig.clock)
      rig.clock += Int64(numbers.number(1...5_000))
    }
    var (bar, index, clicks) = (1, 0, rig.beats[...])
    while case let frame = reference.frame(bar: bar, reference.onsets[index]), frame < rig.clock {
      if played.contains(where: { $0.contains(frame) }) {
        let click = clicks.popFirst()
        #expect(click?.frame == frame && click?.bar == bar && click?.beat == reference.onsets[index].beat)
      }
      index += 1
      if index == reference.onsets.count { (bar, index) = (bar + 1, 0) }
    }
    #expect(clicks.isEmpty)
    #expect(rig.channels.pointee.gaps.load(ordering: .relaxed) == 499)
  }

  @Test("A clip that sounds when cycles are missed continues where it was, to its last sample")
  func clipAcrossGap() throws {
    let clip = Clip((1...1_000).map(Float.init))
    let rig = Rig(
      try Score.make(
        Pattern(thousandths: 1_000), clips: ClipSet(repeating: clip)))
    rig.isRecording = true
    rig.command(.start)
    rig.render(400)
    rig.clock += 12_345
    rig.render(1_000)
    #expect(Array(rig.recording.out.prefix(1_000)) == Array(clip.samples))
    #expect(rig.recording.out.dropFirst(1_000).allSatisfy { $0 == 0 })
  }

  private func transport(_ frame: UInt32, rolling: Bool = true) -> Cycle.Transport {
    var transport = Cycle.Transport()
    (transport.frame, transport.isRolling) = (frame, rolling)
    return transport
  }

  @Test("From lead to free the music keeps its position; back in lead the position is the transport's")
  func roles() throws {
    let rig = Rig(try Score.make(Pattern(), role: .lead))
    rig.clock = 1_000
    rig.render(12_345, transport(48_000))
    rig.publish(try Score.make(Pattern(), role: .free))
    rig.render(50_000)
    // Frame 48 000 of the transport was clock 1 000.
    #expect(rig.beats.map(\.frame) == [1_000, 25_000, 49_000])
    #expect(rig.beats.map(\.beat) == [3, 4, 1])
    rig.forgetEvents()
    rig.publish(try Score.make(Pattern(), role: .lead))
    let start = rig.clock
    rig.render(30_000, transport(71_000))
    #expect(
      rig.beats.map { [$0.frame - start, Int64($0.bar), Int64($0.beat)] } == [
        [1_000, 1, 4], [25_000, 2, 1],
      ])
  }

  @Test("In lead and follow only the transport starts, stops and locates")
  func commands() throws {
    for role in [SyncMode.lead, .follow] {
      let rig = Rig(try Score.make(Pattern(), role: role))
      rig.command(.start)
      rig.render(50_000, transport(0, rolling: false))
      #expect(rig.events.isEmpty)
      rig.render(10_000, transport(0))
      rig.command(.stop)
      rig.command(.locate(Position(bar: 9, beat: 1)))
      rig.render(20_000, transport(10_000))
      #expect(rig.beats.map { [$0.bar, $0.beat] } == [[1, 1], [1, 2]])
      rig.render(10_000, transport(30_000, rolling: false))
      guard case .stopped(80_000) = rig.events.last else {
        Issue.record("\(role): \(String(describing: rig.events.last))")
        continue
      }
    }
  }

  @Test(
    "Without a leader that publishes bar and beat a follower plays its own tempo on the transport's frames")
  func noLeader() throws {
    let rig = Rig(try Score.make(Pattern(), role: .follow))
    rig.render(1_000, transport(95_500))
    rig.render(1_000, transport(23_900))
    #expect(
      rig.beats.map { [$0.frame.number, Int64($0.bar), Int64($0.beat)] } == [[500, 2, 1], [1_100, 1, 2]])
  }
}
