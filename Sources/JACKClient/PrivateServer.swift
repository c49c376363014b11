import CJack
import Foundation
import Synchronization

/// A JACK server of Tactus's own, for where none runs: ALSA where there is a card, else the dummy driver.
///
/// It ends with Tactus, however that ends.
public final class PrivateServer: Sendable {
  public let name: String
  /// What it plays through, for people.
  public let driver: String

  private let arguments: [String]
  private let process = Mutex<pid_t?>(nil)
  private let revivals = Mutex(Backoff())

  public static let sampleRate = 48_000
  public static let period = 256

  public init() {
    name = "tactus-\(getpid())"
    let hasCard =
      (try? String(contentsOfFile: "/proc/asound/cards", encoding: .utf8))?.contains(" [") ?? false
    driver = hasCard ? "ALSA" : "dummy driver (no sound card)"
    let backend = hasCard ? ["-d", "alsa", "-n", "2"] : ["-d", "dummy"]
    arguments =
      ["-n", name, PrivateServer.mayRunRealtime ? "-R" : "-r"] + backend
      + ["-r", "\(PrivateServer.sampleRate)", "-p", "\(PrivateServer.period)"]
  }

  /// Starts it and waits until it takes clients.
  /// - Throws: `JACKError` where it doesn't within ten seconds.
  public func start() throws(JACKError) {
    guard launch() else {
      throw .refused("jackd can't be started: install jackd2, or start a server yourself")
    }
    let deadline = DispatchTime.now() + .seconds(10)
    while (try? JACKHost.sampleRate(ofServer: name)) == nil {
      guard isRunning, DispatchTime.now() < deadline else {
        stop()
        throw .refused(failure)
      }
      usleep(20_000)
    }
  }

  /// Starts it again where it has ended; where it ends each time, less and less often.
  /// - Returns: what is wrong, when it has ended for the second time in a row.
  public func revive() -> String? {
    guard !isRunning else { return nil }
    let now = Int(DispatchTime.now().uptimeNanoseconds / 1_000_000)
    let failures = revivals.withLock { $0.takeTurn(now: now) ? $0.failures : nil }
    guard let failures else { return nil }
    _ = launch()
    return failures == 1 ? failure : nil
  }

  private var failure: String {
    "a private jackd (\(driver)) doesn't start: try `jackd \(arguments.joined(separator: " "))`"
  }

  /// Ends it: asks, waits up to two seconds, insists.
  public func stop() {
    process.withLock { process in
      guard let child = process else { return }
      process = nil
      kill(child, SIGTERM)
      for _ in 0..<100 {
        if waitpid(child, nil, WNOHANG) != 0 { return }
        usleep(20_000)
      }
      kill(child, SIGKILL)
      waitpid(child, nil, 0)
    }
  }

  private var isRunning: Bool {
    process.withLock { process in
      guard let child = process else { return false }
      guard waitpid(child, nil, WNOHANG) == 0 else {
        process = nil
        return false
      }
      return true
    }
  }

  private func launch() -> Bool {
    process.withLock { process in
      // `setpriv` has the kernel end the server should Tactus be killed. In a process group of its own it
      // doesn't get the terminal's Ctrl-C, so that the clicks can end first.
      process = spawn(["setpriv", "--pdeathsig", "TERM", "jackd"] + arguments)
      return process != nil
    }
  }

  private static var mayRunRealtime: Bool {
    var limit = rlimit()
    return geteuid() == 0 || (getrlimit(__rlimit_resource_t(14), &limit) == 0 && limit.rlim_cur > 0)
  }
}

/// Starts a program with nothing on its standard streams, in a process group of its own.
private func spawn(_ arguments: [String]) -> pid_t? {
  var attributes = posix_spawnattr_t()
  posix_spawnattr_init(&attributes)
  defer { posix_spawnattr_destroy(&attributes) }
  posix_spawnattr_setflags(
    &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
  posix_spawnattr_setpgroup(&attributes, 0)
  var defaults = sigset_t()
  sigfillset(&defaults)
  posix_spawnattr_setsigdefault(&attributes, &defaults)
  var blocked = sigset_t()
  sigemptyset(&blocked)
  posix_spawnattr_setsigmask(&attributes, &blocked)

  var actions = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&actions)
  defer { posix_spawn_file_actions_destroy(&actions) }
  for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
    posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
  }

  var words = arguments.map { strdup($0) } + [nil]
  defer { for word in words { free(word) } }
  var child: pid_t = 0
  return posix_spawnp(&child, arguments[0], &actions, &attributes, &words, environ) == 0 ? child : nil
}
