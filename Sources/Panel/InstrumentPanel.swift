import Control
import Realtime
import Synchronization

/// The instrument panel on the terminal: shows the state and handles the keys.
///
/// It handles the conductor's reports on its own thread, which sleeps until there is a key, a report, or a beat to show.
package final class InstrumentPanel: Sendable {
  private let updates: UpdateQueue
  private let sounds: [String]
  private let status: @Sendable () -> PanelStatus
  private let pair: @Sendable () -> PairingCard
  private let quit: @Sendable () -> Void
  private let reports = Mutex<[PanelReport]>([])
  private let documents = Mutex<[DocumentSummary]?>(nil)
  private let isStopping = Atomic<Bool>(false)
  private let hasEnded = MonotonicSemaphore()
  /// The maximum number of queued reports: the terminal may block.
  private static let mostReports = 10_000

  /// Whether standard input and output are a terminal that can show the panel. Call it before starting threads.
  package static var isPossible: Bool { Screen.isPossible }

  /// The name and version of the loaded ncurses.
  package static var libraryVersion: String { Screen.libraryVersion }

  /// - Parameters:
  ///   - sounds: the names of the sounds to choose from.
  ///   - status: called once a second, and after the server is lost or connected, on the panel's thread.
  ///   - pair: makes a key for a remote; called on the panel's thread.
  ///   - quit: called on the panel's thread when the user quits or the terminal closes.
  package init(
    updates: UpdateQueue, sounds: [String], status: @escaping @Sendable () -> PanelStatus,
    pair: @escaping @Sendable () -> PairingCard, quit: @escaping @Sendable () -> Void
  ) {
    (self.updates, self.sounds, self.status, self.pair, self.quit) = (updates, sounds, status, pair, quit)
  }

  /// Queues a report for the panel; drops it if 10 000 wait.
  /// - Thread: control
  package func observe(_ report: Report) {
    switch report {
    case .beat(let beat, _) where beat.role == .subdivision || beat.role == .cue: return
    case .predicted, .withdrawn: return
    default: post(.report(report))
    }
  }

  private func post(_ report: PanelReport) {
    let isFirst = reports.withLock { reports in
      if reports.count < InstrumentPanel.mostReports { reports.append(report) }
      return reports.count == 1
    }
    if isFirst { PanelWakeup.post() }
  }

  /// Starts the panel's thread. It takes over the terminal when Tactus is in the foreground.
  /// - Throws: `NamedThread.StartError` if the system creates no thread.
  /// - Thread: any
  package func start(_ settings: Settings) throws(NamedThread.StartError) {
    PanelWakeup.prepare()
    try NamedThread("tactus-panel") { [self] in
      var loop = PanelLoop(panel: self, model: PanelModel(Snapshot(settings: settings), sounds: sounds))
      loop.run(until: isStopping)
      hasEnded.signal()
    }
  }

  /// Ends the panel's thread, which restores the terminal. Waits at most half a second for that.
  /// - Thread: any but the panel's
  package func stop() {
    isStopping.store(true, ordering: .releasing)
    PanelWakeup.post()
    _ = hasEnded.wait(for: .milliseconds(500))
  }

  // MARK: For the loop

  func takeReports() -> [PanelReport] {
    reports.withLock { reports in
      defer { reports.removeAll() }
      return reports
    }
  }

  /// Requests the documents of the session folder.
  func listDocuments() {
    updates.push(
      Request(
        .documents { [weak self] documents in
          self?.documents.withLock { $0 = documents }
          PanelWakeup.post()
        }))
  }

  /// The documents, if they have arrived since the last call; otherwise nil.
  func takeDocuments() -> [DocumentSummary]? {
    documents.withLock { documents in
      defer { documents = nil }
      return documents
    }
  }

  func currentStatus() -> PanelStatus { status() }

  func makePairing() -> PairingCard { pair() }

  func askToQuit() { quit() }

  /// The state after all updates sent so far; nil if there is no answer within 100 ms.
  func look() -> Snapshot? {
    let answer = Answer()
    updates.push(
      Request(
        .query { snapshot in
          answer.snapshot.withLock { $0 = snapshot }
          answer.isThere.signal()
        }))
    _ = answer.isThere.wait(for: .milliseconds(100))
    return answer.snapshot.withLock { $0 }
  }

  /// - Parameter entry: the typed text that means the update; nil for a key.
  func push(_ update: Update, arrival: Instant, of entry: PanelEntry?) {
    updates.push(
      Request(
        .update(update), arrival: arrival, refuse: { [weak self] in self?.post(.refusal($0, of: entry)) },
        isOfTerminal: true))
  }
}

/// What the panel receives from the conductor.
enum PanelReport: Sendable {
  case report(Report)
  /// Why the conductor refused a request of the panel, and the typed text that meant it; nil if it was a key.
  case refusal(String, of: PanelEntry?)
}

/// The conductor's answer, for a waiting thread.
private final class Answer: Sendable {
  let snapshot = Mutex<Snapshot?>(nil)
  let isThere = MonotonicSemaphore()
}
