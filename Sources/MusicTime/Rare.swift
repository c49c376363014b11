/// An optional value that most owners do not have. It is stored outside its owner, so that a hundred thousand owners stay
/// small.
@propertyWrapper
@frozen
public struct Rare<Value> {
  @usableFromInline
  indirect enum Storage {
    case none
    case some(Value)
  }

  @usableFromInline var storage: Storage

  @inlinable
  public init(wrappedValue: Value?) {
    if let wrappedValue { storage = .some(wrappedValue) } else { storage = .none }
  }

  @inlinable public var wrappedValue: Value? {
    get { if case .some(let value) = storage { value } else { nil } }
    set { self = Rare(wrappedValue: newValue) }
  }
}

extension Rare: Equatable where Value: Equatable {
  @inlinable
  public static func == (a: Rare, b: Rare) -> Bool { a.wrappedValue == b.wrappedValue }
}

extension Rare.Storage: Sendable where Value: Sendable {}
extension Rare: Sendable where Value: Sendable {}
