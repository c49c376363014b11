import Control
import Realtime
import Synchronization

/// Queues whose work runs when a test requests it, on the test's thread and in the order of arrival. While a piece runs, a test may
/// run pieces of other queues, as if each queue had a thread.
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
    /// The number of pieces that may still run; nil for any number.
    var allowed: Int?
    /// The queues of which a piece is running.
    var busy: Set<String> = []
  }

  private let state: Mutex<State>

  /// - Parameter isHeld: whether each piece waits until it is released.
  package init(isHeld: Bool = false) { state = Mutex(State(allowed: isHeld ? 0 : nil)) }

  package func queue(_ name: String) -> any WorkQueue { Queue(work: self, name: name) }

  /// Allows a number of held pieces to run, waiting or future ones.
  package func release(_ count: Int = 1) { state.withLock { $0.allowed = ($0.allowed ?? 0) + count } }

  /// Runs the waiting pieces that are allowed, and those that they add.
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
