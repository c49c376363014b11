import Engine
import MIDI
import MusicTime

/// An action that the core requests. The `CoreRunner` carries it out at once, in order, before the next input.
enum Effect {
  // The engine.

  /// Hands an update to the engine. Until then the effect owns the update. Its scores are made for the clips of `generation`.
  case publish(UnsafePointer<ScoreUpdate>, generation: Int)
  case send(Command)
  /// Sends messages to the port `feedback`.
  case showOnControllers([MIDIMessage])

  // The audio host.

  case startTransport
  case stopTransport
  case locateTransport(to: UInt32)
  /// Makes the transport wait for the pre-roll whenever it starts.
  case holdTransport
  /// Makes the waiting transport wait longer.
  case renewHold
  /// Takes a role on the transport, even if another client leads.
  case take(SyncMode)
  /// Leads the transport unless another client does. The answer is `lead`.
  case leadIfFree
  /// Announces a changed score while the transport is stopped. If another client leads meanwhile, the answer is
  /// `isLedByAnother`.
  case announceTimebase

  // Ableton Link.

  /// Joins a session. The answer is `link`.
  case joinLink(tempo: Double, playing: LinkStart?)
  case leaveLink
  case setLinkTempo(Double)
  case startLink(LinkStart)
  case stopLink

  // Slow work. Results come back as requests.

  case readSound(SoundLoader.Job)
  case readLayerSound(LayerSounds.Job)
  case readSession(SessionOpener.Job)
  case keepNudge(NudgeJob)
  /// Warns if nothing can be spoken with a voice.
  case tryVoice(VoiceSettings)
  case listDocuments(@Sendable ([DocumentSummary]) -> Void)
  case prepareSong(SongPlan, sampleRate: Int, VoicePreferences, index: Int)
  /// Drops all songs that are being prepared.
  case cancelSongs
  indirect case save(Settings)
  /// Waits until the current save is on disk, then saves these settings unless they are on disk already.
  indirect case finishSaving(Settings)

  // Reports and answers.

  case report(Report)
  /// Gives a text to the sender of a request.
  case reply(String, @Sendable (String) -> Void)
  indirect case answer(Snapshot, @Sendable (Snapshot) -> Void)
}

/// The receiver of the reason if an update is refused.
enum Requester: Sendable {
  /// No one waits for an answer.
  case nobody
  /// The sender of a request.
  case sender(@Sendable (_ reason: String) -> Void)
  /// The user's own terminal, which may see the text of a guarded error.
  case terminal(@Sendable (_ reason: String) -> Void)
  /// The observers, through a warning that begins with `prefix`.
  case observers(prefix: String)

  init(_ request: Request) {
    self = request.refuse.map { request.isOfTerminal ? .terminal($0) : .sender($0) } ?? .nobody
  }
}
