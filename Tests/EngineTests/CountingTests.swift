import Engine
import MusicTime
import Testing

/// Sounds that count the beats.
@Suite struct CountingTests {
  /// Clips of one sample, whose value identifies the role or number: 1/64 for a beat, 1/32 for an accent, n for number n.
  private func clips(numbers: Int, countsBars: Bool = false) -> ClipSet {
    ClipSet(
      PerRole(accent: Clip([1 / 32]), beat: Clip([1 / 64]), subdivision: Clip([1 / 128]), cue: Clip([100])),
      count: CountingClips((1...numbers).map { Clip([Float($0)]) }, countsBars: countsBars))
  }

  /// The sounding samples of a score at full volume, in order.
  private func heard(_ plans: [SectionPlan], _ clips: ClipSet, frames: Int64, held: Bool = false) -> [Float] {
    let rig = Rig(Score.make(plans, clips: clips, gains: Gains()))
    rig.isRecording = true
    rig.command(.start)
    if held { rig.command(.repeats(.section), at: 1) }
    rig.render(until: ClockFrame(frames))
    return rig.recording.out.filter { $0 != 0 }
  }

  @Test func `Each beat has its number, whatever the beat unit, and subdivisions have their own sound`()
    throws
  {
    let eighths = Pattern(thousandths: 240_000, meter: (7, 8), subdivisions: [2: 1])
    let numbers: [Float] = [1, 2, 3, 4, 5, 6, 7].flatMap { [$0, 1 / 128] }
    #expect(heard([try eighths.plan(bars: 2)], clips(numbers: 16), frames: 200_000) == numbers + numbers)
    let dotted = Pattern(thousandths: 120_000, meter: (6, 8), beatUnit: (3, 8))
    #expect(heard([try dotted.plan(bars: 3)], clips(numbers: 16), frames: 200_000) == [1, 2, 1, 2, 1, 2])
  }

  @Test func `A beat after the last number clicks`() throws {
    let plan = try Pattern(meter: (5, 4)).plan(bars: 1)
    #expect(heard([plan], clips(numbers: 3), frames: 200_000) == [1, 2, 3, 1 / 64, 1 / 64])
  }

  @Test func `The first beat says the bar of the section, and after the last number one again`() throws {
    let (long, short) = (
      try Pattern(thousandths: 480_000, meter: (3, 4)).plan(bars: 5), try Pattern().plan(bars: 2)
    )
    let bars: [Float] = [1, 2, 3, 2, 2, 3, 3, 2, 3, 1, 2, 3, 2, 2, 3]
    let heard = heard([long, short], clips(numbers: 3, countsBars: true), frames: 400_000)
    #expect(heard == bars + [1, 2, 3, 1 / 64, 2, 2, 3, 1 / 64])
  }

  @Test func `A section that is held counts its bars from one each time`() throws {
    let plan = try Pattern(thousandths: 480_000, meter: (2, 4)).plan(bars: 2)
    let heard = heard([plan], clips(numbers: 8, countsBars: true), frames: 6_000 * 10, held: true)
    #expect(heard == [1, 2, 2, 2, 1, 2, 2, 2, 1, 2])
  }

  @Test func `A layer counts its own pulses from its last reset`() throws {
    var plan = try Pattern(meter: (4, 4)).plan(bars: 2)
    plan.gains.buses = PerRole(repeating: 0)
    for (text, numbers) in [
      ("3 over bar", [1, 2, 3, 1, 2, 3] as [Float]), ("every 1/4, reset bar", [1, 2, 3, 4, 1, 2, 3, 4]),
      ("every 1/4, pattern X.x", [1, 3, 1, 3, 1]),
    ] {
      plan.layers = [LayerPlan(1, try Layer(text: text))]
      #expect(heard([plan], clips(numbers: 8), frames: 200_000) == numbers, "\(text)")
    }
  }
}
