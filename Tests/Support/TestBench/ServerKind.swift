import Foundation

/// What the tests' JACK servers are: jackd with its dummy driver, or PipeWire with nothing but its own.
///
/// A process has one libjack, so a run of the tests has one kind: `scripts/on-pipewire` runs them with PipeWire's.
public enum ServerKind: Sendable {
  case jackd, pipewire

  public static let current: ServerKind =
    ProcessInfo.processInfo.environment["TACTUS_TEST_SERVER"] == "pipewire" ? .pipewire : .jackd

  /// What starts a server of this name, and the variables that it needs.
  func command(
    _ name: String, _ settings: JACKServer.Settings
  ) throws -> (words: [String], environment: [String: String]) {
    switch self {
    case .jackd:
      let priority = settings.realtime ? ["-R", "-P", "70"] : ["-r"]
      let driver = ["-d", "dummy", "-r", "\(settings.sampleRate)", "-p", "\(settings.period)"]
      return (["jackd", "-n", name] + priority + driver, ["JACK_NO_AUDIO_RESERVATION": "1"])
    case .pipewire:
      return (["pipewire"], ["XDG_CONFIG_HOME": try writeConfiguration(name, settings)])
    }
  }

  /// Has PipeWire listen to the name, at this rate and quantum and no other; else it runs as it is installed.
  private func writeConfiguration(_ name: String, _ settings: JACKServer.Settings) throws -> String {
    guard let home = ProcessInfo.processInfo.environment["PIPEWIRE_RUNTIME_DIR"] else {
      throw BenchError("no PIPEWIRE_RUNTIME_DIR: start the tests with scripts/on-pipewire")
    }
    let folder = "\(home)/\(name).config"
    let fragments = "\(folder)/pipewire/pipewire.conf.d"
    try FileManager.default.createDirectory(atPath: fragments, withIntermediateDirectories: true)
    try """
    context.properties = {
      core.name = \(name)
      default.clock.rate = \(settings.sampleRate)
      default.clock.allowed-rates = [ \(settings.sampleRate) ]
      default.clock.quantum = \(settings.period)
      default.clock.min-quantum = \(settings.period)
      default.clock.max-quantum = \(settings.period)
      vm.overrides = { }
    }
    """.write(toFile: "\(fragments)/tactus.conf", atomically: true, encoding: .utf8)
    return folder
  }
}
