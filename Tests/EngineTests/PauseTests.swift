import Engine
import MusicTime
import Testing

@Suite("Pausing")
struct PauseTests {
  private func plan(_ thousandths: Int, _ bars: Int) throws -> SectionPlan {
    try Pattern(thousandths: thousandths).plan(bars: bars)
  }

  @Test("A thousand pauses, each on the frame of a beat, move the grid by whole frames only")
  func exactness() throws {
    // 17 953.63 frames a beat: half of them are played a little late.
    let rig = Rig(Score.make([try plan(160_413, 1_000)], sampleRate: 48_000, clips: .shortest, generation: 1))
    let length = 48_000.0 * 60_000 / 160_413
    rig.command(.start)
    for beat in 1...1_000 {
      let frame = ClockFrame(Int64((Double(beat) * length).rounded()) + Int64(beat - 1) * 10)
      rig.command(.pause, at: frame)
      rig.command(.start, at: frame + 10)
      while rig.clock <= frame + 10 { rig.render(4_096) }
    }
    let beats = rig.beats
    #expect(beats.count > 1_000)
    var wrong = 0
    for (index, beat) in beats.enumerated() {
      let exact = Double(index) * length + Double(min(index, 1_000)) * 10
      if abs(Double(beat.frame.number) - exact) > 0.5001 { wrong += 1 }
    }
    #expect(wrong == 0)
  }

  @Test("A pause in a later lap of a loop, or of a held section, goes on counting its bars")
  func laps() throws {
    for isHeld in [false, true] {
      let rig = Rig(
        Score.make(
          [try plan(120_000, 1), try plan(240_000, 2)], sampleRate: 48_000, clips: .shortest, generation: 1,
          loop: 0))
      rig.command(.repeats(isHeld ? .section : .none))
      rig.command(.start)
      rig.command(.pause, at: 500_000)
      rig.command(.start, at: 600_000)
      rig.render(until: 1_200_000)
      let bars = rig.beats.filter { $0.beat == 1 }
      #expect(bars.map(\.bar) == Array(1...bars.count))
      let frames = bars.map { $0.frame - ($0.frame > 500_000 ? 100_000 : 0) }
      #expect(frames.allSatisfy { Int($0.number) % (isHeld ? 96_000 : 48_000) == 0 })
      #expect(Set(bars.map(\.section)) == (isHeld ? [0] : [0, 1]))
    }
  }

  @Test("Another sample rate keeps bar and beat of a song")
  func sampleRate() throws {
    func score(_ rate: Int) throws -> UnsafePointer<Score> {
      Score.make(
        [try plan(120_000, 2), try plan(60_000, 9)], sampleRate: rate, clips: .shortest, generation: 1,
        piece: 1,
        timing: 1)
    }
    let rig = Rig(try score(48_000))
    rig.command(.start)
    rig.render(until: 456_000)
    let last = try #require(rig.beats.last)
    #expect([last.section, last.bar, last.beat] == [1, 4, 2])
    rig.publish(try score(96_000))
    let change = rig.clock
    rig.render(until: change + 96_000)
    let next = try #require(rig.beats.last)
    #expect([next.section, next.bar, next.beat] == [1, 4, 3])
    // Half of the beat was left.
    #expect(next.frame - change == 48_000)
  }
}
