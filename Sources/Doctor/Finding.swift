/// A fault of a machine that makes clicks late, silent or lost, and its remedy.
package struct Finding: Equatable, Sendable {
  package enum Severity: String, Sendable {
    /// Clicks are late, silent or lost, or settings can't be saved.
    case problem
    /// A feature is missing, or a problem is likely.
    case warning
  }

  /// What was checked. The raw values are stable: other programs may compare them.
  package enum Subject: String, CaseIterable, Sendable {
    case realtime, memory, descriptors
    case sharedMemory = "shared-memory"
    case server, database, period, xruns, outputs, midi, governor
    case soundCard = "sound-card"
    case oscPort = "osc-port"
    case firewall, speech, disk, settings
  }

  package let severity: Severity
  package let subject: Subject
  /// One sentence without a full stop.
  package let text: String
  /// A shell command, or an instruction of one line.
  package let remedy: String

  init(_ severity: Severity, _ subject: Subject, _ text: String, remedy: String) {
    (self.severity, self.subject, self.text, self.remedy) = (severity, subject, text, remedy)
  }
}
