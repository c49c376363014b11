/// Something about this machine that makes clicks late, silent or lost, and the command that mends it.
package struct Finding: Equatable, Sendable {
  /// How much it matters.
  package enum Severity: String, Sendable {
    /// Clicks are late, silent or lost, or settings can't be saved.
    case problem
    /// A feature is missing, or trouble is likely.
    case warning
  }

  /// What was looked at. The names are stable: programs may compare them.
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
  /// A command, or an instruction of one line.
  package let remedy: String

  init(_ severity: Severity, _ subject: Subject, _ text: String, remedy: String) {
    (self.severity, self.subject, self.text, self.remedy) = (severity, subject, text, remedy)
  }
}
