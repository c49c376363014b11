import Files

/// Protects the files that a command reads from those that it writes.
enum OutputCheck {
  /// Checks that no output replaces an input, under whatever path or link.
  /// - Parameters:
  ///   - outputs: the paths of files that need not exist.
  ///   - inputs: the paths of the files that the command reads.
  /// - Throws: `CommandError`.
  static func check(_ outputs: [String], reading inputs: [String]) throws {
    var read: [FileIdentity: String] = [:]
    for input in inputs {
      if let file = FileIdentity(input) { read[file] = input }
    }
    for output in outputs {
      guard let file = FileIdentity(output), let input = read[file] else { continue }
      throw CommandError(
        "output \(output): must be another file, because \(input == output ? "it" : input) is read",
        code: .usage)
    }
  }
}
