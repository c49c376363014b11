import ArgumentParser
import Glibc

@main
struct Tactus: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tactus",
    abstract: "A metronome and click server for JACK, exact to the frame.",
    discussion: "Without a subcommand it plays.",
    version: "0.1.0",
    subcommands: [Play.self, Render.self, Check.self, Import.self, Cadence.self, Reference.self],
    defaultSubcommand: Play.self)

  static func main() {
    // What is closed among standard input, output and error leads nowhere, not to the next file or socket that is opened.
    var file: Int32
    repeat { file = open("/dev/null", O_RDWR) } while 0...2 ~= file
    close(file)
    main(nil)
  }
}
