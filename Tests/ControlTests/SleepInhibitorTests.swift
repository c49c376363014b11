import ControlBench
import Glibc
import Realtime
import Testing

@testable import Control

@Suite struct SleepInhibitorTests {
  /// A hold that records its calls.
  private final class Noted {
    private var hold = SleepHold()
    var deadline: Instant { hold.deadline }

    func note(isPlaying: Bool, at now: Instant) -> Bool { hold.note(isPlaying: isPlaying, at: now) }
  }

  private func second(_ seconds: UInt64) -> Instant {
    Instant(nanoseconds: (1_000 + seconds) * 1_000_000_000)
  }

  @Test func `The machine is awake while the music plays, and half a minute longer`() {
    let hold = Noted()
    #expect(!hold.note(isPlaying: false, at: second(0)))
    #expect(hold.deadline == .never)
    #expect(hold.note(isPlaying: true, at: second(1)))
    #expect(hold.deadline == .never)
    #expect(hold.note(isPlaying: true, at: second(5_000)))
    #expect(hold.note(isPlaying: false, at: second(6_000)))
    #expect(hold.deadline == second(6_030))
    #expect(hold.note(isPlaying: false, at: second(6_029)))
    #expect(!hold.note(isPlaying: false, at: second(6_030)))
    #expect(hold.deadline == .never)
  }

  @Test func `A song that begins within that time keeps it awake`() {
    let hold = Noted()
    _ = hold.note(isPlaying: true, at: second(0))
    _ = hold.note(isPlaying: false, at: second(10))
    #expect(hold.note(isPlaying: true, at: second(35)))
    #expect(hold.deadline == .never)
    #expect(hold.note(isPlaying: true, at: second(100)))
    // The time counts from the last stop.
    _ = hold.note(isPlaying: false, at: second(100))
    #expect(hold.deadline == second(130))
  }

  /// A pipe into which the lock's holder writes its process id, and which it keeps open until it ends.
  private final class HoldersPipe {
    /// Milliseconds after which a wait in vain fails instead of hanging.
    private static let patience: Int32 = 300_000

    private let path: String
    private var descriptor: Int32 = -1
    let command: [String]

    init(_ name: String) throws {
      let path = "/tmp/tactus-awake-\(name)-\(getpid())"
      self.path = path
      command = ["sh", "-c", "exec 3>\(path); echo $$ >&3; exec sleep 1000"]
      try #require(mkfifo(path, 0o600) == 0)
    }

    deinit {
      close(descriptor)
      unlink(path)
    }

    /// Starts a holder, and waits for its process id; nil if none comes.
    func holder(_ start: () -> Void) -> pid_t? {
      // Opening the pipe again discards the hang-up of the previous holder.
      close(descriptor)
      descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
      start()
      guard wait(for: POLLIN, HoldersPipe.patience) else { return nil }
      var text = [UInt8](repeating: 0, count: 32)
      let count = read(descriptor, &text, text.count)
      return pid_t(String(decoding: text.prefix(max(count, 0)), as: UTF8.self).filter(\.isNumber))
    }

    /// Whether the holder has ended.
    var hasEnded: Bool { wait(for: POLLHUP, 0) }

    /// Waits until the holder has ended.
    func ends() -> Bool { wait(for: POLLHUP, HoldersPipe.patience) }

    private func wait(for event: Int32, _ milliseconds: Int32) -> Bool {
      // POLLHUP is reported even if it was not requested.
      var poll = pollfd(fd: descriptor, events: Int16(event), revents: 0)
      return Glibc.poll(&poll, 1, milliseconds) == 1 && poll.revents & Int16(event) != 0
    }
  }

  @Test func `The lock's holder is started with the music, ends after it, and with Tactus`() throws {
    let pipe = try HoldersPipe("music")
    let inhibitor = SleepInhibitor(command: pipe.command, pause: .zero)
    inhibitor.start()
    let first = pipe.holder {
      inhibitor.note(isPlaying: true)
      inhibitor.note(isPlaying: true)
    }
    try #require(first != nil)
    #expect(!pipe.hasEnded)
    inhibitor.note(isPlaying: false)
    try #require(pipe.ends())
    let second = pipe.holder { inhibitor.note(isPlaying: true) }
    try #require(second != nil)
    #expect(second != first)
    inhibitor.stop()
    #expect(pipe.ends())
  }

  @Test func `Without the program nothing happens`() {
    let inhibitor = SleepInhibitor(command: ["/nonexistent/inhibit"], pause: .zero)
    inhibitor.start()
    inhibitor.note(isPlaying: true)
    inhibitor.note(isPlaying: false)
    inhibitor.stop()
  }

  @Test func `The lock follows the reports of playing`() throws {
    let pipe = try HoldersPipe("reports")
    let inhibitor = SleepInhibitor(command: pipe.command, pause: .seconds(100))
    inhibitor.start()
    let rig = try Rig()
    rig.conductor.observe { inhibitor.observe($0) }
    let holder = pipe.holder { rig.ask(.start) }
    try #require(holder != nil)
    inhibitor.stop()
    #expect(pipe.ends())
  }
}
