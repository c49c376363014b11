/// The recent values of a quantity, for effects with a delay that is not known exactly.
struct Recently<Value: Comparable> {
  private var values: [(value: Value, until: UInt64)] = []
  private(set) var current: Value

  init(_ value: Value) { current = value }

  /// Notes another value from an instant on.
  mutating func change(to value: Value, at time: UInt64) {
    guard value != current else { return }
    values.append((current, time))
    current = value
  }

  /// Allows a value until an instant, although it is not reported.
  mutating func mayBe(_ value: Value, until time: UInt64) { values.append((value, time)) }

  /// The lowest and the highest value, now and since an instant.
  mutating func range(since time: UInt64) -> ClosedRange<Value> {
    guard !values.isEmpty else { return current...current }
    values.removeAll { $0.until < time }
    return values.reduce(current...current) { min($0.lowerBound, $1.value)...max($0.upperBound, $1.value) }
  }
}
