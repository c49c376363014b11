import JACKClient

/// The facts about a machine and a user that `Diagnosis` judges. A plain value, so that tests can state any machine.
package struct Machine: Equatable, Sendable {
  /// The system's limits for this process.
  package struct Limits: Equatable, Sendable {
    /// The highest real-time priority, 0 to 99 (`ulimit -r`).
    package var realtimePriority = 95
    /// Bytes that may be locked in memory (`ulimit -l`); nil if unlimited.
    package var lockedMemory: Int?
    /// File descriptors that may be open (`ulimit -n`).
    package var descriptors = 1_024

    package init() {}
  }

  /// The user who runs Tactus.
  package struct User: Equatable, Sendable {
    package var name = "user"
    package var isRoot = false
    /// Whether this login session has the group `audio`.
    package var hasAudioGroup = true
    /// Whether the account has the group `audio`. The session gets it at the next login.
    package var isListedInAudioGroup = true

    package init() {}
  }

  /// A folder in which Tactus stores files.
  package struct Folder: Equatable, Sendable {
    package var path: String
    package var exists = true
    /// Whether this user may create files in it, or may create it.
    package var isWritable = true
    /// Whether its file system is read-only, so that nobody may.
    package var isReadOnly = false
    /// Bytes that this user may still write on its file system.
    package var free = 1 << 30

    package init(path: String) { self.path = path }
  }

  package var limits = Limits()
  package var user = User()
  /// nil if no server runs.
  package var server: ServerSurvey? = ServerSurvey()
  /// The path of libjack's metadata database if it is locked, so that no client can open; otherwise nil.
  package var lockedDatabase: String?
  /// Why a server that seems to run could not be queried; otherwise nil.
  package var serverProblem: String?
  /// Whether ALSA lists a sound card.
  package var hasSoundCard = true
  /// Names of the hardware MIDI devices that ALSA lists.
  package var midiDevices: [String] = []
  /// The frequency governors of the processors, each once; empty if the system has none.
  package var governors: Set<String> = ["performance"]
  /// Whether files in /etc/security/limits.d, or limits.conf, grant the group `audio` real-time priority.
  package var grantsAudioGroup = true
  /// The UDP port for OSC.
  package var oscPort: UInt16 = 9700
  /// Whether a program, such as a running Tactus, uses that port.
  package var isOSCPortTaken = false
  /// The name of the active firewall, `ufw` or `firewalld`; nil if neither is active.
  package var firewall: String?
  /// Whether other machines should reach Tactus.
  package var expectsRemotes = false
  /// Whether espeak-ng is installed.
  package var hasSpeech = true
  /// The folder of the state file.
  package var settingsFolder = Folder(path: "/home/user/.local/state/tactus")
  /// Why the saved settings can't be read; nil if they can, or if there are none.
  package var settingsProblem: String?
  /// Free bytes in /dev/shm, which JACK's clients and servers use to communicate.
  package var freeSharedMemory = 1 << 30

  package init() {}
}
