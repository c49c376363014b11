import Engine
import MusicTime

/// The engine alone, for a profiler to count.
public enum QuietRun {
  /// What it plays.
  public enum Music: String {
    /// 4/4 with a click on each beat.
    case plain
    /// 4/4 with accents and all subdivisions, MIDI clock and notes.
    case everything
  }

  /// Renders periods of 64 frames, 4/4 at 120, and prints nothing.
  public static func render(_ music: Music, periods: Int) throws {
    let hasEverything = music == .everything
    let subdivisions = hasEverything ? Subdivision.all : []
    let layout = try BarLayout(
      meter: Meter(4, 4), subdivisions: Dictionary(uniqueKeysWithValues: subdivisions.map { ($0, 1) }),
      accents: hasEverything ? AccentPattern(text: "XxXx") : nil)
    let clips = ClipSet(repeating: Clip([Float](repeating: 0.5, count: 2_400)))
    let plan = SectionPlan(layout: layout, tempo: try Tempo(thousandths: 120_000))
    let sections = Score.Sections([plan], sampleRate: 48_000, clips: clips)
    var rig = EngineRig(Score.make(sections, generation: 1), clips: clips, sendsMIDI: hasEverything)
    rig.command(.start)
    rig.render(periods)
  }
}
