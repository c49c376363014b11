/// A value for each role.
///
/// - Thread: any; audio if the callback may copy the value
public struct PerRole<Value> {
  public var accent: Value
  public var beat: Value
  public var subdivision: Value
  public var cue: Value

  // Everything is `@inlinable`: the compiler checks generic code for `@_noLocks` only where it is specialised.

  @inlinable
  public init(accent: Value, beat: Value, subdivision: Value, cue: Value) {
    self.accent = accent
    self.beat = beat
    self.subdivision = subdivision
    self.cue = cue
  }

  /// The same value for each role.
  @inlinable
  public init(repeating value: Value) {
    self.init(accent: value, beat: value, subdivision: value, cue: value)
  }

  public subscript(role: ClickRole) -> Value {
    @inlinable get {
      switch role {
      case .accent: accent
      case .beat: beat
      case .subdivision: subdivision
      case .cue: cue
      }
    }
    @inlinable set {
      switch role {
      case .accent: accent = newValue
      case .beat: beat = newValue
      case .subdivision: subdivision = newValue
      case .cue: cue = newValue
      }
    }
  }

  /// Transforms each value.
  @inlinable
  public func map<Other>(_ transform: (Value) throws -> Other) rethrows -> PerRole<Other> {
    PerRole<Other>(
      accent: try transform(accent), beat: try transform(beat), subdivision: try transform(subdivision),
      cue: try transform(cue))
  }
}

extension PerRole: BitwiseCopyable where Value: BitwiseCopyable {}
extension PerRole: Sendable where Value: Sendable {}
extension PerRole: Equatable where Value: Equatable {}
extension PerRole: Hashable where Value: Hashable {}
