import Control
import Engine
import MusicTime

/// How the MIDI clock is sent, as the state file says it.
struct ClockDocument: Codable {
  var stopped: Bool?
  var offset: PlainNumber?

  init(_ clock: ClockOutput) {
    stopped = clock.runsWhileStopped
    offset = PlainNumber(clock.offset)
  }

  /// - Throws: `InvalidValue` with the first value that can't be.
  func apply(to settings: inout Settings) throws(InvalidValue) {
    if let stopped { try settings.set(.clockRunsWhileStopped(stopped)) }
    if let offset { try settings.set(.clockOffset(ClockOffset(offset.value))) }
  }
}

/// Which notes the click is sent as, as the state file says it.
struct NotesDocument: Codable {
  var accent: Int?
  var beat: Int?
  var subdivision: Int?
  var cue: Int?
  var channel: Int?
  var length: Int?

  init(_ notes: NoteOutput) {
    (accent, beat) = (Int(notes.numbers.accent), Int(notes.numbers.beat))
    (subdivision, cue) = (Int(notes.numbers.subdivision), Int(notes.numbers.cue))
    (channel, length) = (Int(notes.channel), notes.length)
  }

  /// - Throws: `InvalidValue` with the first value that can't be.
  func apply(to settings: inout Settings) throws(InvalidValue) {
    if let accent { try settings.set(.note(.accent, accent)) }
    if let beat { try settings.set(.note(.beat, beat)) }
    if let subdivision { try settings.set(.note(.subdivision, subdivision)) }
    if let cue { try settings.set(.note(.cue, cue)) }
    if let channel { try settings.set(.noteChannel(channel)) }
    if let length { try settings.set(.noteLength(length)) }
  }
}
