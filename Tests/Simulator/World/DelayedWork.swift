import Control
import Realtime

/// Work queues that carry out their work after a simulated delay, each in order.
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

  /// The duration of a piece of work in nanoseconds.
  var delay: UInt64 = 5_000_000
  /// The simulated time.
  var now: UInt64 = 0
  private var pieces: [Piece] = []
  /// The highest number of pieces that waited at a time.
  private(set) var mostWaiting = 0

  func queue(_ name: String) -> any WorkQueue { Queue(work: self, name: name) }

  /// Whether settings are being saved.
  var isSaving: Bool { pieces.contains { $0.queue == "tactus.state" } }

  /// When the next piece is carried out.
  private(set) var deadline = UInt64.max

  private func add(_ piece: @escaping @Sendable () -> Void, to queue: String) {
    let last = pieces.last { $0.queue == queue }?.due ?? 0
    pieces.append(Piece(queue: queue, due: max(last, now) + delay, run: piece))
    mostWaiting = max(mostWaiting, pieces.count)
    deadline = pieces.map(\.due).min() ?? .max
  }

  /// Limits the time of waiting pieces to the time of a new one.
  func hurry() {
    for index in pieces.indices { pieces[index].due = min(pieces[index].due, now + delay) }
    deadline = pieces.map(\.due).min() ?? .max
  }

  /// Carries out what is due.
  /// - Returns: whether there was any.
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

  /// Drops all work: the program has crashed.
  func clear() { (pieces, deadline) = ([], .max) }
}
