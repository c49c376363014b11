import ArgumentParser
import Files
import OSCControl

/// Prints the table of OSC addresses in docs/osc.md, or writes the layouts in remotes.
struct Reference: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reference",
    abstract: "Print the table of OSC addresses, in Markdown, or write the layouts for OSC apps.")

  @Option(help: ArgumentHelp("Write the layouts into a folder instead.", valueName: "folder"))
  var layouts: String?

  func run() throws {
    guard let layouts else { return print(ReferenceTable.markdown()) }
    for (name, bytes) in ReadyMadeLayouts.files {
      try WholeFile.write(bytes, to: "\(layouts)/\(name)")
    }
  }
}
