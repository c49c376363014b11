import Control
import Synchronization

/// Queues whose work is done when a test says so, on the test's thread: first come, first done. While a piece is being done, a test
/// may have pieces of other queues be done, as if each queue had a thread.
package final class SimulatedWork: Sendable {
  private typealias Piece = (queue: String, run: @Sendable () -> Void)

  private struct Queue: WorkQueue {
    let work: SimulatedWork
    let name: String

    func run(_ piece: @escaping @Sendable () -> Void) {
      work.state.withLock { $0.waiting.append((name, piece)) }
    }

    func finish() { while let piece = work.take(from: name) { piece() } }
  }

  private struct State {
    var waiting: [Piece] = []
    /// Pieces that may still be done; nil for any number.
    var allowed: Int?
    /// The queues of which a piece is being done.
    var busy: Set<String> = []
  }

  private let state: Mutex<State>

  /// - Parameter isHeld: whether each piece waits until it is released.
  package init(isHeld: Bool = false) { state = Mutex(State(allowed: isHeld ? 0 : nil)) }

  package func queue(_ name: String) -> any WorkQueue { Queue(work: self, name: name) }

  /// Lets a number of pieces be done, of those that wait and those that come, where they are held.
  package func release(_ count: Int = 1) { state.withLock { $0.allowed = ($0.allowed ?? 0) + count } }

  /// Does what waits and may be done, and what that adds.
  func run() {
    while let piece = takeAllowed() {
      piece.run()
      state.withLock { _ = $0.busy.remove(piece.queue) }
    }
  }

  private func takeAllowed() -> Piece? {
    state.withLock { state in
      let busy = state.busy
      let next = state.waiting.firstIndex { !busy.contains($0.queue) }
      guard let next, state.allowed != 0 else { return nil }
      if let allowed = state.allowed { state.allowed = allowed - 1 }
      let piece = state.waiting.remove(at: next)
      state.busy.insert(piece.queue)
      return piece
    }
  }

  private func take(from queue: String) -> (@Sendable () -> Void)? {
    state.withLock { state in
      state.waiting.firstIndex { $0.queue == queue }.map { state.waiting.remove(at: $0).run }
    }
  }
}
