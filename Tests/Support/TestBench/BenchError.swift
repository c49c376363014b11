/// What the bench could not do, and what it saw instead.
public struct BenchError: Error, CustomStringConvertible {
  public let description: String

  public init(_ description: String) {
    self.description = description
  }
}
