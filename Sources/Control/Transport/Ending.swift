import Engine
import MusicTime
import Realtime
import Validation

/// How the music is about to end: by a fade-out, or on the next bar line.
///
/// A fade is no setting: the volume stays as it is set, and the score alone is silent from the fade on. It remains so until the
/// clips that began before have ended, since they would otherwise come back.
struct Ending {
  private enum Fade {
    /// The music stops at that instant.
    case under(until: Instant)
    /// The music has been asked to stop, at that instant.
    case faded(Instant)
    /// The music has stopped.
    case over
  }

  /// How long a transport may take to stop.
  private static let patience = Duration.seconds(1)

  private var fade: Fade?
  /// Whether the music stops on the next bar line.
  private(set) var isAtBar = false
  /// Whether the song is over there.
  private(set) var endsSong = false

  /// Whether the music fades out.
  var isFading: Bool { if case .under = fade { true } else { false } }

  /// Whether the music is about to end.
  var isUnderWay: Bool { isFading || isAtBar }

  /// When the fade-out ends; `never` without one.
  var deadline: Instant { if case .under(let end) = fade { end } else { .never } }

  mutating func beginFade(until end: Instant) { fade = .under(until: end) }

  /// The fade-out has come to its end, and the music is asked to stop.
  mutating func endFade(at now: Instant) { fade = .faded(now) }

  /// - Parameter endsSong: whether the song is over there; else it is stopped, and goes on from there.
  mutating func awaitBar(endsSong: Bool = false) { (isAtBar, self.endsSong) = (true, endsSong) }

  /// No bar line is waited for any more.
  mutating func leaveBar() { isAtBar = false }

  /// Notes whether the music plays.
  mutating func note(isPlaying: Bool, at now: Instant) {
    if !isPlaying {
      isAtBar = false
      if fade != nil { fade = .over }
    } else if case .faded(let time) = fade, now - time >= Ending.patience {
      fade = .over
    }
  }

  /// The music goes on, or what is left of the fade has ended.
  /// - Returns: whether the volume is to come back.
  mutating func cancel() -> Bool {
    isAtBar = false
    return fade.take() != nil
  }

  /// Whether the volume can come back unheard.
  /// - Parameters:
  ///   - isPlaying: whether the music plays.
  ///   - sounding: frames until the last clip has ended.
  func isOver(isPlaying: Bool, sounding: Int) -> Bool {
    guard case .over = fade else { return false }
    return isPlaying || sounding == 0
  }
}

/// How long a fade-out takes.
package enum FadeTime {
  /// Thousandths of a second.
  package static let standard = 5_000
  package static let range = 100...120_000
  package static let allowed = "0.1…120 seconds"

  /// - Throws: `InvalidValue` outside 0.1…120.
  package static func milliseconds(_ seconds: Double) throws(InvalidValue) -> Int {
    let milliseconds = (seconds * 1_000).rounded()
    guard milliseconds.isFinite, Double(range.lowerBound)...Double(range.upperBound) ~= milliseconds else {
      throw InvalidValue("fade", "\(seconds)", allowed: allowed)
    }
    return Int(milliseconds)
  }
}

/// Ends of the music that take their time.
extension ConductorCore {
  /// Fades the mix out and then stops; while it fades out, goes on at its volume. Does nothing if nothing plays.
  /// - Throws: `InvalidValue` in the pause between two songs, in which nothing sounds that could fade.
  func fade(milliseconds: Int, at moment: Moment) throws(InvalidValue) {
    guard transport.isPlaying else { return }
    if ending.isFading { return goOn(at: moment) }
    guard playback?.start == nil else {
      throw InvalidValue(
        sentence:
          "nothing sounds that could fade: the next song is about to start; stop or pause holds it back")
    }
    ending.beginFade(until: moment.instant + .milliseconds(milliseconds))
    scores.fade(over: Double(milliseconds) / 1_000)
  }

  /// Stops, or in a session pauses, on the next bar line. Does nothing if nothing plays.
  /// - Throws: `InvalidValue` in a mode in which others decide when the music stops.
  func stopAtBar(at moment: Moment) throws(InvalidValue) {
    guard transport.isPlaying else { return }
    guard transport.mode.obeysCommands else {
      throw InvalidValue(
        "stop/bar", "in role \(transport.mode.rawValue)", allowed: "asked in role free; stop works here")
    }
    // In the pause between two songs no bar line comes, and in a pre-roll the music has not begun.
    if playback?.start != nil || isPreRoll {
      var atOnce: ScheduledChange?
      return try move(.pause, at: &atOnce, moment)
    }
    ending.awaitBar()
    send(Command(.stopAtBar(pauses: playback != nil)), at: moment)
  }

  /// Ends the song that plays on the next bar line.
  func endSongAtBar(at moment: Moment) {
    ending.awaitBar(endsSong: true)
    send(Command(.stopAtBar(pauses: false)), at: moment)
  }

  /// The engine has stopped on a bar line.
  func noteStopAtBar(_ moment: Moment) {
    // It may have been started again since.
    guard transport.mode.obeysCommands, ending.isAtBar else { return }
    if ending.endsSong { return finish(at: moment.engine.clock, moment) }
    transport.play(false)
    link.note(downbeat: nil)
    playback?.pause()
  }

  /// Stops when a fade-out has come to its end.
  func stopIfFaded(at moment: Moment) {
    guard ending.deadline <= moment.instant else { return }
    ending.endFade(at: moment.instant)
    leaveSong(at: moment)
  }

  /// Takes an end back: the music goes on at its volume, which the engine has before any command that follows.
  func goOn(at moment: Moment) {
    let awaitsBar = ending.isAtBar && transport.isPlaying && transport.mode.obeysCommands
    if ending.cancel() {
      scores.fade(over: nil)
      publish(at: moment)
    }
    // A start, where it plays, has the engine stop at no line.
    if awaitsBar { send(Command(startByHand), at: moment) }
  }

  /// Brings the volume back when the music has ended and nothing of it sounds.
  func followEnding(at moment: Moment) {
    ending.note(isPlaying: transport.isPlaying, at: moment.instant)
    if ending.isOver(isPlaying: transport.isPlaying, sounding: moment.engine.sounding) { goOn(at: moment) }
  }
}
