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
    let passed = (0..<3).map { _ in semaphore.wait(until: .distantPast) }
    #expect(passed == [true, true, false])
    Thread.detachNewThread { semaphore.signal() }
    #expect(semaphore.wait(for: .seconds(5)))
  }

  @Test("A wait in vain ends at its deadline by the monotonic clock")
  func deadline() {
    let semaphore = MonotonicSemaphore()
    let began = Instant.now
    let passed = semaphore.wait(until: began + .milliseconds(30))
    #expect(!passed)
    #expect(Instant.now >= began + .milliseconds(30))
    #expect(Instant.now < began + .seconds(2))
  }

  @Test("A deadline that is never is one that can be waited for")
  func never() {
    let semaphore = MonotonicSemaphore()
    Thread.detachNewThread { semaphore.signal() }
    semaphore.wait()
    #expect(!semaphore.wait(until: .distantPast))
  }
}
