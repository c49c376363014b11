import Glibc
import Realtime
import Synchronization
import Testing

@Suite struct NamedThreadTests {
  private final class Log: Sendable {
    let lines = Mutex<[String]>([])

    func add(_ line: String) { lines.withLock { $0.append(line) } }
  }

  /// Logs the thread on which it is freed.
  private final class Held: Sendable {
    let log: Log

    init(_ log: Log) { self.log = log }

    deinit { log.add("freed on \(currentName())") }
  }

  @Test func `A thread has its name, frees what it runs, and has then ended`() throws {
    let log = Log()
    let thread = try NamedThread("tactus-test", body(log))
    #expect(thread.hasEnded(within: .seconds(60)))
    #expect(thread.hasEnded(within: .zero))
    #expect(log.lines.withLock { $0 } == ["ran on tactus-test", "freed on tactus-test"])
  }

  /// A closure with the only reference to an object.
  private func body(_ log: Log) -> sending () -> Void {
    let held = Held(log)
    return { held.log.add("ran on \(currentName())") }
  }

  @Test func `To wait for a thread that runs ends after the limit`() throws {
    let gate = MonotonicSemaphore()
    let thread = try NamedThread("tactus-test") { gate.wait() }
    #expect(!thread.hasEnded(within: .milliseconds(1)))
    gate.signal()
    #expect(thread.hasEnded(within: .seconds(60)))
  }

  @Test func `A thread does not wait for its own end`() throws {
    let shared = Shared()
    let thread = try NamedThread("tactus-test") {
      shared.isSet.wait()
      let answer = shared.thread.withLock { $0 }?.hasEnded(within: .seconds(60))
      shared.answer.withLock { $0 = answer }
    }
    shared.thread.withLock { $0 = thread }
    shared.isSet.signal()
    #expect(thread.hasEnded(within: .seconds(30)))
    #expect(shared.answer.withLock { $0 } == false)
  }

  private final class Shared: Sendable {
    let thread = Mutex<NamedThread?>(nil)
    let isSet = MonotonicSemaphore()
    let answer = Mutex<Bool?>(nil)
  }
}

/// The name of the current thread.
private func currentName() -> String {
  guard let file = fopen("/proc/thread-self/comm", "r") else { return "" }
  defer { fclose(file) }
  var name = [CChar](repeating: 0, count: 17)
  fgets(&name, 17, file)
  return String(decoding: name.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
