import Engine
import MusicTime

/// The cost of building a score, and of a locate in it.
public enum SectionCosts {
  /// Seconds to build a score, and for one locate to a random frame and the period there.
  public static func measure(sections count: Int, locates: Int) throws -> (build: Double, locate: Double) {
    let silent = Clip([0])
    let clips = ClipSet(repeating: silent)
    // The sections of a document share their bars.
    let layouts = try (2...12).map { try BarLayout(meter: Meter($0, 8)) }
    let plans = try (0..<count).map { index in
      SectionPlan(
        layout: layouts[index % layouts.count],
        tempo: try Tempo(thousandths: 60_000 + index % 100 * 1_000), bars: index % 7 + 1)
    }
    let builds = (0..<(count < 10_000 ? 21 : 5)).map { _ in
      ContinuousClock().measure { _ = Score.Sections(plans, sampleRate: 48_000, clips: clips) }.inSeconds
    }

    // Short sections: JACK's frames end at 2³².
    let short = SectionPlan(
      layout: try BarLayout(meter: Meter(1, 16)), tempo: try Tempo(thousandths: 999_999), bars: 1)
    let built = Score.Sections(Array(repeating: short, count: count), sampleRate: 48_000, clips: clips)
    let end = UInt32(built.endFrame!)
    var rig = EngineRig(Score.make(built, generation: 1, role: .lead), clips: clips)
    var transport = Cycle.Transport()
    var numbers = SystemRandomNumberGenerator()
    let places = (0..<locates).map { _ in UInt32.random(in: 0..<end, using: &numbers) }
    let time = ContinuousClock().measure {
      for place in places {
        transport.frame = place
        rig.render(frames: 1, transport)
      }
    }
    return (builds.sorted()[builds.count / 2], time.inSeconds / Double(locates))
  }
}

extension Duration {
  fileprivate var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
