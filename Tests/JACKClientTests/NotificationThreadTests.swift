import CJack
import Glibc
import Realtime
import Synchronization
import Testing

@testable import JACKClient

@Suite struct NotificationThreadTests {
  /// A thread that runs `body`, by its ID.
  private func thread(_ body: @escaping @Sendable () -> Void) throws -> (NotificationThread, NamedThread) {
    let (id, hasBegun) = (Shared(Int32(0)), MonotonicSemaphore())
    let thread = try NamedThread("notifications") {
      id.value.store(tactus_thread_id(), ordering: .relaxed)
      hasBegun.signal()
      body()
    }
    hasBegun.wait()
    return (NotificationThread(id: id.value.load(ordering: .relaxed)), thread)
  }

  private final class Shared<Value: AtomicRepresentable & Sendable>: Sendable {
    let value: Atomic<Value>
    init(_ value: consuming Value) { self.value = Atomic(value) }
  }

  /// Waits for a state of a thread, which no event reports.
  private func wait(for isReached: () -> Bool) {
    let deadline = Instant.now + .seconds(60)
    while !isReached(), Instant.now < deadline { usleep(1_000) }
    #expect(isReached())
  }

  @Test func `A client without such a thread is closed at once`() {
    #expect(NotificationThread(id: 0).state == .ended)
  }

  @Test
  func `A client is closed once its thread waits for the server; if the server is gone, once it has ended`()
    throws
  {
    var pipe: [Int32] = [0, 0]
    try #require(Glibc.pipe(&pipe) == 0)
    let (input, output) = (pipe[0], pipe[1])
    let isHandled = Shared(false)
    let (thread, handler) = try thread {
      while !isHandled.value.load(ordering: .relaxed) {}
      var byte: UInt8 = 0
      _ = read(input, &byte, 1)
    }
    #expect(thread.state == .busy)
    isHandled.value.store(true, ordering: .relaxed)
    wait { thread.state == .waiting }
    thread.settle { false }
    // It keeps waiting for a while, in case the server's last notification is under way.
    let start = Instant.now
    thread.settle { true }
    #expect(Instant.now - start >= .milliseconds(500))
    close(output)
    #expect(handler.hasEnded(within: .seconds(30)))
    wait { thread.state == .ended }
    thread.settle { true }
    close(input)
  }
}
