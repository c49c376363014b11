import Validation

/// Collects the faults of one file while it is read.
final class FaultLog {
  /// The maximum number of faults. A hostile file could have millions. When the log is full, readers stop.
  static let limit = 1_000

  let file: String
  private(set) var faults: [Fault] = []

  init(file: String) { self.file = file }

  /// Whether the log is full, so that further reading is pointless.
  var isFull: Bool { faults.count >= FaultLog.limit }

  /// The faults in the order of the text.
  var sorted: [Fault] {
    faults.enumerated().sorted {
      ($0.element.line, $0.element.column, $0.offset) < ($1.element.line, $1.element.column, $1.offset)
    }.map(\.element)
  }

  /// Adds the faults of another log of the file, as far as there is room.
  func add(_ other: FaultLog) { faults += other.faults.prefix(FaultLog.limit - faults.count) }

  func report(line: Int, column: Int, _ what: String, allowed: String) {
    guard !isFull else { return }
    faults.append(Fault(file: file, line: line, column: column, what: what, allowed: allowed))
  }

  func report(_ mark: Mark?, _ what: String, allowed: String) {
    report(line: mark?.line ?? 1, column: mark?.column ?? 1, what, allowed: allowed)
  }

  func report(_ mark: Mark?, _ error: InvalidValue) {
    report(mark, "\(error.name) \(error.value)", allowed: error.allowed)
  }

  /// The body's result; nil, with a fault at `mark`, if the body throws. Also nil if the log is full.
  func read<T>(at mark: Mark?, _ body: () throws(InvalidValue) -> T) -> T? {
    guard !isFull else { return nil }
    do throws(InvalidValue) { return try body() } catch {
      report(mark, error)
      return nil
    }
  }
}
