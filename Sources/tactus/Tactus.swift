import ArgumentParser

@main
struct Tactus: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tactus",
    abstract: "A metronome and click server for JACK, exact to the frame.",
    discussion: "Without a subcommand it plays.",
    version: "0.1.0",
    subcommands: [Play.self, Render.self, Check.self, Import.self, Cadence.self, Reference.self],
    defaultSubcommand: Play.self)
}
