import Foundation

/// The kind of the tests' JACK servers: jackd with its dummy driver, or PipeWire without a device.
///
/// A process has one libjack, so all servers of a test run are of one kind: `scripts/on-pipewire` runs the tests with PipeWire's.
public enum ServerKind: Sendable {
  case jackd, pipewire

  public static let current: ServerKind =
    ProcessInfo.processInfo.environment["TACTUS_TEST_SERVER"] == "pipewire" ? .pipewire : .jackd

  /// The command that starts a server with this name, and its environment.
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

  /// Configures PipeWire to listen on the name, with only this rate and quantum; everything else is as installed.
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
