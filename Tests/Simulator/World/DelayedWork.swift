import Control
import Realtime

/// Queues whose work is done after a simulated delay, first come first done in each queue.
final class DelayedWork: @unchecked Sendable {
  // `@unchecked`: the simulator has one thread.

  private struct Queue: WorkQueue {
    let work: DelayedWork
    let name: String

    func run(_ piece: @escaping @Sendable () -> Void) { work.add(piece, to: name) }
    func finish() { work.finish(name) }
  }

  private struct Piece {
    let queue: String
    var due: UInt64
    let run: @Sendable () -> Void
  }

  /// Nanoseconds that a piece takes.
  var delay: UInt64 = 5_000_000
  /// The simulated time.
  var now: UInt64 = 0
  private var pieces: [Piece] = []
  /// Pieces that waited at a time, at most.
  private(set) var mostWaiting = 0

  func queue(_ name: String) -> any WorkQueue { Queue(work: self, name: name) }

  /// Whether settings are being saved.
  var isSaving: Bool { pieces.contains { $0.queue == "tactus.state" } }

  /// When the next piece is done.
  private(set) var deadline = UInt64.max

  private func add(_ piece: @escaping @Sendable () -> Void, to queue: String) {
    let last = pieces.last { $0.queue == queue }?.due ?? 0
    pieces.append(Piece(queue: queue, due: max(last, now) + delay, run: piece))
    mostWaiting = max(mostWaiting, pieces.count)
    deadline = pieces.map(\.due).min() ?? .max
  }

  /// What waits takes no longer than a piece that comes now.
  func hurry() {
    for index in pieces.indices { pieces[index].due = min(pieces[index].due, now + delay) }
    deadline = pieces.map(\.due).min() ?? .max
  }

  /// Does what is due.
  /// - Returns: whether there was something.
  func run() -> Bool {
    guard deadline <= now else { return false }
    while let index = pieces.indices.filter({ pieces[$0].due <= now }).min(by: {
      pieces[$0].due < pieces[$1].due
    }) {
      pieces.remove(at: index).run()
    }
    deadline = pieces.map(\.due).min() ?? .max
    return true
  }

  private func finish(_ queue: String) {
    while let index = pieces.firstIndex(where: { $0.queue == queue }) { pieces.remove(at: index).run() }
    deadline = pieces.map(\.due).min() ?? .max
  }

  /// The program has died.
  func clear() { (pieces, deadline) = ([], .max) }
}
