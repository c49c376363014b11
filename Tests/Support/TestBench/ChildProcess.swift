import Glibc
import Synchronization

/// How a process ended.
public enum ExitStatus: Sendable, Equatable {
  case exited(Int32)
  case signalled(Int32)
}

/// A child process that can be signalled and waited for without ever hitting a process id that was reused.
final class ChildProcess: Sendable {
  let pid: pid_t
  /// Posted when the process has ended, and by whoever reads what it prints.
  let changed = Event()
  private let status = Mutex<ExitStatus?>(nil)

  /// Starts `command`; it is sent `deathSignal` should this process die first.
  ///
  /// `files` are its standard input, output and error, and stay the caller's to close.
  init(_ command: [String], environment: [String: String], files: [Int32], deathSignal: String) throws {
    let bound = ["setpriv", "--pdeathsig", deathSignal, "--"] + command
    pid = try Spawner.shared.spawn(bound, environment: environment, files: files)
    startThread { [self] in reap() }
  }

  var exitStatus: ExitStatus? { status.withLock { $0 } }

  func signal(_ number: Int32) {
    status.withLock { if $0 == nil { _ = kill(pid, number) } }
  }

  /// Ends the process and what it started in its process group, at once.
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
