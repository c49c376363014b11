import Glibc
import Realtime
import Testing

@Suite struct WakeupTests {
  /// Holds a wakeup for two threads.
  private final class Shared: Sendable {
    let wakeup = Wakeup()

    var isPosted: Bool {
      var file = pollfd(fd: wakeup.descriptor, events: Int16(POLLIN), revents: 0)
      return poll(&file, 1, 0) == 1
    }
  }

  @Test func `Posts stay until they are taken, all at once`() {
    let shared = Shared()
    #expect(!shared.isPosted)
    shared.wakeup.post()
    shared.wakeup.post()
    #expect(shared.isPosted)
    shared.wakeup.clear()
    #expect(!shared.isPosted)
    // There is nothing to take: it does not block.
    shared.wakeup.clear()
  }

  @Test func `A post ends a wait, before it and during it`() throws {
    let shared = Shared()
    shared.wakeup.post()
    shared.wakeup.wait(milliseconds: 60_000)
    try NamedThread("tactus-test") { shared.wakeup.post() }
    shared.wakeup.wait(milliseconds: 60_000)
    #expect(!shared.isPosted)
  }
}
