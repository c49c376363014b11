import Engine
import MusicTime

/// The engine with a number of long clips that sound and none that begins, to compare what mixing them costs.
public struct VoiceRig: ~Copyable {
  /// Frames that `render` renders in a period.
  public static let period = EngineRig.period
  /// The volumes of the accent, beat, subdivision and cue ports, and of the mix, 0…1.
  public static let gains: (accent: Float, beat: Float, subdivision: Float, cue: Float, mix: Float) = (
    0.9, 0.8, 0.7, 1, 0.9
  )

  private var rig: EngineRig
  private let clips: [Clip]

  /// - Parameters:
  ///   - voices: how many clips sound, 0…256.
  ///   - length: frames of each clip.
  public init(voices: Int, length: Int) throws {
    clips = (0..<4).map { seed in Clip((0..<length).map { Float(($0 * (seed + 3)) % 97) / 200 }) }
    let set = ClipSet(accent: clips[0], beat: clips[1], subdivision: clips[2], cue: clips[3])
    let volumes = VoiceRig.gains
    var gains = Gains()
    gains.buses = PerRole(
      accent: volumes.accent, beat: volumes.beat, subdivision: volumes.subdivision, cue: volumes.cue)
    gains.master = volumes.mix
    // The densest click there is: many clips sound at once before the first one has gone far.
    let layout = try BarLayout(
      meter: Meter(4, 4), subdivisions: [Subdivision(2): 0.5], accents: AccentPattern(text: "XxXx"))
    let plan = SectionPlan(layout: layout, tempo: try Tempo(thousandths: 999_000))
    let sections = Score.Sections([plan], sampleRate: 8_000, clips: set)
    rig = EngineRig(Score.make(sections, generation: 1, gains: gains), clips: set)
    if voices > 0 { rig.command(.start) }
    var begun = 0
    // One frame at a time, so that no two clips begin in one period.
    while begun < voices { begun += rig.render(frames: 1) }
    rig.command(.stop)
    rig.render()
  }

  /// Renders periods.
  public mutating func render(_ periods: Int) { rig.render(periods) }

  /// The samples of a clip.
  /// - Parameter role: 0 accent, 1 beat, 2 subdivision, 3 cue.
  public func samples(ofRole role: Int) -> UnsafePointer<Float> { clips[role].samples.baseAddress! }
}
