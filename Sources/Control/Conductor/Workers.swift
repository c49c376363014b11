import Engine
import MusicTime
import Realtime
import Synchronization

/// Does slow work on queues of its own: reads sounds and documents, prepares songs, saves settings. Results go into the update
/// queue.
/// - Thread: control
struct Workers {
  private let updates: UpdateQueue
  private let readSound: SoundReader
  private let readSession: SessionReader
  private let writeNudge: NudgeWriter
  private let listDocuments: DocumentLister
  private let speak: Speaker
  private let songs: SongLoader
  private let saver: SettingsSaver
  private let sounds: any WorkQueue
  private let sessions: any WorkQueue
  private let lists: any WorkQueue
  private let voices: any WorkQueue
  /// The voice to try next. A queue of trials never holds more than this one.
  private let nextVoice = NextVoice()

  private final class NextVoice: Sendable {
    let settings = Mutex<VoiceSettings?>(nil)
  }

  init(_ configuration: Conductor.Configuration, into updates: UpdateQueue) {
    let queue = configuration.makeWorkQueue
    self.updates = updates
    readSound = configuration.readSound
    readSession = configuration.readSession
    writeNudge = configuration.writeNudge
    listDocuments = configuration.listDocuments
    speak = configuration.speak
    sounds = queue("tactus.sound")
    sessions = queue("tactus.sessions")
    lists = queue("tactus.lists")
    voices = queue("tactus.voice")
    songs = SongLoader(
      read: configuration.readSound, speak: configuration.speak, on: queue("tactus.songs"))
    saver = SettingsSaver(configuration.save, saved: configuration.saved, on: queue("tactus.state")) {
      updates.push(Request(.saving(failure: $0)))
    }
  }

  /// Prepares a song on the calling thread and waits for it.
  /// - Parameter speaker: speaks the texts; nil: the speaker of later songs.
  func prepareNow(
    _ plan: SongPlan, sampleRate: Int, voice: VoicePreferences, speak speaker: Speaker?
  ) -> PreparedSong {
    songs.prepareNow(plan, sampleRate: sampleRate, voice: voice, speak: speaker)
  }

  func prepare(_ plan: SongPlan, sampleRate: Int, voice: VoicePreferences, index: Int) {
    songs.prepare(plan, sampleRate: sampleRate, voice: voice, song: index, into: updates)
  }

  func cancelSongs() { songs.cancel() }

  func readSound(_ job: SoundLoader.Job) {
    sounds.run { [updates, readSound] in
      let sound = Result { try readSound(job.name, job.voice, job.sampleRate) }
      updates.push(Request(.clips(LoadedClips(job: job, sound: sound))))
    }
  }

  func readLayerSound(_ job: LayerSounds.Job) {
    sounds.run { [updates, readSound] in
      let sound = Result { try readSound(job.name, job.voice, job.sampleRate) }
      updates.push(Request(.layerSound(LoadedLayerSound(job: job, sound: sound))))
    }
  }

  func readSession(_ job: SessionOpener.Job) {
    sessions.run { [updates, readSession] in
      let session = Result { try readSession(job.path) }.map { (setlist: $0.0, place: $0.1) }
      updates.push(Request(.opened(LoadedSession(job: job, session: session))))
    }
  }

  func keepNudge(_ job: NudgeJob) {
    sessions.run { [updates, writeNudge] in
      let result = Result { try writeNudge(job.path, job.total) }
      updates.push(Request(.keptNudge(KeptNudge(job: job, result: result))))
    }
  }

  func tryVoice(_ voice: VoiceSettings) {
    let isWaiting = nextVoice.settings.withLock { next in
      defer { next = voice }
      return next != nil
    }
    guard !isWaiting else { return }
    voices.run { [updates, speak, nextVoice] in
      guard let voice = nextVoice.settings.withLock({ $0.take() }) else { return }
      do {
        _ = try speak("1", voice, 48_000)
      } catch {
        updates.push(
          Request(.problem("voice/language \(voice.language): \(error.publicText); texts will be chimes")))
      }
    }
  }

  func listDocuments(_ answer: @escaping @Sendable ([DocumentSummary]) -> Void) {
    lists.run { [updates, listDocuments] in
      answer(listDocuments())
      updates.push(Request(.listed))
    }
  }

  func save(_ settings: Settings) { saver.save(settings) }

  /// Waits until the current save is on disk, then saves these settings unless they are on disk already.
  func finishSaving(_ settings: Settings) { saver.finish(settings) }
}
