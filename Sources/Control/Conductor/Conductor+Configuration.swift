import Dispatch
import Engine
import MusicTime
import Realtime
import TimeCheck
import Validation

extension Conductor {
  /// The initial state of a conductor, and the functions through which it reaches files, speech and Ableton Link.
  package struct Configuration: Sendable {
    package var settings: Settings
    /// Frames per second, until the audio host reports its own rate.
    package var sampleRate: Int
    /// Number of bars to play; nil: plays without end.
    package var bars: Int?
    /// Makes a queue for slow work. `name` identifies the queue.
    package var makeWorkQueue: @Sendable (_ name: String) -> any WorkQueue = { DispatchQueue(label: $0) }
    /// Reads a built-in sound set or a folder. Called by `Conductor.init`, later on a work queue.
    package var readSound: SoundReader
    /// Writes the settings to disk. Called on a work queue, and at the end on the conductor's thread.
    package var save: @Sendable (Settings) throws -> Void
    /// The settings that are already on disk; nil if there are none.
    package var saved: Settings?
    /// Whether the settings on disk stay unchanged until the user saves or changes a setting.
    package var keepsSaved = false
    /// The sound set that plays if the settings' sound set can't be read; nil: `Conductor.init` throws.
    package var fallbackSound: String?
    /// Speaks the texts of a session. Called on a work queue; by `Conductor.init` if `speakAtStart` is nil.
    package var speak: Speaker = { _, _, _ in
      throw InvalidValue("speech", "nobody", allowed: "somebody to speak")
    }
    /// Speaks the texts of the first song before anything plays; nil: uses `speak`. It throws `SpeechTimeout` instead of
    /// delaying the first click. `speak` then speaks the remaining texts while the music plays.
    package var speakAtStart: Speaker?
    /// Reads a session document. Called on a work queue.
    package var readSession: SessionReader = {
      throw InvalidValue("session", quoted($0), allowed: "a document that can be read")
    }
    /// Writes a song's nudge into its document. Called on a work queue.
    package var writeNudge: NudgeWriter = { path, _ in
      throw InvalidValue("document", quoted(path), allowed: "one that can be written")
    }
    /// Lists the documents that the user can open by name. Called on a work queue.
    package var listDocuments: DocumentLister = { [] }
    /// Ableton Link; nil if this build has none.
    package var link: (any LinkSession)?
    /// The setup of the time check; `off` if Tactus does not listen.
    package var listening = ListeningSetup.off
    /// The first session, and the place where it begins; nil for none.
    package var session: (setlist: Setlist, place: SessionPlace)?

    package init(
      settings: Settings, sampleRate: Int, bars: Int? = nil,
      readSound: @escaping SoundReader,
      save: @escaping @Sendable (Settings) throws -> Void
    ) {
      self.settings = settings
      self.sampleRate = sampleRate
      self.bars = bars
      self.readSound = readSound
      self.save = save
      saved = settings
    }
  }
}

extension Conductor.Configuration {
  /// Reads the settings' sound set. If that fails, reads the fallback sound and reports this by a request.
  /// - Throws: the reader's error if no set can be read.
  func readFirstClips(_ updates: UpdateQueue) throws -> ClipSet {
    do {
      return try readSound(settings.sound, settings.voice.ofMetronome, sampleRate).clips
    } catch {
      guard let other = fallbackSound else { throw error }
      let clips = try readSound(other, settings.voice.ofMetronome, sampleRate).clips
      let outline = "\(error.publicText); playing \(other)"
      updates.push(Request(.guardedProblem("\(error); playing \(other)", outline: outline)))
      return clips
    }
  }

  /// Reads the sound sets of the settings' layers. A layer whose set can't be read plays the metronome's sound; a request
  /// reports this.
  func readLayerClips(_ updates: UpdateQueue) -> [String: ClipSet] {
    var clips: [String: ClipSet] = [:]
    for name in settings.layerSounds.sorted() {
      do {
        clips[name] = try readSound(name, settings.voice.ofMetronome, sampleRate).clips
      } catch {
        let end = "; its layer has the metronome's sound"
        updates.push(Request(.guardedProblem("\(error)\(end)", outline: "\(error.publicText)\(end)")))
      }
    }
    return clips
  }
}
