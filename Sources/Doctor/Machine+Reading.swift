import Files
import Glibc
import JACKClient
import Sessions

extension Machine {
  /// The arguments of `Machine.read`.
  package struct Question: Sendable {
    /// The JACK server's name; nil for the default one.
    package var server: String?
    /// The JACK client name of the Tactus to look for.
    package var client = "tactus"
    /// The UDP port for OSC.
    package var oscPort: UInt16 = 9700
    /// Whether other machines should reach Tactus.
    package var expectsRemotes = false
    /// How long the server is watched for xruns.
    package var watching: Duration = .seconds(1)

    package init() {}
  }

  /// Reads the facts about this machine. Blocks while it watches the server, and some seconds longer if the server does not
  /// answer.
  /// - Thread: any but JACK's and the audio thread
  package static func read(_ question: Question) -> Machine {
    var machine = Machine()
    machine.limits = Limits.read()
    machine.user = User.read()
    machine.hasSoundCard = text(of: "/proc/asound/cards")?.contains(" [") ?? false
    machine.midiDevices = midiDevices(text(of: "/proc/asound/seq/clients") ?? "")
    machine.governors = governors()
    machine.grantsAudioGroup = grantsAudioGroup()
    (machine.oscPort, machine.expectsRemotes) = (question.oscPort, question.expectsRemotes)
    machine.isOSCPortTaken = isTaken(port: question.oscPort)
    machine.firewall = firewall()
    machine.hasSpeech = isInstalled("espeak-ng")
    let file = StateFile(client: question.client)
    machine.settingsFolder = Folder.read(Files.folder(of: file.path))
    machine.settingsProblem = file.problem
    machine.freeSharedMemory = freeBytes("/dev/shm") ?? .max
    guard ServerSurvey.opensDatabase() else {
      (machine.server, machine.lockedDatabase) = (nil, "/dev/shm/jack_db-\(geteuid())")
      return machine
    }
    do throws(JACKError) {
      machine.server = try survey(question)
    } catch {
      machine.server = nil
      if case .noServer(nil) = error {} else { machine.serverProblem = "\(error)" }
    }
    return machine
  }

  /// Surveys the server of the question. If the default one does not run, surveys one that a running Tactus has started for itself: that on
  /// which the client of the question plays, if there is one.
  /// - Throws: `JACKError` if there is none, or if it does not answer.
  private static func survey(_ question: Question) throws(JACKError) -> ServerSurvey {
    func survey(_ server: String?) throws(JACKError) -> ServerSurvey {
      try ServerSurvey.take(ofServer: server, lookingFor: question.client, watching: question.watching)
    }
    do throws(JACKError) { return try survey(question.server) } catch {
      guard case .noServer(nil) = error else { throw error }
      var found: ServerSurvey?
      for name in PrivateServer.running where found?.player == nil { found = (try? survey(name)) ?? found }
      guard let found else { throw error }
      return found
    }
  }

  /// The names of the hardware MIDI devices among ALSA's sequencer clients: those with a kernel driver and a number from 16 on.
  static func midiDevices(_ clients: String) -> [String] {
    clients.split(separator: "\n").compactMap { line in
      guard line.hasPrefix("Client "), line.hasSuffix("[Kernel]") || line.contains("[Kernel "),
        let number = Int(line.dropFirst(7).prefix { $0 != ":" }.filter { $0 != " " }), number >= 16
      else { return nil }
      let words = line.split(separator: "\"", omittingEmptySubsequences: false)
      let name = words.dropFirst().first.map(String.init)
      return name == "Midi Through" ? nil : name
    }
  }

  private static func governors() -> Set<String> {
    let folder = "/sys/devices/system/cpu"
    return Set(
      names(inFolder: folder).filter { $0.hasPrefix("cpu") }.compactMap {
        text(of: "\(folder)/\($0)/cpufreq/scaling_governor").map { String($0.prefix { !$0.isNewline }) }
      })
  }

  private static func grantsAudioGroup() -> Bool {
    let folder = "/etc/security/limits.d"
    let files = names(inFolder: folder).map { "\(folder)/\($0)" } + ["/etc/security/limits.conf"]
    return files.contains { grantsRealtime(text(of: $0) ?? "") }
  }

  /// Whether the text of a limits file gives the group `audio` real-time priority.
  static func grantsRealtime(_ limits: String) -> Bool {
    limits.split(separator: "\n").contains { line in
      let words = line.split(whereSeparator: \.isWhitespace)
      return words.count >= 4 && words[0] == "@audio" && words[2] == "rtprio"
    }
  }

  /// Whether a program of this machine uses a UDP port.
  private static func isTaken(port: UInt16) -> Bool {
    let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let code = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
    }
    return code != 0 && errno == EADDRINUSE
  }

  private static func firewall() -> String? {
    if text(of: "/etc/ufw/ufw.conf")?.contains("ENABLED=yes") == true { return "ufw" }
    return fileExists("/run/firewalld") ? "firewalld" : nil
  }

  private static func isInstalled(_ program: String) -> Bool {
    let folders = environmentValue("PATH")?.split(separator: ":") ?? []
    return folders.contains { access("\($0)/\(program)", X_OK) == 0 }
  }

  /// The bytes that this user may still write on the file system of a path; nil if unknown.
  fileprivate static func freeBytes(_ path: String) -> Int? {
    var status = statvfs()
    guard statvfs(path, &status) == 0 else { return nil }
    let (bytes, isTooMuch) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
    return isTooMuch ? .max : Int(clamping: bytes)
  }
}

extension Machine.Limits {
  fileprivate static func read() -> Machine.Limits {
    var limits = Machine.Limits()
    limits.realtimePriority = limit(14) ?? 99
    limits.lockedMemory = limit(8)
    limits.descriptors = limit(7) ?? .max
    return limits
  }

  /// A resource's soft limit; nil for unlimited.
  private static func limit(_ resource: UInt32) -> Int? {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(resource), &limit) == 0, limit.rlim_cur != .max else { return nil }
    return Int(clamping: limit.rlim_cur)
  }
}

extension Machine.User {
  fileprivate static func read() -> Machine.User {
    var user = Machine.User()
    user.isRoot = geteuid() == 0
    user.name = getpwuid(geteuid()).map { String(cString: $0.pointee.pw_name) } ?? "\(geteuid())"
    guard let group = getgrnam("audio") else {
      (user.hasAudioGroup, user.isListedInAudioGroup) = (false, false)
      return user
    }
    let number = group.pointee.gr_gid
    var groups = [gid_t](repeating: 0, count: 1_024)
    let count = Int(getgroups(Int32(groups.count), &groups))
    user.hasAudioGroup = getegid() == number || groups.prefix(max(0, count)).contains(number)
    var (members, index) = (group.pointee.gr_mem, 0)
    var isListed = user.hasAudioGroup
    while let member = members?[index] {
      if String(cString: member) == user.name { isListed = true }
      index += 1
    }
    members = nil
    user.isListedInAudioGroup = isListed
    return user
  }
}

extension Machine.Folder {
  /// Reads the state of a folder. If it does not exist, reads its nearest existing ancestor, where it would be created.
  fileprivate static func read(_ path: String) -> Machine.Folder {
    var folder = Machine.Folder(path: path)
    var existing = path
    while existing.count > 1, !fileExists(existing) {
      existing = Files.folder(of: existing)
    }
    folder.exists = existing == path
    folder.isWritable = access(existing, W_OK | X_OK) == 0
    folder.isReadOnly = !folder.isWritable && errno == EROFS
    folder.free = Machine.freeBytes(existing) ?? .max
    return folder
  }
}
