import ArgumentParser
import Glibc
import JACKClient
import Validation

@main
struct Tactus: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tactus",
    abstract: "A metronome and click server for JACK, exact to the frame.",
    discussion: "Without a subcommand it plays.",
    version: ProgramVersion.text,
    subcommands: [
      Play.self, Render.self, Calibrate.self, LogCommand.self, ReportCommand.self,
      ListCommand.self, Check.self, Import.self, Cadence.self,
      DoctorCommand.self, RemoteCommand.self, SchemaCommand.self, Reference.self,
    ],
    defaultSubcommand: Play.self)

  static func main() {
    JACKHost.skipExitHandlers()
    StackLimit.check()
    // If standard input, output or error is closed, open /dev/null in its place: the next opened file would take its number.
    var file: Int32
    repeat { file = open("/dev/null", O_RDWR) } while 0...2 ~= file
    close(file)
    // A file that grows beyond `ulimit -f` is an error of `write`, which is told; by default it ends the process.
    signal(SIGXFSZ, SIG_IGN)
    // Swift's runtime would write a backtrace first, for seconds without a sound.
    signal(SIGQUIT, SIG_DFL)
    var end: any Error = ExitCode.success
    do {
      var command = try parsed()
      try command.run()
    } catch {
      report(error)
      end = error
    }
    let (isWritten, code) = (finishOutput(), exitCode(for: end))
    exit(withError: code.isSuccess && !isWritten ? ExitCode(CommandError.Code.cannotCreate.rawValue) : code)
  }

  /// The command that was typed. To parse one by itself takes half the time, which counts where it is to play. What it refuses is
  /// parsed as a whole, whose messages show how to type it.
  private static func parsed() throws -> any ParsableCommand {
    let words = CommandLine.arguments.dropFirst()
    if words.first ?? "play" == "play", let play = try? Play.parse(Array(words.dropFirst())) { return play }
    return try parseAsRoot()
  }

  /// Prints help to standard output and errors to standard error. Errors quote arguments, which may be names of other
  /// people's files.
  private static func report(_ error: any Error) {
    let message = withoutRepetition(fullMessage(for: error))
    if exitCode(for: error).isSuccess {
      print(message)
    } else {
      // Of `--option=value` a message may quote the value alone.
      let values = CommandLine.arguments.compactMap {
        $0.split(separator: "=", maxSplits: 1).last.map(String.init)
      }
      let quoted = (CommandLine.arguments + values).filter { !$0.isEmpty }
      StandardError.write(quoted.reduce(message) { $0.replacing($1, with: printable($1)) })
    }
  }

  /// Our errors name the value: the parser's sentence before them, which does so too, is cut down to the option.
  private static func withoutRepetition(_ message: String) -> String {
    guard let start = message.firstRange(of: "The value '"),
      let middle = message.firstRange(of: "' is invalid for '"), start.lowerBound < middle.lowerBound,
      let end = message[middle.upperBound...].firstRange(of: "': ")
    else { return message }
    let option = message[middle.upperBound..<end.lowerBound].prefix { $0 != " " }
    return message[..<start.lowerBound] + "\(option): " + message[end.upperBound...]
  }

  /// Writes what was printed and is still buffered.
  /// - Returns: false if some of it could not be written, as on a full disk. That is told.
  private static func finishOutput() -> Bool {
    guard fflush(nil) != 0 else { return true }
    StandardError.write("Error: output: \(String(cString: strerror(errno)))")
    return false
  }
}
