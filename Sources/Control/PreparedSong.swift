import Dispatch
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
  public let warnings: [String]

  init(
    plan: SongPlan, sampleRate: Int, sounds: [String: ClipSet], cues: [Int: Clip], warnings: [String]
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

/// Prepares songs away from the conductor.
struct SongLoader: Sendable {
  let queue = DispatchQueue(label: "tactus.songs")
  let read: SoundReader
  let speak: Speaker

  /// Prepares a song and pushes it to a queue.
  func prepare(_ plan: SongPlan, sampleRate: Int, song: Int, into updates: UpdateQueue) {
    queue.async {
      updates.push(Request(.song(prepareNow(plan, sampleRate: sampleRate), index: song)))
    }
  }

  /// Prepares a song on the calling thread. What can't be read or spoken is replaced and told, so that the show goes on.
  func prepareNow(_ plan: SongPlan, sampleRate: Int) -> PreparedSong {
    var sounds: [String: ClipSet] = [:]
    var warnings: [String] = []
    for name in Set(plan.plans.map(\.sound)).sorted() {
      do {
        sounds[name] = try read(name, sampleRate).clips
      } catch {
        warnings.append("\(error); playing sine")
        sounds[name] = try? read("sine", sampleRate).clips
      }
    }
    var (cues, spoken): ([Int: Clip], [String: Clip]) = ([:], [:])
    for (index, section) in plan.plans.enumerated() {
      guard let cue = section.cue else { continue }
      var clip = sounds[section.sound]?.cue
      if case .speech(let text) = cue {
        do {
          let voice = try spoken[text] ?? speak(text, plan.voice, sampleRate)
          spoken[text] = voice
          clip = voice
        } catch {
          if !warnings.contains("\(error)") { warnings.append("\(error)") }
        }
      }
      cues[index] = clip
    }
    return PreparedSong(plan: plan, sampleRate: sampleRate, sounds: sounds, cues: cues, warnings: warnings)
  }
}
