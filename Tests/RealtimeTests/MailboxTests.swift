import Foundation
import Realtime
import Testing

@Suite("Mailbox")
struct MailboxTests {
  // `@unchecked`: the slots are written before the threads start and only read afterwards.
  private final class Shared: @unchecked Sendable {
    let mailbox = Mailbox<Int>()
    let values: UnsafeMutablePointer<Int>
    let count: Int

    init(_ count: Int) {
      self.count = count
      values = .allocate(capacity: count)
      for index in 0..<count { (values + index).initialize(to: index) }
    }

    deinit { values.deallocate() }
  }

  @Test("What is put in replaces what nobody took, and is taken once")
  func newestWins() {
    let shared = Shared(3)
    let values = shared.values
    let none = shared.mailbox.take()
    let returned = (0..<2).map { shared.mailbox.put(values + $0) }
    let taken = (0..<2).map { _ in shared.mailbox.take() }
    #expect(none == nil)
    #expect(returned == [nil, UnsafePointer(values)])
    #expect(taken == [UnsafePointer(values + 1), nil])
  }

  @Test("Between two threads values arrive in order, the newest last, each taken or given back")
  func twoThreads() {
    let shared = Shared(1_000_000)
    let box = Box()
    let producer = Thread {
      for index in 0..<shared.count {
        guard let returned = shared.mailbox.put(shared.values + index) else { continue }
        box.returned += 1
        box.sum += returned.pointee
      }
      box.done.signal()
    }
    producer.start()
    var (taken, sum, last, faults) = (0, 0, -1, 0)
    while last < shared.count - 1 {
      guard let value = shared.mailbox.take()?.pointee else { continue }
      if value <= last { faults += 1 }
      (taken, sum, last) = (taken + 1, sum + value, value)
    }
    box.done.wait()
    #expect(faults == 0)
    #expect(taken + box.returned == shared.count)
    #expect(sum + box.sum == shared.count * (shared.count - 1) / 2)
  }

  // `@unchecked`: the consumer reads the counts after `done`.
  private final class Box: @unchecked Sendable {
    var returned = 0
    var sum = 0
    let done = DispatchSemaphore(value: 0)
  }
}
