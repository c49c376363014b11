import Engine
import MusicTime

/// A song with everything read and spoken that it needs, at one sample rate.
public struct PreparedSong: Sendable {
  let plan: SongPlan
  let sampleRate: Int
  /// By the names that the sections use.
  let sounds: [String: ClipSet]
  /// By the section's place in the plan.
  let cues: [Int: Clip]
  /// What could not be had, for people.
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

  /// Whether a text is still being spoken, and a chime until then.
  var awaitsVoice: Bool { warnings.contains { $0 is LateVoice } }

  /// The song for the engine. The caller keeps the song for as long as the score.
  public func score(gains: Gains) -> UnsafePointer<Score> {
    Score.make(sections(), generation: 1, gains: gains, piece: 1, timing: 1)
  }
}

extension PreparedSong {
  /// The song's sections, compiled at a percentage of their tempo.
  func sections(percent: Int = 100) -> Score.Sections {
    Score.Sections(
      plans(percent: percent), sampleRate: sampleRate, clips: sounds.values.first!, loop: plan.loopStart)
  }
}

/// Speaks a text: makes a clip of it at a sample rate.
public typealias Speaker =
  @Sendable (_ text: String, _ voice: VoiceSettings, _ sampleRate: Int) throws -> Clip

/// Thrown by a speaker that is not waited for any longer. The song is played with chimes until its texts are spoken.
public struct LateVoice: Error, CustomStringConvertible {
  public init() {}
  public var description: String { "the voice takes long: texts are chimes until they are spoken" }
}

/// A sound set of a song that could not be read, and that the sine stands in for.
struct MissingSound: GuardedError {
  let error: any Error

  var description: String { "\(error); playing sine" }
  var outline: String { "\(error.publicText); playing sine" }
}
