import Engine
import MusicTime
import Validation

/// A song with all clips that it needs, at one sample rate.
package struct PreparedSong: Sendable {
  let plan: SongPlan
  let sampleRate: Int
  /// The voice settings with which its texts were spoken.
  let voice: VoicePreferences
  /// The sound sets by the names in the plans.
  let sounds: [String: ClipSet]
  /// The cues by the index of their plan.
  let cues: [Int: Clip]
  /// The plans whose cue is a spoken text.
  private let speaking: Set<Int>
  /// Sounds and texts that could not be read or spoken, to be reported.
  package let warnings: [any Error]

  init(
    plan: SongPlan, sampleRate: Int, voice: VoicePreferences = VoicePreferences(), sounds: [String: ClipSet],
    cues: [Int: Clip], speaking: Set<Int> = [], warnings: [any Error]
  ) {
    self.plan = plan
    self.sampleRate = sampleRate
    self.voice = voice
    self.sounds = sounds
    self.cues = cues
    self.speaking = speaking
    self.warnings = warnings
  }

  /// Reads all sounds and speaks all texts of a song on the calling thread. This may take seconds.
  package init(
    _ plan: SongPlan, sampleRate: Int, voice: VoicePreferences = VoicePreferences(),
    readSound: @escaping SoundReader,
    speak: @escaping Speaker
  ) {
    self = SongLoader(read: readSound, speak: speak).prepareNow(plan, sampleRate: sampleRate, voice: voice)
  }

  /// Whether texts are still being spoken; until then they are chimes.
  var awaitsVoice: Bool { warnings.contains { $0 is SpeechTimeout } }

  /// Whether it has sections that last until the player goes on.
  var hasOpenSections: Bool { plan.plans.contains(where: \.isOpen) }

  /// A score of the song. The caller owns the score, and keeps the song alive as long as the engine uses it.
  package func score(gains: Gains, voice: Volume = .full) -> UnsafePointer<Score> {
    Score.make(sections(voice: voice), generation: 1, gains: gains, piece: 1, timing: 1)
  }
}

extension PreparedSong {
  /// Compiles the song's sections as they are played.
  /// - Parameters:
  ///   - voice: the user's volume for texts that are spoken.
  ///   - isOnTransport: whether a transport moves through the song.
  func sections(
    _ rendition: Rendition = Rendition(), voice: Volume = .full, isOnTransport: Bool = false
  ) -> Score.Sections {
    var plans = plan.plans
    if rendition != Rendition() {
      for index in plans.indices { plans[index].tempo = plans[index].tempo.played(as: rendition) }
      if rendition.gap != .off { plans.silence(rendition.gap) }
    }
    // Without this check, an empty loop would still copy the plans.
    if voice != .full, !speaking.isEmpty {
      for index in speaking { plans[index].gains.buses.cue *= voice.gain }
    }
    return Score.Sections(
      plans, sampleRate: sampleRate, clips: sounds.values.first!, sounds: sounds, cues: cues,
      loop: plan.loopStart, isOnTransport: isOnTransport)
  }
}

extension [SectionPlan] {
  /// Silences bars of a song. They are counted from the first bar, or from the last section before which the number of bars is
  /// unknown. Sections with silent bars of their own keep them.
  fileprivate mutating func silence(_ gap: Gap) {
    var before = 0
    for index in indices where !self[index].isCountIn {
      if self[index].silence == .never {
        self[index].silence = .running(play: gap.play, rest: gap.rest, after: before)
      }
      before = self[index].bars.map { (before + $0) % (gap.play + gap.rest) } ?? 0
    }
  }
}

extension TempoCurve {
  /// The curve with the rendition's speed and nudge applied.
  package func played(as rendition: Rendition) -> TempoCurve {
    switch self {
    case .constant(let tempo): .constant(rendition.applied(to: tempo))
    case .ramp(let from, let to): .ramp(from: rendition.applied(to: from), to: rendition.applied(to: to))
    case .beats(let tempos): .beats(tempos.map(rendition.applied))
    }
  }
}

/// Speaks a text and returns its clip, at a sample rate in frames per second.
package typealias Speaker =
  @Sendable (_ text: String, _ voice: VoiceSettings, _ sampleRate: Int) throws -> Clip

/// Thrown by a speaker that takes too long. The song plays chimes until its texts have been spoken.
package struct SpeechTimeout: Error, CustomStringConvertible {
  package init() {}
  package var description: String { "the voice takes long: texts are chimes until they are spoken" }
}

/// The error for a sound set that could not be read, or a text that could not be spoken.
struct MissingSound: GuardedError {
  let error: any Error
  /// What plays instead.
  let replacement: String

  var description: String { "\(error); playing \(replacement)" }
  var outline: String { "\(error.publicText); playing \(replacement)" }
}
