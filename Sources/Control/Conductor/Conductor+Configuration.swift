import Dispatch
import Engine
import MusicTime
import Realtime
import TimeCheck
import Validation

extension Conductor {
  /// What a conductor starts from.
  package struct Configuration: Sendable {
    package var settings: Settings
    /// Frames a second until the audio host says otherwise.
    package var sampleRate: Int
    /// Bars to play; nil for ever.
    package var bars: Int?
    /// Makes a queue for work that takes long, by its name.
    package var makeWorkQueue: @Sendable (_ name: String) -> any WorkQueue = { DispatchQueue(label: $0) }
    /// Reads a sound set, a built-in one or a folder.
    package var readSound: SoundReader
    /// Writes the settings to disk.
    package var save: @Sendable (Settings) throws -> Void
    /// What is on disk already; nil for nothing.
    package var saved: Settings?
    /// Whether the settings on disk stay as they are until the user saves, or changes a setting.
    package var keepsSaved = false
    /// What plays if the settings' sound set can't be read; nil for an error.
    package var fallbackSound: String?
    /// Speaks the texts of a session.
    package var speak: Speaker = { _, _, _ in
      throw InvalidValue("speech", "nobody", allowed: "somebody to speak")
    }
    /// Speaks the texts of the song to begin with, before anything plays. It throws `SpeechTimeout` rather than delay the first
    /// click; `speak` is then asked again while the music plays. nil for `speak`.
    package var speakAtStart: Speaker?
    /// Reads a session document.
    package var readSession: SessionReader = {
      throw InvalidValue("session", quoted($0), allowed: "a document that can be read")
    }
    /// Writes a song's nudge into its document.
    package var writeNudge: NudgeWriter = { path, _ in
      throw InvalidValue("document", quoted(path), allowed: "one that can be written")
    }
    /// Lists the documents that the user can open by name.
    package var listDocuments: DocumentLister = { [] }
    /// Ableton Link; nil if this build has none.
    package var link: (any LinkSession)?
    /// What Tactus listens to.
    package var listening = ListeningSetup.off
    /// The session to begin with, and where.
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
  /// Reads the sound set of the settings, or the one that stands in for it, of which a request tells the user.
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

  /// Reads the sound sets of the settings' layers. A layer whose set can't be read has the metronome's sound, of which a request
  /// tells the user.
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
