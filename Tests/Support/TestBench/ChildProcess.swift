import Glibc
import Synchronization

/// How a process ended.
public enum ExitStatus: Sendable, Equatable {
  case exited(Int32)
  case signalled(Int32)
}

/// A child process. Signals and waits never reach another process that has reused its id.
final class ChildProcess: Sendable {
  let pid: pid_t
  /// Posted when the process has ended, and by the readers of its output.
  let changed = Event()
  private let status = Mutex<ExitStatus?>(nil)

  /// Starts `command`. The kernel sends it `deathSignal` if this process dies first.
  ///
  /// `files` are its standard input, output and error; the caller closes them.
  init(_ command: [String], environment: [String: String], files: [Int32], deathSignal: String) throws {
    let bound = ["setpriv", "--pdeathsig", deathSignal, "--"] + command
    pid = try Spawner.shared.spawn(bound, environment: environment, files: files)
    startThread { [self] in reap() }
  }

  var exitStatus: ExitStatus? { status.withLock { $0 } }

  func signal(_ number: Int32) {
    status.withLock { if $0 == nil { _ = kill(pid, number) } }
  }

  /// Kills the process and its process group.
  func killGroup() {
    status.withLock { if $0 == nil { _ = kill(-pid, SIGKILL) } }
  }

  func waitForExit(until deadline: Deadline) -> ExitStatus? {
    changed.wait(until: deadline) { exitStatus }
  }

  /// Waits without reaping first, so that `signal` can rely on the id while `status` is nil.
  private func reap() {
    var information = siginfo_t()
    while waitid(P_PID, id_t(pid), &information, WEXITED | WNOWAIT) != 0 && errno == EINTR {}
    status.withLock {
      var raw: Int32 = 0
      while waitpid(pid, &raw, 0) < 0 && errno == EINTR {}
      $0 = raw & 0x7f == 0 ? .exited((raw >> 8) & 0xff) : .signalled(raw & 0x7f)
    }
    changed.post()
  }
}
