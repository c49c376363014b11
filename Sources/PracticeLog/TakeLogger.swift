import Dispatch
import Realtime
import Synchronization

/// Keeps takes as they end, on a queue of its own, so that nobody waits for a disk.
///
/// What can't be written is told once, waits in memory, and is written with a later take.
package final class TakeLogger: Sendable {
  /// The most that waits: takes, and hits of all of them together.
  static let (mostTakes, mostHits) = (64, 200_000)

  private let file: LogFile
  private let warn: @Sendable (String) -> Void
  private let queue = DispatchQueue(label: "tactus.log", qos: .utility)
  private let state: Mutex<State>
  private let store = Store()

  private struct State {
    var isOn: Bool
    var takes = 0
    var hits = 0
    var isBehind = false
    var totals = PracticeTotals()
  }

  /// What only the queue uses.
  private final class Store: @unchecked Sendable {
    // `@unchecked`: used only on one serial queue.
    var database: LogDatabase?
    /// The file in which the database was opened, also where that failed.
    var found: (path: String, identity: LogFile.Identity)?
    var waiting: [(take: LoggedTake, hits: [LoggedHit])] = []
    var told = ""
  }

  /// - Parameter warn: called on the logger's queue, with a sentence.
  package init(_ file: LogFile, isOn: Bool, warn: @escaping @Sendable (String) -> Void) {
    (self.file, self.warn) = (file, warn)
    state = Mutex(State(isOn: isOn))
  }

  /// Whether takes that end from now on are kept.
  /// - Thread: any but audio
  package func turn(on isOn: Bool) { state.withLock { $0.isOn = isOn } }

  /// Keeps a take that has ended. Does not wait.
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

  /// Waits until all is written, for a limited time.
  /// - Returns: what was kept, and how many takes could not be.
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
        store.told = ""
        state.withLock { state in
          (state.takes, state.hits) = (state.takes - 1, state.hits - hits.count)
          state.totals.add(take)
        }
      }
    } catch {
      store.database = nil
      report("\(error): the take is kept in memory, and tried again with the next")
    }
  }

  /// Writes a take. A damaged log is moved aside, and a new one is begun.
  private func keepNow(_ take: LoggedTake, _ hits: [LoggedHit]) throws {
    do {
      try open().keep(take, hits)
    } catch let error as LogError where error.kind == .damaged {
      // SQLite must have let go of the file.
      store.database = nil
      guard let found = store.found else { throw error }
      if let name = try LogFile.moveAside(found.path, damaged: found.identity) {
        warn("\(error): it was moved to \(name), and a new practice log is begun")
      }
      try open().keep(take, hits)
    }
  }

  /// The database, which is opened again where another file has taken its place.
  private func open() throws -> LogDatabase {
    let path = try file.existing()
    let identity = path.flatMap { LogFile.identity(of: $0) }
    if let database = store.database, let identity, identity == store.found?.identity { return database }
    store.database = nil
    store.found = nil
    if let path, let identity { store.found = (path, identity) }
    let database = try LogDatabase(file, for: .keeping)
    store.database = database
    store.found = LogFile.identity(of: database.path).map { (database.path, $0) }
    return database
  }

  private func report(_ text: String) {
    guard text != store.told else { return }
    store.told = text
    warn(text)
  }
}
