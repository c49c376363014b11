import Foundation
import Realtime
import Testing

@Suite("Ring")
struct RingTests {
  /// A ring that two threads share.
  private final class Shared: Sendable {
    let ring = Ring<Int>(capacity: 256)
  }

  @Test("A full ring refuses, and hands back what it has in the order in which it came")
  func bounded() {
    let ring = Ring<Int>(capacity: 4)
    let pushed = (0..<6).map { ring.push($0) }
    let roomWhenFull = ring.hasRoom
    let first = ring.pop()
    let roomThen = ring.hasRoom
    let pushedThen = ring.push(4)
    let rest = (0..<5).map { _ in ring.pop() }
    #expect(pushed == [true, true, true, true, false, false])
    #expect(!roomWhenFull)
    #expect(first == 0)
    #expect(roomThen)
    #expect(pushedThen)
    #expect(rest == [1, 2, 3, 4, nil])
  }

  @Test("Between two threads a million elements keep their order and none is lost")
  func twoThreads() {
    let shared = Shared()
    let count = 1_000_000
    let producer = Thread {
      for element in 0..<count { while !shared.ring.push(element) {} }
    }
    producer.start()
    var faults = 0
    for expected in 0..<count {
      var element = shared.ring.pop()
      while element == nil { element = shared.ring.pop() }
      if element != expected { faults += 1 }
    }
    #expect(faults == 0)
    let rest = shared.ring.pop()
    #expect(rest == nil)
  }
}
