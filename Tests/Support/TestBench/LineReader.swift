import Glibc
import Synchronization

/// Reads a pipe to its end on its own thread and keeps the lines.
final class LineReader: Sendable {
  private struct State {
    var lines: [String] = []
    var isAtEnd = false
  }

  private let file: Int32
  private let state = Mutex(State())

  /// Takes ownership of `file`, and closes it at its end.
  init(_ file: Int32) {
    self.file = file
  }

  var lines: [String] { state.withLock { $0.lines } }
  var isAtEnd: Bool { state.withLock { $0.isAtEnd } }

  /// Starts to read. Calls `changed` on the reading thread, after each new line and at the end.
  func start(changed: @escaping @Sendable () -> Void) {
    startThread { [self] in
      var rest: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 4096)
      while true {
        let count = read(file, &buffer, buffer.count)
        if count < 0 && errno == EINTR { continue }
        guard count > 0 else { break }
        rest += buffer[..<count]
        var complete = rest.split(separator: 10, omittingEmptySubsequences: false)
        rest = Array(complete.removeLast())
        append(complete)
        changed()
      }
      if !rest.isEmpty { append([rest[...]]) }
      state.withLock { $0.isAtEnd = true }
      close(file)
      changed()
    }
  }

  private func append(_ lines: [ArraySlice<UInt8>]) {
    state.withLock { $0.lines += lines.map { String(decoding: $0, as: UTF8.self) } }
  }
}
