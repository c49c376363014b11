import ArgumentParser
import OSCControl

/// Prints the table of OSC addresses in docs/osc.md.
struct Reference: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Print the table of OSC addresses, in Markdown.")

  func run() { print(ReferenceTable.markdown()) }
}
