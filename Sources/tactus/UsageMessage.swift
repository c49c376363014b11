import ArgumentParser
import Validation

/// The message for arguments that can't be used: one sentence, and a line that says where help is.
struct UsageMessage: CustomStringConvertible {
  let description: String

  /// - Parameter message: the parser's message, which also contains the option's help and the usage.
  init(_ message: String) {
    let lines = message.split(separator: "\n", omittingEmptySubsequences: false)
    let sentence = lines.prefix { !$0.hasPrefix("Help:") && !$0.hasPrefix("Usage:") }
    let advice = lines.last { $0.hasPrefix("  See '") }.map { String($0.drop { $0 == " " }) } ?? ""
    let shortened = UsageMessage.withoutRepetition(sentence.joined(separator: "\n"))
    let suggesting = UsageMessage.suggesting(UsageMessage.options(ofCommand: advice), in: shortened)
    description = advice.isEmpty ? suggesting : "\(suggesting)\n\(advice)"
  }

  /// Tactus's errors contain a name and the value. The parser's sentence before them also does, so only the option is kept:
  /// `--meter 0/4: must be …`.
  private static func withoutRepetition(_ sentence: String) -> String {
    guard let start = sentence.firstRange(of: "The value '"),
      let middle = sentence.firstRange(of: "' is invalid for '"), start.lowerBound < middle.lowerBound,
      let end = sentence[middle.upperBound...].firstRange(of: "': ")
    else { return sentence }
    let option = sentence[middle.upperBound..<end.lowerBound].prefix { $0 != " " }
    let reason = sentence[end.upperBound...]
    // The name is the option's, or its last word, as `volume` for `--accent-volume`.
    let words = option.split(separator: "-")
    let names = [words.joined(separator: " "), String(words.last ?? "")].map { "\($0) " }
    let name = names.first { reason.hasPrefix($0) }
    return sentence[..<start.lowerBound]
      + (name.map { "\(option) \(reason.dropFirst($0.count))" } ?? "\(option): \(reason)")
  }

  /// The parser suggests options that have little in common with an unknown one: suggests only similar ones.
  private static func suggesting(_ options: [String], in sentence: String) -> String {
    guard let start = sentence.firstRange(of: "Unknown option '--"),
      let end = sentence[start.upperBound...].firstIndex(of: "'")
    else { return sentence }
    let near = Spelling.similar(to: String(sentence[start.upperBound..<end]), among: options)
    return sentence[...end] + (near.map { ". Did you mean '--\($0)'?" } ?? "")
  }

  /// The long options of a command, without their dashes.
  /// - Parameter advice: the parser's advice on help, which contains the command's words: `See 'tactus log list --help' …`.
  private static func options(ofCommand advice: String) -> [String] {
    var command: any ParsableCommand.Type = Tactus.self
    for word in advice.split(separator: " ").dropFirst(2) {
      let next = command.configuration.subcommands.first { $0.configuration.commandName == String(word) }
      guard let next else { break }
      command = next
    }
    let help = Tactus.helpMessage(for: command, columns: 200)
    return help.split(separator: "\n").flatMap { line in
      line.split(separator: " ").prefix { $0.hasPrefix("-") || $0.hasPrefix("<") }
        .filter { $0.hasPrefix("--") }.map { String($0.dropFirst(2).prefix { $0 != "," && $0 != "=" }) }
    }
  }
}
