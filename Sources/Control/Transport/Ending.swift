import Engine
import MusicTime
import Realtime
import Validation

/// How the music is about to end: by a fade-out, or at the next bar line.
///
/// A fade-out does not change the volume setting; only the score becomes silent. It stays silent until the clips that began
/// before have ended, because they would otherwise become audible again.
struct Ending {
  private enum Fade {
    /// The music stops at this instant.
    case under(until: Instant)
    /// The music was asked to stop at this instant.
    case faded(Instant)
    /// The music has stopped.
    case over
  }

  /// How long a transport may take to stop.
  private static let patience = Duration.seconds(1)

  private var fade: Fade?
  /// Whether the music stops at the next bar line.
  private(set) var isAtBar = false
  /// Whether the song ends there, as after its last section.
  private var endsSong = false

  /// Whether the music is fading out.
  var isFading: Bool { if case .under = fade { true } else { false } }

  /// Whether a fade-out or a stop at a bar line is under way, after which no other song follows automatically.
  var isUnderWay: Bool { isFading || isAtBar && !endsSong }

  /// When the fade-out ends; `never` if there is none.
  var deadline: Instant { if case .under(let end) = fade { end } else { .never } }

  mutating func beginFade(until end: Instant) { fade = .under(until: end) }

  /// Notes that the fade-out has ended and the music was asked to stop.
  mutating func endFade(at now: Instant) { fade = .faded(now) }

  /// - Parameter endsSong: whether the song ends there; otherwise it is stopped, and continues from there.
  mutating func awaitBar(endsSong: Bool = false) { (isAtBar, self.endsSong) = (true, endsSong) }

  /// Cancels the stop at a bar line.
  mutating func leaveBar() { isAtBar = false }

  /// Updates the state with whether the music plays.
  mutating func note(isPlaying: Bool, at now: Instant) {
    if !isPlaying {
      isAtBar = false
      if fade != nil { fade = .over }
    } else if case .faded(let time) = fade, now - time >= Ending.patience {
      fade = .over
    }
  }

  /// Cancels the ending, because the music continues or has ended.
  /// - Returns: whether the volume must be restored.
  mutating func cancel() -> Bool {
    isAtBar = false
    return fade.take() != nil
  }

  /// Whether the volume can be restored inaudibly.
  /// - Parameters:
  ///   - isPlaying: whether the music plays.
  ///   - sounding: frames until the last clip ends.
  func isOver(isPlaying: Bool, sounding: Int) -> Bool {
    guard case .over = fade else { return false }
    return isPlaying || sounding == 0
  }
}

/// The length of a fade-out.
package enum FadeTime {
  /// In milliseconds.
  package static let standard = 5_000
  package static let range = 100...120_000
  package static let allowed = "0.1…120 seconds"

  /// Converts seconds to milliseconds.
  /// - Throws: `InvalidValue` outside 0.1…120 seconds.
  package static func milliseconds(_ seconds: Double) throws(InvalidValue) -> Int {
    let milliseconds = (seconds * 1_000).rounded()
    guard milliseconds.isFinite, Double(range.lowerBound)...Double(range.upperBound) ~= milliseconds else {
      throw InvalidValue("fade", "\(seconds)", allowed: allowed)
    }
    return Int(milliseconds)
  }
}

/// Fade-outs, and stops at bar lines.
extension ConductorCore {
  /// Fades the mix out and then stops. During a fade-out, cancels it. Does nothing while nothing plays.
  /// - Throws: `InvalidValue` in the pause between two songs, where there is nothing to fade.
  mutating func fade(milliseconds: Int, at moment: Moment) throws(InvalidValue) {
    guard transport.isPlaying else { return }
    if ending.isFading { return cancelEnding(at: moment) }
    guard playback?.start == nil else {
      throw InvalidValue(
        sentence:
          "nothing sounds that could fade: the next song is about to start; stop or pause holds it back")
    }
    ending.beginFade(until: moment.instant + .milliseconds(milliseconds))
    scores.fade(over: Double(milliseconds) / 1_000)
  }

  /// Stops at the next bar line; a session pauses there. Does nothing while nothing plays.
  /// - Throws: `InvalidValue` outside role `free`, where others decide when the music stops.
  mutating func stopAtBar(at moment: Moment) throws(InvalidValue) {
    guard transport.isPlaying else { return }
    guard transport.mode.obeysCommands else {
      throw InvalidValue(
        "stop/bar", "in role \(transport.mode.rawValue)", allowed: "asked in role free; stop works here")
    }
    // In the pause between two songs no bar line comes. In a pre-roll the engine stops at once.
    if playback?.start != nil {
      var atOnce: ScheduledChange?
      return try move(.pause, at: &atOnce, moment)
    }
    ending.awaitBar()
    send(Command(.stopAtBar(pauses: playback != nil)), at: moment)
  }

  /// Ends the current song at the next bar line. What follows is as after its last section. In role `free` only.
  mutating func endSongAtBar(at moment: Moment) {
    ending.awaitBar(endsSong: true)
    send(Command(.endAtBar), at: moment)
  }

  /// Handles that the engine has stopped at a bar line.
  mutating func noteStopAtBar(_ moment: Moment) {
    // The music may have been started again since.
    guard transport.mode.obeysCommands, ending.isAtBar else { return }
    transport.play(false)
    link.note(downbeat: nil)
    playback?.pause()
  }

  /// Stops the music when its fade-out has ended.
  mutating func stopIfFaded(at moment: Moment) {
    guard ending.deadline <= moment.instant else { return }
    ending.endFade(at: moment.instant)
    leaveSong(at: moment)
  }

  /// Cancels the ending: the music continues at its volume, which the engine receives before all later commands.
  mutating func cancelEnding(at moment: Moment) {
    let awaitsBar = ending.isAtBar && transport.isPlaying && transport.mode.obeysCommands
    if ending.cancel() {
      scores.fade(over: nil)
      publish(at: moment)
    }
    // A start during the music cancels the engine's stop at a bar line.
    if awaitsBar { send(Command(startByHand), at: moment) }
  }

  /// Restores the volume when the music has ended and nothing sounds any more.
  mutating func followEnding(at moment: Moment) {
    ending.note(isPlaying: transport.isPlaying, at: moment.instant)
    if ending.isOver(isPlaying: transport.isPlaying, sounding: moment.engine.sounding) {
      cancelEnding(at: moment)
    }
  }
}
