import Foundation
import Realtime
import Testing

@Suite("MonotonicSemaphore")
struct MonotonicSemaphoreTests {
  @Test("Each signal lets one wait pass, whichever comes first")
  func counts() {
    let semaphore = MonotonicSemaphore()
    semaphore.signal()
    semaphore.signal()
    let passed = (0..<3).map { _ in semaphore.wait(until: 0) }
    #expect(passed == [true, true, false])
    Thread.detachNewThread { semaphore.signal() }
    #expect(semaphore.wait(for: .seconds(5)))
  }

  @Test("A wait for what doesn't come ends at its deadline by the monotonic clock")
  func deadline() {
    let semaphore = MonotonicSemaphore()
    let began = monotonicNow()
    let passed = semaphore.wait(until: began + 30_000_000)
    #expect(!passed)
    #expect(monotonicNow() >= began + 30_000_000)
    #expect(monotonicNow() < began + 2_000_000_000)
  }

  @Test("A deadline that is never is one that can be waited for")
  func never() {
    let semaphore = MonotonicSemaphore()
    Thread.detachNewThread { semaphore.signal() }
    semaphore.wait()
    #expect(!semaphore.wait(until: 0))
  }
}
