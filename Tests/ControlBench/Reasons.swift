import Synchronization

/// Reasons for refusals, as they come.
public final class Reasons: Sendable {
  private let reasons = Mutex<[String]>([])

  public init() {}

  public func add(_ reason: String) { reasons.withLock { $0.append(reason) } }

  public var all: [String] { reasons.withLock { $0 } }
}
