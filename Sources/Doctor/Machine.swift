import JACKClient

/// The facts about a machine and a user that `Diagnosis` judges. A plain value, so that tests can state any machine.
package struct Machine: Equatable, Sendable {
  /// A limit of the system for this process.
  package struct Limits: Equatable, Sendable {
    /// The highest real-time priority, 0 to 99 (`ulimit -r`).
    package var realtimePriority = 95
    /// Bytes that may be locked in memory (`ulimit -l`); nil if unlimited.
    package var lockedMemory: Int?
    /// Files that may be open (`ulimit -n`).
    package var descriptors = 1_024

    package init() {}
  }

  /// Who runs Tactus.
  package struct User: Equatable, Sendable {
    package var name = "user"
    package var isRoot = false
    /// Whether this login session has the group `audio`.
    package var hasAudioGroup = true
    /// Whether the account has the group `audio`. The session gets it at the next login.
    package var isListedInAudioGroup = true

    package init() {}
  }

  /// A folder in which Tactus keeps something.
  package struct Folder: Equatable, Sendable {
    package var path: String
    package var isWritable = true
    /// Free bytes for this user.
    package var free = 1 << 30

    package init(path: String) { self.path = path }
  }

  package var limits = Limits()
  package var user = User()
  /// nil if no server runs.
  package var server: ServerSurvey? = ServerSurvey()
  /// libjack's database of metadata, if it is locked, so that no client opens; nil otherwise.
  package var lockedDatabase: String?
  /// Why no server could be asked, if one seems to run; nil otherwise.
  package var serverProblem: String?
  /// Whether ALSA has a sound card.
  package var hasSoundCard = true
  /// Names of MIDI devices that ALSA has.
  package var midiDevices: [String] = []
  /// The frequency governors of the processors, each once; empty if the system has none.
  package var governors: Set<String> = ["performance"]
  /// Whether files under /etc/security/limits.d grant the group `audio` real-time priority.
  package var grantsAudioGroup = true
  /// The UDP port for OSC.
  package var oscPort: UInt16 = 9700
  /// Whether a Tactus or another program has the port already.
  package var isOSCPortTaken = false
  /// The firewall that is switched on, such as `ufw`; nil for none that is known.
  package var firewall: String?
  /// Whether Tactus is to be reached from other machines.
  package var expectsRemotes = false
  package var hasSpeech = true
  package var settingsFolder = Folder(path: "/home/user/.local/state/tactus")
  /// Why the saved settings can't be read; nil if they can, or if there are none.
  package var settingsProblem: String?
  /// Free bytes in /dev/shm, through which JACK's clients and servers speak.
  package var freeSharedMemory = 1 << 30

  package init() {}
}
