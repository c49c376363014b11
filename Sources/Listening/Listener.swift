import Engine
import Realtime
import Synchronization
import TimeCheck

/// The thread `listener`: takes what the process callback has captured, and reports hits.
package final class Listener: @unchecked Sendable {
  // `@unchecked`: once the thread runs, only the thread uses `bank`.

  /// What other threads have set for the detectors.
  private struct Changes {
    var bleeds: [Int: Float] = [:]
    var controls: TriggerControls
    var areNew = true
  }

  /// The time between two passes. The process callback cannot wake this thread, so hits are reported up to this much later.
  private static let interval = Duration.milliseconds(3)

  private var bank: DetectorBank
  private let changes: Mutex<Changes>
  private let receive: @Sendable ([Hit]) -> Void
  private let warn: @Sendable (String) -> Void
  /// Whether a microphone is used without a detector for microphones.
  private let lacksMicrophones: Bool
  private let isStopping = Atomic<Bool>(false)
  private let wakeup = MonotonicSemaphore()
  private let capture: UnsafePointer<Capture>

  /// - Parameters:
  ///   - controls: the first controls of the trigger detectors.
  ///   - receive: called with new hits, on the listener's thread.
  ///   - warn: called with a warning for the user, on the listener's thread.
  package init(
    _ capture: UnsafePointer<Capture>, _ setup: ListeningSetup, _ controls: TriggerControls,
    receive: @escaping @Sendable ([Hit]) -> Void, warn: @escaping @Sendable (String) -> Void
  ) {
    self.capture = capture
    bank = DetectorBank(capture, setup)
    lacksMicrophones = !DetectorBank.hearsMicrophones && setup.inputs.contains { $0.mode == .mic }
    changes = Mutex(Changes(controls: controls))
    (self.receive, self.warn) = (receive, warn)
  }

  /// Starts the thread.
  /// - Throws: `NamedThread.StartError` if the system creates no thread.
  /// - Thread: any
  package func start() throws(NamedThread.StartError) {
    try NamedThread("listener") { [self] in
      if lacksMicrophones {
        warn(
          "libaubio5 is not installed: the trigger detector is used for microphones, and misses soft strokes")
      }
      while !isStopping.load(ordering: .acquiring) {
        pass()
        _ = wakeup.wait(for: Listener.interval)
      }
    }
  }

  /// Asks the thread to end. Does not wait for it.
  /// - Thread: any
  package func stop() {
    isStopping.store(true, ordering: .releasing)
    wakeup.signal()
  }

  /// Sets the peaks with which inputs hear the click, by the indices of the inputs; full scale is 1.
  /// - Thread: any
  package func setBleed(_ levels: [Int: Float]) {
    changes.withLock { ($0.bleeds, $0.areNew) = (levels, true) }
  }

  /// Sets the controls of the trigger detectors.
  /// - Thread: any
  package func setControls(_ controls: TriggerControls) {
    changes.withLock { ($0.controls, $0.areNew) = (controls, true) }
  }

  private func pass() {
    let new: Changes? = changes.withLock { changes in
      defer { changes.areNew = false }
      return changes.areNew ? changes : nil
    }
    if let new {
      for (input, bleed) in new.bleeds { bank.setBleed(bleed, of: input) }
      bank.setControls(new.controls)
    }
    let detected = bank.listen()
    if !detected.hits.isEmpty { receive(detected.hits) }
    for fault in detected.faults { warn(fault) }
    if detected.lost > 0 {
      warn("listening: \(detected.lost) frames were lost because the machine was too busy; hits are missing")
    }
    if detected.lostNotes > 0 {
      warn(
        "listening: \(detected.lostNotes) notes were lost: too many at once, or the machine was too busy")
    }
  }
}
