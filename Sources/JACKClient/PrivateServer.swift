import CJack
import Dispatch
import Files
import Glibc
import Realtime
import Synchronization

/// A private JACK server, used if no server runs: ALSA if there is a sound card, otherwise the dummy driver.
///
/// It ends with Tactus, even if Tactus is killed.
package final class PrivateServer: Sendable {
  /// The server's name, for `JACK_DEFAULT_SERVER`.
  package let name: String
  /// The driver's name, for messages.
  package var driver: String { isHeard ? "ALSA" : "dummy driver" }
  /// Whether there is a sound card.
  package let isHeard: Bool

  /// How the names of private servers begin; the process's ID follows.
  private static let prefix = "tactus-"

  /// The names of the private servers of this user that run.
  package static var running: [String] { ServerArrival.servers().filter(isPrivate).sorted() }

  /// Whether a server's name is that of a private one.
  static func isPrivate(_ name: String) -> Bool {
    name.hasPrefix(prefix) && Int(name.dropFirst(prefix.count)) != nil
  }

  private let arguments: [String]
  private let process = Mutex<ChildProcess?>(nil)
  private let revivals = Mutex(Backoff())
  private let arrival = Mutex(ServerArrival())

  /// Frames per second.
  package static let sampleRate = 48_000
  /// Frames per period.
  package static let period = 256

  package init() {
    name = "\(PrivateServer.prefix)\(getpid())"
    isHeard = text(of: "/proc/asound/cards")?.contains(" [") ?? false
    let backend = isHeard ? ["-d", "alsa", "-n", "2"] : ["-d", "dummy"]
    arguments =
      ["-n", name, PrivateServer.mayRunRealtime ? "-R" : "-r"] + backend
      + ["-r", "\(PrivateServer.sampleRate)", "-p", "\(PrivateServer.period)"]
  }

  /// Starts the server and opens the first client.
  /// - Parameter client: the client's name.
  /// - Throws: `JACKError` after ten seconds without success.
  package func start(openingClient client: String) throws(JACKError) -> OpenClient {
    guard launch() else {
      throw .refused("jackd can't be started: install jackd2, or start a server yourself")
    }
    let deadline = DispatchTime.now() + .seconds(10)
    while true {
      if let opened = try? OpenClient.open(name: client, server: name) { return opened }
      guard isRunning, DispatchTime.now() < deadline else {
        stop()
        throw .refused(failure)
      }
      usleep(20_000)
    }
  }

  /// Restarts the server if it has ended, with increasing delays if it keeps failing.
  /// - Returns: an error message when it has ended twice in a row, otherwise nil.
  package func revive() -> String? {
    guard !isRunning else { return nil }
    let failures = revivals.withLock { $0.takeTurn(now: milliseconds) ? $0.failures : nil }
    guard let failures else { return nil }
    _ = launch()
    return failures == 1 ? failure : nil
  }

  /// Whether the standard server, which this one replaces, has started; true once.
  package func noticesStandardServer() -> Bool {
    arrival.withLock { arrival in
      arrival.isNoticed(now: milliseconds) { ServerArrival.servers().contains(JACKHost.standardServerName) }
    }
  }

  /// Milliseconds of a monotonic clock.
  private var milliseconds: Int { Int(DispatchTime.now().uptimeNanoseconds / 1_000_000) }

  private var failure: String {
    "a private jackd (\(driver)) doesn't start: try `jackd \(arguments.joined(separator: " "))`"
  }

  /// Stops the server with SIGTERM, then SIGKILL.
  /// - Parameter patience: the time between both signals.
  package func stop(within patience: Duration = .seconds(2)) {
    guard let child = process.withLock({ $0.take() }) else { return }
    child.signal(SIGTERM)
    if child.wait(for: patience) != nil { return }
    child.signal(SIGKILL)
    _ = child.wait(for: .milliseconds(100))
  }

  private var isRunning: Bool { process.withLock { $0?.isRunning } ?? false }

  private func launch() -> Bool {
    process.withLock { process in
      process = ChildProcess(["jackd"] + arguments, ending: .term)
      return process != nil
    }
  }

  private static var mayRunRealtime: Bool {
    var limit = rlimit()
    return geteuid() == 0
      || (getrlimit(__rlimit_resource_t(__RLIMIT_RTPRIO.rawValue), &limit) == 0 && limit.rlim_cur > 0)
  }
}
