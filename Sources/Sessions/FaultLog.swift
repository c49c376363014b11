import MusicTime

/// Collects the faults of one file while it is read.
final class FaultLog {
  /// A hostile file could otherwise have more faults than bytes that a terminal can take.
  static let limit = 1_000

  let file: String
  private(set) var faults: [Fault] = []

  init(file: String) { self.file = file }

  /// The faults in the order of the text.
  var sorted: [Fault] {
    faults.enumerated().sorted {
      ($0.element.line, $0.element.column, $0.offset) < ($1.element.line, $1.element.column, $1.offset)
    }.map(\.element)
  }

  func report(line: Int, column: Int, _ what: String, allowed: String) {
    guard faults.count < FaultLog.limit else { return }
    faults.append(Fault(file: file, line: line, column: column, what: what, allowed: allowed))
  }

  func report(_ mark: Mark?, _ what: String, allowed: String) {
    report(line: mark?.line ?? 1, column: mark?.column ?? 1, what, allowed: allowed)
  }

  func report(_ mark: Mark?, _ error: InvalidValue) {
    report(mark, "\(error.name) \(error.value)", allowed: error.allowed)
  }

  /// What the body makes of a value; nil, and a fault at the place, where it refuses.
  func read<T>(at mark: Mark?, _ body: () throws(InvalidValue) -> T) -> T? {
    do throws(InvalidValue) { return try body() } catch {
      report(mark, error)
      return nil
    }
  }
}
