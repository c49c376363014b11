import Engine
import MusicTime
import Validation

/// A song with all clips that it needs, at one sample rate.
package struct PreparedSong: Sendable {
  let plan: SongPlan
  let sampleRate: Int
  /// How its texts were spoken.
  let voice: VoiceWish
  /// The sound sets by the names in the plans.
  let sounds: [String: ClipSet]
  /// The cues by the index of their plan.
  let cues: [Int: Clip]
  /// Sounds and texts that could not be read or spoken, for the user.
  package let warnings: [any Error]

  init(
    plan: SongPlan, sampleRate: Int, voice: VoiceWish = VoiceWish(), sounds: [String: ClipSet],
    cues: [Int: Clip], warnings: [any Error]
  ) {
    self.plan = plan
    self.sampleRate = sampleRate
    self.voice = voice
    self.sounds = sounds
    self.cues = cues
    self.warnings = warnings
  }

  /// Reads all sounds and speaks all texts of a song on the calling thread, which may take seconds.
  package init(
    _ plan: SongPlan, sampleRate: Int, voice: VoiceWish = VoiceWish(), readSound: @escaping SoundReader,
    speak: @escaping Speaker
  ) {
    self = SongLoader(read: readSound, speak: speak).prepareNow(plan, sampleRate: sampleRate, voice: voice)
  }

  /// Whether a text is still being spoken, and a chime until then.
  var awaitsVoice: Bool { warnings.contains { $0 is LateVoice } }

  /// A score of the song. The caller owns the score, and keeps the song alive as long as the engine uses it.
  package func score(gains: Gains) -> UnsafePointer<Score> {
    Score.make(sections(), generation: 1, gains: gains, piece: 1, timing: 1)
  }
}

extension PreparedSong {
  /// Compiles the song's sections at a pace.
  func sections(_ pace: SongPace = SongPace()) -> Score.Sections {
    var plans = plan.plans
    if pace != SongPace() {
      for index in plans.indices { plans[index].tempo = plans[index].tempo.played(at: pace) }
    }
    return Score.Sections(
      plans, sampleRate: sampleRate, clips: sounds.values.first!, sounds: sounds, cues: cues,
      loop: plan.loopStart)
  }
}

extension TempoCurve {
  fileprivate func played(at pace: SongPace) -> TempoCurve {
    switch self {
    case .constant(let tempo): .constant(pace.applied(to: tempo))
    case .ramp(let from, let to): .ramp(from: pace.applied(to: from), to: pace.applied(to: to))
    case .beats(let tempos): .beats(tempos.map(pace.applied))
    }
  }
}

/// Makes a clip of a spoken text at a sample rate.
package typealias Speaker =
  @Sendable (_ text: String, _ voice: VoiceSettings, _ sampleRate: Int) throws -> Clip

/// Thrown by a speaker that is not waited for any longer. The song is played with chimes until its texts are spoken.
package struct LateVoice: Error, CustomStringConvertible {
  package init() {}
  package var description: String { "the voice takes long: texts are chimes until they are spoken" }
}

/// A sound set that could not be read. The sine replaces it.
struct MissingSound: GuardedError {
  let error: any Error

  var description: String { "\(error); playing sine" }
  var outline: String { "\(error.publicText); playing sine" }
}
