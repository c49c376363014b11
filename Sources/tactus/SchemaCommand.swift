import ArgumentParser
import Sessions
import Sound

/// Prints the JSON Schema of session documents.
struct SchemaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema",
    abstract: "Print the JSON Schema of session documents, for editors that complete and check them.")

  func run() throws { print(try DocumentSchema.json(sounds: SoundSource.names)) }
}
