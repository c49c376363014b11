import Glibc
import Realtime
import Synchronization
import Testing

@testable import JACKClient

@Suite struct NotificationThreadTests {
  private let thread = NotificationThread()
  private let noted = MonotonicSemaphore()

  @Test func `Before the first notification the thread isn't busy`() { #expect(!thread.isBusy) }

  @Test func `A client is closed once its notification thread waits for the server`() throws {
    let isHandled = Mutex(false)
    var pipe: [Int32] = [0, 0]
    try #require(Glibc.pipe(&pipe) == 0)
    let (input, output) = (pipe[0], pipe[1])
    let handler = try NamedThread("notifications") { [thread, noted] in
      thread.note()
      noted.signal()
      while !isHandled.withLock({ $0 }) {}
      var byte: UInt8 = 0
      _ = read(input, &byte, 1)
    }
    noted.wait()
    #expect(thread.isBusy)
    isHandled.withLock { $0 = true }
    thread.settle()
    // A busy machine may not have run the thread for the second that this waits.
    while thread.isBusy { usleep(1_000) }
    close(output)
    #expect(handler.hasEnded(within: .seconds(30)))
    close(input)
  }

  @Test func `A client is closed once its notification thread has ended`() throws {
    let ended = try NamedThread("notifications") { [thread, noted] in
      thread.note()
      noted.signal()
    }
    noted.wait()
    #expect(ended.hasEnded(within: .seconds(30)))
    while thread.isBusy { usleep(1_000) }
  }

  @Test func `A thread does not wait for itself`() {
    thread.note()
    #expect(!thread.isBusy)
  }
}
