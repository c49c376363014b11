import Realtime
import Synchronization

/// Keeps the machine awake while the music plays: a child process, `systemd-inhibit`, holds a lock against sleep.
///
/// The child is started and ended on a thread of its own. It ends with Tactus however that ends, as the system signals it then
/// (see `ChildProcess`). Where there is no such program, or it may not, the machine sleeps as ever, and nobody is bothered.
package final class SleepInhibitor: Sendable {
  /// Holds a lock until it is ended.
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
  ///   - pause: how long the lock outlasts the music.
  package init(command: [String] = SleepInhibitor.command, pause: Duration = SleepHold.pause) {
    (self.command, self.pause) = (command, pause)
  }

  /// An observer of the conductor.
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

  /// Starts the thread. Without one the machine sleeps as ever.
  package func start() {
    thread.withLock { thread in
      thread = try? NamedThread("awake") { [self] in
        run()
      }
    }
  }

  /// Gives the lock back, and ends the thread.
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
      // Whoever holds the lock may have ended, with the service that gives it.
      _ = wakeup.wait(until: child == nil ? hold.deadline : min(hold.deadline, .now + .seconds(60)))
    }
    SleepInhibitor.end(&child)
  }

  private static func end(_ child: inout ChildProcess?) {
    guard let ending = child.take() else { return }
    // SIGTERM has the whole group killed.
    ending.signal(15)
    _ = ending.wait(for: .milliseconds(500))
  }
}

/// When the machine is to stay awake: while the music plays, and for some time after that.
package struct SleepHold {
  /// A player who stops for less is not gone.
  package static let pause = Duration.seconds(30)

  private let pause: Duration
  private var isPlaying = false
  /// When the machine may sleep after the last stop; `never` while the music plays, and before it ever did.
  package private(set) var deadline = Instant.never
  private var isHeld = false

  package init(pause: Duration = SleepHold.pause) { self.pause = pause }

  /// Notes whether the music plays.
  /// - Returns: whether the machine is to stay awake until the deadline.
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
