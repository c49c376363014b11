import Engine
import MIDI
import MusicTime

/// What the core wants done. The runner does it at once, in order, before the next input.
enum Effect {
  // The engine.

  /// Gives the engine an update, which the effect owns until then. The scores in it are made for clips of a generation.
  case publish(UnsafePointer<ScoreUpdate>, generation: Int)
  case send(Command)
  /// Sends messages to the port `feedback`.
  case showOnControllers([MIDIMessage])

  // The audio host.

  case startTransport
  case stopTransport
  case locateTransport(to: UInt32)
  /// Has the transport wait for the pre-roll whenever it starts.
  case holdTransport
  case renewHold
  /// Takes a role on the transport, from another leader too.
  case take(SyncMode)
  /// Leads the transport unless another client does. Answered by `lead`.
  case leadIfFree
  /// Publishes a change of the score while the transport stands. Answered if another client leads meanwhile.
  case announceTimebase

  // Ableton Link.

  /// Joins a session. Answered by `link`.
  case joinLink(tempo: Double, playing: LinkStart?)
  case leaveLink
  case setLinkTempo(Double)
  case startLink(LinkStart)
  case stopLink

  // Work that takes long. Its results come back as requests.

  case readSound(SoundLoader.Wish)
  case readLayerSound(LayerSounds.Wish)
  case readSession(SessionOpener.Wish)
  case keepNudge(NudgeWish)
  case listDocuments(@Sendable ([DocumentSummary]) -> Void)
  case prepareSong(SongPlan, sampleRate: Int, VoiceWish, index: Int)
  /// Whatever song is being prepared is not wanted any more.
  case cancelSongs
  indirect case save(Settings)
  /// Waits until what is being saved is on disk, then saves these settings unless they are there already.
  indirect case finishSaving(Settings)

  // Talking.

  case report(Report)
  case refuse(reason: String, @Sendable (String) -> Void)
  indirect case answer(Snapshot, @Sendable (Snapshot) -> Void)
}

/// Who is told why something can't be done.
enum Asker: Sendable {
  /// Nobody waits for an answer.
  case nobody
  /// Whoever sent a request.
  case sender(@Sendable (_ reason: String) -> Void)
  /// The observers, by a warning that begins with a prefix.
  case observers(prefix: String)

  init(_ request: Request) { self = request.refuse.map { .sender($0) } ?? .nobody }
}
