import Engine
import MusicTime
import Validation

/// A song with all its sounds and spoken texts, at one sample rate.
public struct PreparedSong: Sendable {
  let plan: SongPlan
  let sampleRate: Int
  /// By the names that the sections use.
  let sounds: [String: ClipSet]
  /// By the section's place in the plan.
  let cues: [Int: Clip]
  /// What could not be read or spoken.
  public let warnings: [any Error]

  init(
    plan: SongPlan, sampleRate: Int, sounds: [String: ClipSet], cues: [Int: Clip], warnings: [any Error]
  ) {
    self.plan = plan
    self.sampleRate = sampleRate
    self.sounds = sounds
    self.cues = cues
    self.warnings = warnings
  }

  /// Reads and speaks all that a song needs, which may take seconds.
  public init(_ plan: SongPlan, sampleRate: Int, readSound: @escaping SoundReader, speak: @escaping Speaker) {
    self = SongLoader(read: readSound, speak: speak).prepareNow(plan, sampleRate: sampleRate)
  }

  /// The compiled song. The caller frees the score, and keeps the song as long as the score.
  public func score(gains: Gains) -> UnsafePointer<Score> {
    Score.make(sections(), generation: 1, gains: gains, piece: 1, timing: 1)
  }
}

extension PreparedSong {
  /// The song's sections, compiled at a percentage of their tempo.
  func sections(percent: Int = 100) -> Score.Sections {
    var plans = plan.plans
    if percent != 100 {
      for index in plans.indices { plans[index].tempo = plans[index].tempo.scaled(percent: percent) }
    }
    return Score.Sections(
      plans, sampleRate: sampleRate, clips: sounds.values.first!, sounds: sounds, cues: cues,
      loop: plan.loopStart)
  }
}

extension TempoCurve {
  fileprivate func scaled(percent: Int) -> TempoCurve {
    switch self {
    case .constant(let tempo): .constant(tempo.scaled(percent: percent))
    case .ramp(let from, let to): .ramp(from: from.scaled(percent: percent), to: to.scaled(percent: percent))
    case .beats(let tempos): .beats(tempos.map { $0.scaled(percent: percent) })
    }
  }
}

/// Speaks a text: makes a clip of it at a sample rate.
public typealias Speaker =
  @Sendable (_ text: String, _ voice: VoiceSettings, _ sampleRate: Int) throws -> Clip

/// A sound set of a song that could not be read; the sine replaces it.
struct MissingSound: GuardedError {
  let error: any Error

  var description: String { "\(error); playing sine" }
  var outline: String { "\(error.publicText); playing sine" }
}
