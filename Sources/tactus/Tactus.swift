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
    // If standard input, output or error is closed, open /dev/null instead: otherwise the next opened file would get its
    // number.
    var file: Int32
    repeat { file = open("/dev/null", O_RDWR) } while 0...2 ~= file
    close(file)
    // If a file grows beyond `ulimit -f`, let `write` fail, so that it is reported, instead of ending the process.
    signal(SIGXFSZ, SIG_IGN)
    // Swift's runtime would first write a backtrace, which takes seconds without sound.
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

  /// The typed command. `play` is parsed alone first, because that takes half the time. If that fails, everything is parsed,
  /// because then the messages show the usage.
  private static func parsed() throws -> any ParsableCommand {
    let words = Array(CommandLine.arguments.dropFirst())
    if words.first ?? "play" == "play", let play = try? Play.parse(Array(words.dropFirst())) { return play }
    do { return try parseAsRoot() } catch { throw misplacedCommand(in: words) ?? error }
  }

  /// The error for options before their command, as in `tactus --quiet play FILE`; nil if that is not what is wrong.
  private static func misplacedCommand(in words: [String]) -> (any Error)? {
    guard words.first?.hasPrefix("-") == true, let index = words.firstIndex(where: isCommand) else {
      return nil
    }
    var ordered = words
    let command = ordered.remove(at: index)
    guard (try? parseAsRoot([command] + ordered)) != nil else { return nil }
    return ValidationError("options come after the command: tactus \(command) \(words[0]) …")
  }

  /// Whether a word is the name of a command.
  static func isCommand(_ word: String) -> Bool {
    configuration.subcommands.contains { $0.configuration.commandName == word }
  }

  /// Prints help to standard output and errors to standard error. Errors quote arguments, so these are made printable: they may
  /// be names of other people's files.
  private static func report(_ error: any Error) {
    let message = fullMessage(for: error)
    if exitCode(for: error).isSuccess {
      print(message)
    } else {
      // A message about `--option=value` may quote only the value.
      let values = CommandLine.arguments.compactMap {
        $0.split(separator: "=", maxSplits: 1).last.map(String.init)
      }
      let quoted = (CommandLine.arguments + values).filter { !$0.isEmpty }
      let shown = quoted.reduce(message) { $0.replacing($1, with: printable($1)) }
      StandardError.write("\(UsageMessage(shown))")
    }
  }

  /// Writes buffered output. Reports an error, for example a full disk.
  /// - Returns: false if some output could not be written.
  private static func finishOutput() -> Bool {
    guard fflush(nil) != 0 else { return true }
    StandardError.write("Error: output: \(String(cString: strerror(errno)))")
    return false
  }
}
