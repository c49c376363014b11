import Glibc
import Synchronization

/// The only thread that starts child processes.
///
/// The kernel sends a child's parent-death signal when the *thread* that started it ends, and idle threads of Swift's pool end.
/// This thread lives as long as the process.
final class Spawner: Sendable {
  static let shared = Spawner()

  private let jobs = Mutex<[@Sendable () -> Void]>([])
  private let wakeUp = Event()

  private init() {
    startThread { [self] in work() }
  }

  /// Starts a program and returns its process id. `files` are its standard input, output and error.
  func spawn(_ command: [String], environment: [String: String], files: [Int32]) throws -> pid_t {
    let result = SpawnResult()
    let done = Event()
    jobs.withLock {
      $0.append {
        result.value.withLock { $0 = posixSpawn(command, environment: environment, files: files) }
        done.post()
      }
    }
    wakeUp.post()
    guard let outcome = done.wait(until: .within(.seconds(10)), for: { result.value.withLock { $0 } }) else {
      throw BenchError("\(command[0]): could not be started within 10 s")
    }
    guard outcome.failure == 0 else {
      throw BenchError("\(command[0]): \(String(cString: strerror(outcome.failure)))")
    }
    return outcome.pid
  }

  private func work() {
    while true {
      wakeUp.wait(until: .within(.seconds(3600)))
      for job in jobs.withLock({ jobs in
        defer { jobs.removeAll() }
        return jobs
      }) { job() }
    }
  }
}

private final class SpawnResult: Sendable {
  let value = Mutex<(pid: pid_t, failure: Int32)?>(nil)
}

/// Starts `command` in its own process group, with no signal blocked or ignored.
private func posixSpawn(
  _ command: [String], environment: [String: String], files: [Int32]
) -> (pid: pid_t, failure: Int32) {
  var attributes = posix_spawnattr_t()
  posix_spawnattr_init(&attributes)
  defer { posix_spawnattr_destroy(&attributes) }
  var none = sigset_t()
  var all = sigset_t()
  sigemptyset(&none)
  sigfillset(&all)
  posix_spawnattr_setsigmask(&attributes, &none)
  posix_spawnattr_setsigdefault(&attributes, &all)
  posix_spawnattr_setpgroup(&attributes, 0)
  let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP
  posix_spawnattr_setflags(&attributes, Int16(flags))

  var actions = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&actions)
  defer { posix_spawn_file_actions_destroy(&actions) }
  for (target, file) in files.enumerated() {
    posix_spawn_file_actions_adddup2(&actions, file, Int32(target))
  }

  var arguments = command.map { strdup($0) } + [nil]
  var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
  defer { for string in arguments + variables { free(string) } }
  var pid: pid_t = 0
  let failure = posix_spawnp(&pid, command[0], &actions, &attributes, &arguments, &variables)
  return (pid, failure)
}
