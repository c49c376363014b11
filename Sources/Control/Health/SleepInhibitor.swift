import Glibc
import Realtime
import Synchronization

/// Keeps the machine awake while the music plays: a child process, `systemd-inhibit`, holds a lock against sleep.
///
/// A separate thread starts and ends the child. The child ends with Tactus in any case, because the system signals it (see
/// `ChildProcess`). If the program is missing or not permitted, the machine may sleep as usual, and no warning is reported.
package final class SleepInhibitor: Sendable {
  /// A command that holds a lock until it is ended.
  package static let command = [
    "systemd-inhibit", "--what=idle:sleep", "--who=Tactus", "--why=the click plays", "--mode=block", "sleep",
    "infinity",
  ]

  private let command: [String]
  private let pause: Duration
  private let isPlaying = Atomic<Bool>(false)
  private let isEnding = Atomic<Bool>(false)
  private let wakeup = MonotonicSemaphore()
  private let thread = Mutex<NamedThread?>(nil)

  /// - Parameters:
  ///   - command: a program that holds a lock until it is ended.
  ///   - pause: how long the lock is kept after the music has stopped.
  package init(command: [String] = SleepInhibitor.command, pause: Duration = SleepHold.pause) {
    (self.command, self.pause) = (command, pause)
  }

  /// Receives the reports of the conductor.
  /// - Thread: control
  package func observe(_ report: Report) {
    guard case .changed(_, let new) = report else { return }
    note(isPlaying: new.isPlaying)
  }

  /// Notes whether the music plays.
  /// - Thread: any but audio
  package func note(isPlaying: Bool) {
    if self.isPlaying.exchange(isPlaying, ordering: .acquiringAndReleasing) != isPlaying { wakeup.signal() }
  }

  /// Starts the thread. If that fails, the machine may sleep as usual.
  package func start() {
    thread.withLock { thread in
      thread = try? NamedThread("awake") { [self] in
        run()
      }
    }
  }

  /// Releases the lock and ends the thread.
  package func stop() {
    isEnding.store(true, ordering: .releasing)
    wakeup.signal()
    _ = thread.withLock { $0 }?.hasEnded(within: .seconds(1))
  }

  private func run() {
    var hold = SleepHold(pause: pause)
    var child: ChildProcess?
    while !isEnding.load(ordering: .acquiring) {
      if hold.note(isPlaying: isPlaying.load(ordering: .acquiring), at: .now) {
        if child?.isRunning != true { child = ChildProcess(command, ending: .kill) }
      } else {
        SleepInhibitor.end(&child)
      }
      // The program may have ended together with the service that provides the lock.
      _ = wakeup.wait(until: child == nil ? hold.deadline : min(hold.deadline, .now + .seconds(60)))
    }
    SleepInhibitor.end(&child)
  }

  private static func end(_ child: inout ChildProcess?) {
    guard let ending = child.take() else { return }
    // SIGTERM kills the whole process group.
    ending.signal(SIGTERM)
    _ = ending.wait(for: .milliseconds(500))
  }
}

/// Decides when the machine must stay awake: while the music plays, and for some time afterwards.
package struct SleepHold {
  /// A shorter stop does not mean that the player has left.
  package static let pause = Duration.seconds(30)

  private let pause: Duration
  private var isPlaying = false
  /// When the machine may sleep after the last stop; `never` while the music plays, and before it has played.
  package private(set) var deadline = Instant.never
  private var isHeld = false

  package init(pause: Duration = SleepHold.pause) { self.pause = pause }

  /// Notes whether the music plays.
  /// - Returns: whether the machine must stay awake until the deadline.
  package mutating func note(isPlaying: Bool, at now: Instant) -> Bool {
    if isPlaying {
      (isHeld, deadline) = (true, .never)
    } else if self.isPlaying {
      deadline = now + pause
    }
    self.isPlaying = isPlaying
    if deadline <= now { (isHeld, deadline) = (false, .never) }
    return isHeld
  }
}
