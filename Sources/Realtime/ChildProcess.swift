import Glibc
import Synchronization

/// A child process in its own process group, so that the terminal's Ctrl-C does not reach it.
///
/// It does not outlive this process. The system signals it when the thread that started it ends (`setpriv` requests this),
/// so that thread must live as long as the child is needed. `exit` and `endAll` also end the child's own children. With
/// `Ending.kill` these end with this process in any case, since a shell that waits for the child kills the whole group.
///
/// - Thread: any but audio
package final class ChildProcess: Sendable {
  /// The signal that ends the child: SIGTERM or SIGKILL.
  package enum Ending: Sendable {
    case term
    case kill

    fileprivate var signal: Int32 { self == .term ? SIGTERM : SIGKILL }
  }

  /// How the child ended.
  package enum Status: Sendable, Equatable {
    case exited(Int32)
    case signalled(Int32)
  }

  private enum Life {
    case running(pid_t)
    case ended(Status)
  }

  private let life: Mutex<Life>
  private let number: pid_t

  private static let running = Mutex<[pid_t: Ending]>([:])
  /// Evaluated once, when the first child starts.
  private static let endsAllAtExit: Void = { _ = atexit { ChildProcess.endAll() } }()

  /// Runs a command, and kills its own process group, itself included, on SIGTERM. The command's standard input is passed
  /// through descriptor 3, because a shell gives `/dev/null` to background commands.
  private static let watch =
    "exec 3<&0 </dev/null; trap 'kill -s KILL 0' TERM; \"$@\" <&3 3<&- & exec 3<&-; wait $!"

  /// Starts a program found in PATH. Its standard error is discarded.
  /// - Parameters:
  ///   - ending: the signal that the child receives when this process ends.
  ///   - input: a descriptor for its standard input; nil for none.
  ///   - output: a descriptor for its standard output; nil for none.
  /// - Returns: nil if no process can be started. If the program does not exist, the child exits with status 127.
  package init?(_ command: [String], ending: Ending, input: Int32? = nil, output: Int32? = nil) {
    _ = ChildProcess.endsAllAtExit
    let watch = ending == .kill ? ["sh", "-c", ChildProcess.watch, "sh"] : []
    let words = ["setpriv", "--pdeathsig", "TERM"] + watch + command
    guard let number = spawn(words, [input, output, nil]) else { return nil }
    self.number = number
    life = Mutex(.running(number))
    ChildProcess.running.withLock { $0[number] = ending }
  }

  /// Whether the child has not ended yet.
  package var isRunning: Bool { status == nil }

  /// The exit status; nil while it runs.
  package var status: Status? {
    life.withLock { life in
      guard case .running(let number) = life else {
        if case .ended(let status) = life { return status }
        return nil
      }
      var code: Int32 = 0
      let result = waitpid(number, &code, WNOHANG)
      // ECHILD: another thread has reaped it, or SIGCHLD is ignored.
      let isOver = result == number || (result < 0 && errno == ECHILD)
      guard isOver else { return nil }
      ChildProcess.running.withLock { _ = $0.removeValue(forKey: number) }
      let signal = code & 0x7F
      let status = signal == 0 ? Status.exited(code >> 8 & 0xFF) : .signalled(signal)
      life = .ended(status)
      return status
    }
  }

  /// Sends a signal to the process group, unless the child has ended.
  package func signal(_ number: Int32) {
    life.withLock { if case .running(let group) = $0 { _ = killpg(group, number) } }
  }

  /// Waits until the child ends, at most for `patience`.
  /// - Returns: the exit status; nil if it still runs.
  package func wait(for patience: Duration) -> Status? {
    let deadline = ContinuousClock.now + patience
    while true {
      if let status { return status }
      guard ContinuousClock.now < deadline else { return nil }
      usleep(2_000)
    }
  }

  /// Ends all children and their process groups.
  package static func endAll() {
    running.withLock { for (group, ending) in $0 { _ = killpg(group, ending.signal) } }
  }
}

/// Starts a program in its own process group, with all signals unblocked and at their defaults.
/// - Parameter files: its standard input, output and error; nil for `/dev/null`.
private func spawn(_ arguments: [String], _ files: [Int32?]) -> pid_t? {
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
  for (target, file) in files.enumerated() {
    if let file {
      posix_spawn_file_actions_adddup2(&actions, file, Int32(target))
    } else {
      posix_spawn_file_actions_addopen(&actions, Int32(target), "/dev/null", O_RDWR, 0)
    }
  }

  var words = arguments.map { strdup($0) } + [nil]
  defer { for word in words { free(word) } }
  var child: pid_t = 0
  return posix_spawnp(&child, arguments[0], &actions, &attributes, &words, environ) == 0 ? child : nil
}
