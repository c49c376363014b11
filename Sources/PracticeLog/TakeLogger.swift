import Dispatch
import Files
import Realtime
import Synchronization

/// Writes takes into the practice log when they end, on a queue of its own, so that no other thread waits for the disk.
///
/// A take that can't be written is reported once, waits in memory, and is written with a later one.
package final class TakeLogger: Sendable {
  /// The most takes that wait, and the most hits in all of them.
  static let (mostTakes, mostHits) = (64, 200_000)

  private let file: LogFile
  private let warn: @Sendable (String) -> Void
  private let queue = DispatchQueue(label: "tactus.log", qos: .utility)
  private let state: Mutex<State>
  private let store = Store()

  private struct State {
    var isOn: Bool
    /// Takes that wait, and their hits.
    var takes = 0
    var hits = 0
    /// Whether the last take was dropped because too many waited.
    var isBehind = false
    /// The takes that were written.
    var totals = PracticeTotals()
  }

  /// The state of the queue.
  private final class Store: @unchecked Sendable {
    // `@unchecked`: used only on one serial queue.
    var database: LogDatabase?
    /// The file in which the database was opened, even if that failed.
    var found: (path: String, identity: FileIdentity)?
    var waiting: [(take: LoggedTake, hits: [LoggedHit])] = []
    /// The last warning, so that it is not repeated.
    var lastWarning = ""
  }

  /// - Parameters:
  ///   - isOn: whether takes are written.
  ///   - warn: called on the logger's queue, with a sentence for the user.
  package init(_ file: LogFile, isOn: Bool, warn: @escaping @Sendable (String) -> Void) {
    (self.file, self.warn) = (file, warn)
    state = Mutex(State(isOn: isOn))
  }

  /// Sets whether takes that end from now on are written.
  /// - Thread: any but audio
  package func turn(on isOn: Bool) { state.withLock { $0.isOn = isOn } }

  /// Queues a take for writing, unless the log is off or too many takes wait. Does not block.
  /// - Thread: any but audio
  package func keep(_ take: LoggedTake, _ hits: [LoggedHit]) {
    let isTaken: Bool? = state.withLock { state in
      guard state.isOn else { return nil }
      guard state.takes < TakeLogger.mostTakes, state.hits + hits.count <= TakeLogger.mostHits else {
        defer { state.isBehind = true }
        return state.isBehind ? nil : false
      }
      (state.takes, state.hits, state.isBehind) = (state.takes + 1, state.hits + hits.count, false)
      return true
    }
    switch isTaken {
    case true?: queue.async { [self] in write((take, hits)) }
    case false?:
      queue.async { [warn] in warn("the practice log can't keep up: takes are lost until it can be written") }
    case nil: break
    }
  }

  /// Writes the waiting takes and closes the log. Waits a limited time for that.
  /// - Returns: the takes that were written, and how many were not.
  /// - Thread: any but audio
  package func finish(within limit: Duration) -> (kept: PracticeTotals, lost: Int) {
    let written = MonotonicSemaphore()
    queue.async { [self] in
      writeWaiting()
      store.database = nil
      written.signal()
    }
    _ = written.wait(for: limit)
    return state.withLock { ($0.totals, $0.takes) }
  }

  // MARK: On the queue

  private func write(_ take: (LoggedTake, [LoggedHit])) {
    store.waiting.append(take)
    writeWaiting()
  }

  private func writeWaiting() {
    do {
      while let (take, hits) = store.waiting.first {
        try keepNow(take, hits)
        store.waiting.removeFirst()
        store.lastWarning = ""
        state.withLock { state in
          (state.takes, state.hits) = (state.takes - 1, state.hits - hits.count)
          state.totals.add(take)
        }
      }
    } catch {
      store.database = nil
      report("\(error): the take stays in memory and is written with the next one")
    }
  }

  /// Writes a take. If the log is damaged, moves it aside and creates a new one.
  private func keepNow(_ take: LoggedTake, _ hits: [LoggedHit]) throws {
    do {
      try open().keep(take, hits)
    } catch let error as LogError where error.kind == .damaged {
      // SQLite must close the file before it is moved.
      store.database = nil
      guard let found = store.found else { throw error }
      if let name = try LogFile.moveAside(found.path, damaged: found.identity) {
        warn("\(error): it was moved to \(name), and a new practice log was created")
      }
      try open().keep(take, hits)
    }
  }

  /// The open database; opens it again if another file has replaced it.
  private func open() throws -> LogDatabase {
    let path = try file.existing()
    let identity = path.flatMap { FileIdentity($0) }
    if let database = store.database, let identity, identity == store.found?.identity { return database }
    store.database = nil
    store.found = nil
    if let path, let identity { store.found = (path, identity) }
    let database = try LogDatabase(file, for: .keeping)
    store.database = database
    store.found = FileIdentity(database.path).map { (database.path, $0) }
    return database
  }

  private func report(_ text: String) {
    guard text != store.lastWarning else { return }
    store.lastWarning = text
    warn(text)
  }
}
