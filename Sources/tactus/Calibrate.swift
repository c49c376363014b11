import ArgumentParser
import Control
import TimeCheck

/// `tactus calibrate`.
struct Calibrate: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "calibrate",
    abstract: "Measure how late a microphone or trigger hears the click, or how late an e-drum's notes are.",
    discussion: """
      Plays eight clicks at 120 beats a minute, with your sound and volumes. Keep silent, with the microphone where it hears the speaker or a headphone cup.
      The result is saved for this input, the device connected to it, and the server's period.
      For an e-drum's notes run 'tactus calibrate hits' and hit one pad ten times, with a microphone or trigger beside it. Calibrate that microphone or trigger with the click first.
      """)

  @Argument(help: "The input's name, if there are several.") var input = ""
  @OptionGroup(title: "Listening") var listening: ListeningOptions
  @OptionGroup(title: "JACK") var jack: JACKOptions

  func run() throws {
    try CommandError.reported {
      try DescriptorLimit.check()
      let signals = try EndSignals()
      var play = try Play.parse(["--quiet", "--stopped", "--osc-port", "0", "--no-web"])
      (play.jack, play.listening) = (jack, listening)
      let session = try PlaySession(play, signals, calibrating: input)
      try session.run()
      if session.hasFailedToCalibrate { throw ExitCode(CommandError.Code.unavailable.rawValue) }
    }
  }
}
