import ArgumentParser
import OSCControl

/// Prints what the README shows of the code.
struct Reference: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Print the table of OSC addresses, in Markdown.")

  func run() { print(ReferenceTable.markdown) }
}
