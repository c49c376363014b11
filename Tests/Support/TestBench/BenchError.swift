/// A failed action of the test bench, and what it observed instead.
public struct BenchError: Error, CustomStringConvertible {
  public let description: String

  public init(_ description: String) {
    self.description = description
  }
}
