import ControlBench
import Glibc
import Realtime
import Testing

@testable import Control

@Suite struct SleepInhibitorTests {
  /// A hold that notes what a test asks of it.
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

  /// The lock's holder, which writes its number into a pipe; nil if none comes within ten seconds.
  private func holder(_ pipe: Int32) -> pid_t? {
    var poll = pollfd(fd: pipe, events: Int16(POLLIN), revents: 0)
    guard Glibc.poll(&poll, 1, 10_000) == 1 else { return nil }
    var text = [UInt8](repeating: 0, count: 32)
    let count = read(pipe, &text, text.count)
    return pid_t(String(decoding: text.prefix(max(count, 0)), as: UTF8.self).filter(\.isNumber))
  }

  /// Whether a process runs. One that has ended and that nobody has waited for does not.
  private func runs(_ process: pid_t) -> Bool {
    let file = open("/proc/\(process)/stat", O_RDONLY)
    guard file >= 0 else { return false }
    defer { close(file) }
    var text = [UInt8](repeating: 0, count: 256)
    let count = read(file, &text, text.count)
    let fields = String(decoding: text.prefix(max(count, 0)), as: UTF8.self).split(separator: ") ")
    return fields.count > 1 && fields[1].first != "Z"
  }

  /// Whether a process ends within ten seconds.
  private func ends(_ process: pid_t) -> Bool {
    let limit = Instant.now + .seconds(10)
    while runs(process) {
      guard Instant.now < limit else { return false }
      usleep(5_000)
    }
    return true
  }

  @Test func `The lock's holder is started with the music, ends after it, and with Tactus`() throws {
    let path = "/tmp/tactus-awake-\(getpid())"
    try #require(mkfifo(path, 0o600) == 0)
    defer { unlink(path) }
    let pipe = open(path, O_RDWR | O_CLOEXEC)
    defer { close(pipe) }
    let inhibitor = SleepInhibitor(
      command: ["sh", "-c", "echo $$ > \(path); exec sleep 1000"], pause: .zero)
    inhibitor.start()
    inhibitor.note(isPlaying: true)
    inhibitor.note(isPlaying: true)
    let first = try #require(holder(pipe))
    #expect(runs(first))
    inhibitor.note(isPlaying: false)
    #expect(ends(first))
    inhibitor.note(isPlaying: true)
    let second = try #require(holder(pipe))
    #expect(second != first)
    inhibitor.stop()
    #expect(ends(second))
  }

  @Test func `Where no such program exists, nothing happens`() {
    let inhibitor = SleepInhibitor(command: ["/nonexistent/inhibit"], pause: .zero)
    inhibitor.start()
    inhibitor.note(isPlaying: true)
    inhibitor.note(isPlaying: false)
    inhibitor.stop()
  }

  @Test func `Reports tell it whether the music plays`() throws {
    let path = "/tmp/tactus-awake-reports-\(getpid())"
    try #require(mkfifo(path, 0o600) == 0)
    defer { unlink(path) }
    let pipe = open(path, O_RDWR | O_CLOEXEC)
    defer { close(pipe) }
    let inhibitor = SleepInhibitor(
      command: ["sh", "-c", "echo $$ > \(path); exec sleep 1000"], pause: .seconds(100))
    inhibitor.start()
    let rig = try Rig()
    rig.conductor.observe { inhibitor.observe($0) }
    rig.ask(.start)
    let process = try #require(holder(pipe))
    inhibitor.stop()
    #expect(ends(process))
  }
}
