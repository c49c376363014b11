import Dispatch
import Engine
import MusicTime
import Realtime
import Synchronization
import Validation

/// Prepares songs on a work queue.
final class SongLoader: Sendable {
  private let queue: any WorkQueue
  private let read: SoundReader
  private let speak: Speaker
  /// Number of calls of `cancel`.
  private let cancellations = Atomic<Int>(0)

  /// - Parameter queue: runs one preparation at a time.
  init(
    read: @escaping SoundReader, speak: @escaping Speaker,
    on queue: any WorkQueue = DispatchQueue(label: "tactus.songs")
  ) {
    (self.read, self.speak, self.queue) = (read, speak, queue)
  }

  /// Prepares a song and pushes it into the update queue, unless `cancel` is called before.
  func prepare(
    _ plan: SongPlan, sampleRate: Int, voice: VoicePreferences, song: Int, into updates: UpdateQueue
  ) {
    let asked = cancellations.load(ordering: .relaxed)
    queue.run { [self] in
      let isWanted = { self.cancellations.load(ordering: .relaxed) == asked }
      let prepared = prepareNow(plan, sampleRate: sampleRate, voice: voice, while: isWanted)
      if isWanted() { updates.push(Request(.song(prepared, index: song))) }
    }
  }

  /// Cancels all requested songs. The current sound or text is still finished.
  func cancel() { cancellations.add(1, ordering: .relaxed) }

  /// Prepares a song on the calling thread. A sound or text that can't be read or spoken, or exceeds the memory budget, is
  /// replaced, with a warning, because a show must not stop for it.
  /// - Parameters:
  ///   - voice: the user's settings for the voice.
  ///   - speaker: speaks the texts; nil: the loader's own.
  ///   - isWanted: called before each sound and text; if it returns false, the song remains incomplete.
  func prepareNow(
    _ plan: SongPlan, sampleRate: Int, voice: VoicePreferences = VoicePreferences(),
    speak speaker: Speaker? = nil,
    while isWanted: () -> Bool = { true }
  ) -> PreparedSong {
    var preparation = SongPreparation(plan: plan, sampleRate: sampleRate, voice: voice)
    for name in plan.sounds.sorted() where isWanted() { preparation.readSound(name, read) }
    for index in plan.plans.indices where isWanted() { preparation.addCue(index, speaker ?? speak) }
    return preparation.song
  }
}

/// The state of one preparation.
private struct SongPreparation {
  let plan: SongPlan
  let sampleRate: Int
  let preferences: VoicePreferences
  /// The document's voice with the user's settings applied.
  private let voice: VoiceSettings
  private var budget = SampleBudget()
  private var sounds: [String: ClipSet] = [:]
  private var cues: [Int: Clip] = [:]
  private var speaking: Set<Int> = []
  private var spoken: [String: Clip] = [:]
  private var warnings: [any Error] = []
  /// The replacement for sounds that can't be read.
  private var fallback: ClipSet?

  init(plan: SongPlan, sampleRate: Int, voice preferences: VoicePreferences) {
    (self.plan, self.sampleRate, self.preferences) = (plan, sampleRate, preferences)
    voice = preferences.applied(to: plan.voice)
  }

  var song: PreparedSong {
    PreparedSong(
      plan: plan, sampleRate: sampleRate, voice: preferences, sounds: sounds, cues: cues, speaking: speaking,
      warnings: warnings)
  }

  mutating func readSound(_ name: String, _ read: SoundReader) {
    do {
      let clips = try read(name, voice, sampleRate).clips
      guard budget.take(clips) else { throw SongPreparation.noRoom("the sound \(quoted(name))") }
      sounds[name] = clips
    } catch {
      warn(MissingSound(error: error, replacement: "sine"))
      fallback = fallback ?? (try? read("sine", voice, sampleRate).clips)
      sounds[name] = fallback
    }
  }

  mutating func addCue(_ index: Int, _ speak: Speaker) {
    guard let cue = plan.plans[index].cue else { return }
    cues[index] = sounds[plan.plans[index].sound]?[.cue]
    guard case .speech(let text) = cue, preferences.isOn else { return }
    if let known = spoken[text] {
      cues[index] = known
      speaking.insert(index)
      return
    }
    do {
      guard spoken.count < SampleBudget.texts else {
        throw InvalidValue(
          "spoken cues", "more than \(SampleBudget.texts)", allowed: "fewer")
      }
      let clip = try speak(text, voice, sampleRate)
      guard budget.take(clip) else { throw SongPreparation.noRoom("a spoken cue") }
      (spoken[text], cues[index]) = (clip, clip)
      speaking.insert(index)
    } catch {
      warn(error is SpeechTimeout ? error : MissingSound(error: error, replacement: "a chime"))
    }
  }

  private mutating func warn(_ error: any Error) {
    if !warnings.contains(where: { "\($0)" == "\(error)" }) { warnings.append(error) }
  }

  private static func noRoom(_ what: String) -> InvalidValue {
    InvalidValue(
      what, "beyond the memory for a song's sounds",
      allowed: "left out, or the sounds shorter: \(SampleBudget.limit / 1_000_000) MB in all")
  }
}
