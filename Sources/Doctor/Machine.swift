import JACKClient

/// The facts about a machine and a user that `Diagnosis` judges. A plain value, so that tests can state any machine.
public struct Machine: Equatable, Sendable {
  /// A limit of the system for this process.
  public struct Limits: Equatable, Sendable {
    /// The highest real-time priority, 0 to 99 (`ulimit -r`).
    public var realtimePriority = 95
    /// Bytes that may be locked in memory (`ulimit -l`); nil if unlimited.
    public var lockedMemory: Int?
    /// Files that may be open (`ulimit -n`).
    public var descriptors = 1_024

    public init() {}
  }

  /// Who runs Tactus.
  public struct User: Equatable, Sendable {
    public var name = "user"
    public var isRoot = false
    /// Whether this login session has the group `audio`.
    public var hasAudioGroup = true
    /// Whether the account has the group `audio`. The session gets it at the next login.
    public var isListedInAudioGroup = true

    public init() {}
  }

  /// A folder in which Tactus keeps something.
  public struct Folder: Equatable, Sendable {
    public var path: String
    public var isWritable = true
    /// Free bytes for this user.
    public var free = 1 << 30

    public init(path: String) { self.path = path }
  }

  public var limits = Limits()
  public var user = User()
  /// nil if no server runs.
  public var server: ServerSurvey? = ServerSurvey()
  /// Why no server could be asked, if one seems to run; nil otherwise.
  public var serverProblem: String?
  /// Whether ALSA has a sound card.
  public var hasSoundCard = true
  /// Names of MIDI devices that ALSA has.
  public var midiDevices: [String] = []
  /// The frequency governors of the processors, each once; empty if the system has none.
  public var governors: Set<String> = ["performance"]
  /// Whether files under /etc/security/limits.d grant the group `audio` real-time priority.
  public var grantsAudioGroup = true
  /// The UDP port for OSC.
  public var oscPort: UInt16 = 9700
  /// Whether a Tactus or another program has the port already.
  public var isOSCPortTaken = false
  /// The firewall that is switched on, such as `ufw`; nil for none that is known.
  public var firewall: String?
  /// Whether Tactus is to be reached from other machines.
  public var expectsRemotes = false
  public var hasSpeech = true
  public var settingsFolder = Folder(path: "/home/user/.local/state/tactus")
  /// Why the saved settings can't be read; nil if they can, or if there are none.
  public var settingsProblem: String?
  /// Free bytes in /dev/shm, through which JACK's clients and servers speak.
  public var freeSharedMemory = 1 << 30

  public init() {}
}
