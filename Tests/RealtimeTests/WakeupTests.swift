import Glibc
import Realtime
import Testing

@Suite struct WakeupTests {
  private func isPosted(_ wakeup: borrowing Wakeup) -> Bool {
    var file = pollfd(fd: wakeup.descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&file, 1, 0) == 1
  }

  @Test func `Posts stay until they are taken, all at once`() {
    let wakeup = Wakeup()
    #expect(wakeup.isOpen && !isPosted(wakeup))
    wakeup.post()
    wakeup.post()
    #expect(isPosted(wakeup))
    wakeup.clear()
    #expect(!isPosted(wakeup))
    // Nothing to take: it does not block.
    wakeup.clear()
  }

  @Test func `A post ends a wait, before it and during it`() throws {
    final class Shared: Sendable { let wakeup = Wakeup() }
    let shared = Shared()
    shared.wakeup.post()
    shared.wakeup.wait(milliseconds: 60_000)
    try NamedThread("tactus-test") { shared.wakeup.post() }
    shared.wakeup.wait(milliseconds: 60_000)
    #expect(!isPosted(shared.wakeup))
  }
}
