import ArgumentParser
import Control
import TimeCheck

/// `tactus calibrate`.
struct Calibrate: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Measure how late a microphone or trigger hears the click, or a pad's notes come.",
    discussion: """
      Plays eight clicks at 120 beats a minute, with your sound and volumes. Keep silent, with the microphone where it hears the speaker or a headphone cup.
      What is measured is kept for this input, the device behind it, and the server's period.
      For an e-drum's notes say 'tactus calibrate hits', and hit one pad ten times, with the microphone (or a trigger) beside it. Calibrate that by the click first.
      """)

  @Argument(help: "The input's name, if there are several.") var input = ""
  @OptionGroup(title: "Listening") var listening: ListeningOptions
  @OptionGroup(title: "JACK") var jack: JACKOptions

  func run() throws {
    try CommandError.reported {
      try DescriptorLimit.check()
      let signals = try EndSignals()
      var play = try Play.parse(["--plain", "--stopped", "--osc-port", "0", "--no-web"])
      (play.jack, play.listening) = (jack, listening)
      let session = try PlaySession(play, signals, calibrating: input)
      try session.run()
      if session.hasFailedToCalibrate { throw ExitCode(CommandError.Code.unavailable.rawValue) }
    }
  }
}
