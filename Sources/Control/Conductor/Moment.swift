import Engine
import MusicTime
import Realtime

/// An instant, and the values that the `CoreRunner` has read at it. Equal inputs at equal moments have equal effects.
struct Moment {
  let instant: Instant
  /// The host's clock; nil without a server.
  var clock: HostClock?
  /// Xruns that the host has reported since the start.
  var xruns = 0
  var engine = EngineReading()
  /// The state of the Ableton Link session; nil without Link.
  var link: LinkState?
  /// Number of OSC answers since the start that were not sent.
  var droppedAnswers = 0
}

/// The engine's latest values in its channels.
struct EngineReading {
  /// The first clock frame that is not rendered yet.
  var clock: ClockFrame = 0
  /// The number of the last change that the engine has applied.
  var changes = 0
  /// The number of successors that have begun.
  var successions = 0
  /// The clock frame of the period in which the next event is due; `never` if none is.
  var nextEvent = ClockFrame.never
  /// Whether the engine reports forecast beats.
  var needsForecast = false
  /// Frames from the score's start to the music's position; in a loop, within the current lap.
  var scoreFrame: Int64 = 0
  /// The transport frame that follows the last period; only in modes that use the transport.
  var transportFrame: Int64 = 0
  /// Whether the music of a received MIDI clock is rolling.
  var isMIDIClockRolling = false
  /// The oldest generation of clips that the engine may still read.
  var oldestClips = 0
  /// Frames until the last sounding clip and the last note end.
  var sounding = 0

  // Counts since the start: see `Health`.
  var gaps = 0
  var droppedClips = 0
  var droppedEvents = 0
  var droppedCommands = 0
  var droppedControls = 0
}
