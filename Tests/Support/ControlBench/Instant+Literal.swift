import Realtime

/// In tests an instant may be a number: nanoseconds.
extension Instant: ExpressibleByIntegerLiteral {
  public init(integerLiteral nanoseconds: UInt64) { self.init(nanoseconds: nanoseconds) }
}
