import JACKClient
import Testing

@testable import Doctor

struct DiagnosisTests {
  /// A fault of a machine, and the expected finding.
  struct Fault: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let subject: Finding.Subject
    let severity: Finding.Severity
    /// A part of the command that corrects it.
    let remedy: String
    let plant: @Sendable (inout Machine) -> Void

    init(
      _ name: String, _ subject: Finding.Subject, _ remedy: String, _ severity: Finding.Severity = .problem,
      plant: @escaping @Sendable (inout Machine) -> Void
    ) {
      (testDescription, self.subject, self.severity, self.remedy) = (name, subject, severity, remedy)
      self.plant = plant
    }
  }

  static let faults = [
    Fault("no limits for the group audio", .realtime, "dpkg-reconfigure") {
      $0.limits.realtimePriority = 0
      $0.grantsAudioGroup = false
    },
    Fault("not in the group audio", .realtime, "usermod -aG audio ann") {
      $0.limits.realtimePriority = 0
      $0.user.name = "ann"
      ($0.user.hasAudioGroup, $0.user.isListedInAudioGroup) = (false, false)
    },
    Fault("in the group audio since the login", .realtime, "log out") {
      $0.limits.realtimePriority = 0
      $0.user.hasAudioGroup = false
    },
    Fault("little memory to lock", .memory, "memlock unlimited", .warning) {
      $0.limits.lockedMemory = 64 << 10
    },
    Fault("few files", .descriptors, "ulimit -n") { $0.limits.descriptors = 64 },
    Fault("a full /dev/shm", .sharedMemory, "/dev/shm") { $0.freeSharedMemory = 4_096 },
    Fault("no server", .server, "qjackctl", .warning) { $0.server = nil },
    Fault("a private server", .server, "JACK_DEFAULT_SERVER=tactus-1234", .warning) {
      $0.server?.name = "tactus-1234"
    },
    Fault("a database that was left locked", .database, "rm -r /dev/shm/jack_db-1000") {
      ($0.server, $0.lockedDatabase) = (nil, "/dev/shm/jack_db-1000")
    },
    Fault("a server without real-time priority", .realtime, "-R") { $0.server?.isRealtime = false },
    Fault("a long period", .period, "-p 256", .warning) { $0.server?.period = 2_048 },
    Fault("a large quantum", .period, "clock.force-quantum", .warning) {
      $0.server?.period = 8_192
      $0.server?.isPipeWire = true
    },
    Fault("xruns", .xruns, "512 frames") {
      $0.server?.xruns = 3
      $0.server?.period = 512
    },
    Fault("nothing connected", .outputs, "jack_connect stage:out") {
      $0.server?.player = ServerSurvey.Player(client: "stage", outputs: 0)
    },
    Fault("a dummy driver", .outputs, "-d alsa") { $0.server?.playbackPorts = 0 },
    Fault("no sound card", .soundCard, "/proc/asound/cards") { $0.hasSoundCard = false },
    Fault("the governor powersave", .governor, "performance", .warning) { $0.governors = ["powersave"] },
    Fault("no bridge for MIDI", .midi, "a2jmidid", .warning) { $0.midiDevices = ["nanoKONTROL2"] },
    Fault("a port that is taken", .oscPort, "--osc-port") { $0.isOSCPortTaken = true },
    Fault("a firewall", .firewall, "ufw allow 9700", .warning) {
      $0.firewall = "ufw"
      $0.expectsRemotes = true
    },
    Fault("no voice", .speech, "apt install espeak-ng", .warning) { $0.hasSpeech = false },
    Fault("a full disk", .disk, "df -h") { $0.settingsFolder.free = 4_096 },
    Fault("a folder of somebody else's", .settings, "chown") { $0.settingsFolder.isWritable = false },
    Fault("a folder that can't be created", .settings, "let user create it") {
      ($0.settingsFolder.isWritable, $0.settingsFolder.exists) = (false, false)
    },
    Fault("a read-only file system", .settings, "XDG_STATE_HOME") {
      ($0.settingsFolder.isWritable, $0.settingsFolder.isReadOnly) = (false, true)
    },
    Fault("damaged settings", .settings, "--fresh", .warning) {
      $0.settingsProblem = "tactus.yaml: line 1: is no mapping"
    },
  ]

  @Test func aHealthyMachineHasNoFindings() { #expect(Diagnosis(Machine()).findings == []) }

  @Test(arguments: faults) func `Each single fault is found with its remedy`(_ fault: Fault) throws {
    var machine = Machine()
    fault.plant(&machine)
    let findings = Diagnosis(machine).findings
    #expect(findings.count == 1)
    let finding = try #require(findings.first)
    #expect(finding.subject == fault.subject)
    #expect(finding.severity == fault.severity)
    #expect(finding.remedy.contains(fault.remedy))
  }

  @Test func allFaultsAreFoundTogetherAndProblemsComeFirst() {
    var machine = Machine()
    let others: [Finding.Subject] = [.server, .database]
    for fault in DiagnosisTests.faults where !others.contains(fault.subject) { fault.plant(&machine) }
    let findings = Diagnosis(machine).findings
    #expect(findings.count >= 12)
    let severities = findings.map(\.severity)
    #expect(severities == severities.filter { $0 == .problem } + severities.filter { $0 == .warning })
  }

  /// Root needs no limits, and Tactus's own port is no fault.
  @Test func `Conditions that are no faults cause no findings`() {
    var machine = Machine()
    machine.user.isRoot = true
    machine.limits.realtimePriority = 0
    machine.limits.lockedMemory = 64 << 10
    machine.isOSCPortTaken = true
    machine.server?.player = ServerSurvey.Player(client: "tactus", outputs: 2)
    machine.firewall = "ufw"
    #expect(Diagnosis(machine).findings == [])
  }
}

struct MachineReadingTests {
  @Test func midiDevicesAreThoseWithDrivers() {
    let clients = """
      Client info
        cur  clients : 3

      Client   0 : "System" [Kernel Legacy]
        Port   0 : "Timer" (Rwe-)
      Client  14 : "Midi Through" [Kernel Legacy]
      Client  20 : "nanoKONTROL2" [Kernel Legacy]
        Port   0 : "nanoKONTROL2 MIDI 1" (RWeX)
      Client 128 : "a program" [User Legacy]
      """
    #expect(Machine.midiDevices(clients) == ["nanoKONTROL2"])
  }

  @Test func limitsFilesAreRead() {
    #expect(Machine.grantsRealtime("# none\n@audio   -  rtprio     95\n"))
    #expect(!Machine.grantsRealtime("#@audio   -  rtprio     95\n@audio - memlock unlimited\n"))
  }
}
