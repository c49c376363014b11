import ArgumentParser
import Doctor
import FoundationEssentials
import Validation

/// `tactus doctor`.
struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Report what makes clicks late or silent on this machine, and how to correct it.",
    discussion: "Ends with code 1 if there is a problem, with 0 if there are at most warnings.")

  @Option(help: "Name of the JACK server to check. Default: $JACK_DEFAULT_SERVER, or 'default'.")
  var server: String?
  @Option(help: "JACK client name of the Tactus to look for.") var name = "tactus"
  @Option(parsing: .unconditional, help: "UDP port for OSC. Default: 9700.", transform: { try readPort($0) })
  var oscPort: UInt16 = 9700
  @Flag(help: "Check the firewall, too, because other machines control Tactus.") var remotes = false
  @Option(
    parsing: .unconditional, help: "Seconds to watch the server for xruns, 0 to 3600. Default: 1.",
    transform: readSeconds)
  var watch = 1
  @Flag(help: "Print one JSON object for each finding.") var json = false

  func run() throws {
    var question = Machine.Question()
    (question.server, question.client, question.oscPort) = (server, name, oscPort)
    (question.expectsRemotes, question.watching) = (remotes, .seconds(watch))
    let findings = Diagnosis(Machine.read(question)).findings
    for finding in findings { print(json ? try line(finding) : text(finding)) }
    if findings.isEmpty, !json { print("healthy: no cause of late or silent clicks found") }
    if findings.contains(where: { $0.severity == .problem }) { throw ExitCode(1) }
  }

  private func text(_ finding: Finding) -> String {
    "\(finding.severity.rawValue): \(printable(finding.text)). Remedy: \(printable(finding.remedy))"
  }

  private func line(_ finding: Finding) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let fields = [
      "severity": finding.severity.rawValue, "subject": finding.subject.rawValue,
      "text": printable(finding.text), "remedy": printable(finding.remedy),
    ]
    return String(decoding: try encoder.encode(fields), as: UTF8.self)
  }
}

@Sendable
private func readSeconds(_ text: String) throws -> Int {
  guard let seconds = Int(text), 0...3_600 ~= seconds else {
    throw InvalidValue("watch", quoted(text), allowed: "0…3600 seconds")
  }
  return seconds
}
