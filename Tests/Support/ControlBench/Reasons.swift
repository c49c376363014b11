import Synchronization

/// Collects the reasons of refusals in order.
package final class Reasons: Sendable {
  private let reasons = Mutex<[String]>([])

  package init() {}

  package func add(_ reason: String) { reasons.withLock { $0.append(reason) } }

  package var all: [String] { reasons.withLock { $0 } }
}
